"""What docs/mid/autograd/hooks.md claims, proven beyond the example shown."""

import copy
import weakref
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

clip_hooks = load_snippet("mid/autograd/hooks_clip.py")
recorder = load_snippet("mid/autograd/hooks_record.py")


class TestHooks:
    @pytest.mark.parametrize("layer", [lambda: nn.Linear(2, 2), lambda: nn.Conv1d(2, 2, 1)])
    def test_hooks_surround_the_forward_and_the_backward_pass(self, layer: Callable[[], nn.Module]):
        module, seen = layer(), []
        module.register_full_backward_hook(lambda *_: seen.append("backward"))
        module.register_full_backward_pre_hook(lambda *_: seen.append("backward pre"))
        module.weight.register_post_accumulate_grad_hook(lambda _: seen.append("accumulated"))
        module.weight.register_hook(lambda _: seen.append("tensor"))
        module.register_forward_hook(lambda *_: seen.append("forward"))
        module.register_forward_pre_hook(lambda *_: seen.append("forward pre"))
        module(torch.ones(2, 2, requires_grad=True)).sum().backward()
        assert seen[:3] == ["forward pre", "forward", "backward pre"]
        assert seen.index("tensor") < seen.index("accumulated") and set(seen[3:]) == {
            "tensor",
            "accumulated",
            "backward",
        }

    def test_a_full_backward_hook_does_not_wait_for_the_weight(self):
        for requires_grad, there in ((True, True), (False, False)):
            layer, seen = nn.Linear(2, 2), []
            layer.register_full_backward_hook(lambda m, *_, seen=seen: seen.append(m.weight.grad is not None))
            loss = layer(torch.ones(1, 2, requires_grad=requires_grad)).sum()
            if requires_grad:
                loss.backward()
            else:
                with pytest.warns(UserWarning, match="no inputs require gradients"):
                    loss.backward()
            assert seen == [there]

    def test_forward_by_name_and_functional_calls_go_past_module_hooks(self):
        layer, seen = nn.Linear(2, 2), []
        layer.register_forward_hook(lambda *_: seen.append(1))
        layer.register_full_backward_hook(lambda *_: seen.append(2))
        x = torch.ones(1, 2, requires_grad=True)
        layer.forward(x).sum().backward()
        F.linear(x, layer.weight).sum().backward()
        assert seen == []
        with torch.no_grad():
            layer(x)
        assert seen == [1]

    @pytest.mark.parametrize("inplace", [False, True])
    def test_the_recorder_agrees_with_retain_grad_and_leaves_no_hook(self, inplace: bool):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(inplace), nn.Dropout(0.0), nn.Linear(5, 1))
        x = torch.randn(7, 3)
        with recorder.recorded(model) as found:
            model(x).square().sum().backward()
        h = x
        for name, module in model.named_children():
            h = module.forward(h) if not isinstance(module, nn.ReLU) else F.relu(h)
            h.retain_grad()
            found[name]["kept"] = h
        h.square().sum().backward()
        for values in found.values():
            assert values["rms"] == pytest.approx(values["kept"].square().mean().sqrt().item(), rel=1e-5)
            assert values["gradient"] == pytest.approx(values["kept"].grad.norm().item(), rel=1e-5)
        assert len(found) == 4 and not any(m._forward_hooks for m in model.modules())

    def test_the_recorder_skips_what_is_no_float_tensor_and_cleans_up_after_an_error(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn, self.head = nn.GRU(2, 3), nn.Linear(3, 1)

            def forward(self, x):
                return self.head(self.rnn(x)[0])

        model = Model()
        with torch.no_grad(), recorder.recorded(model) as found:
            model(torch.ones(4, 1, 2))
        assert list(found) == ["head"] and list(found["head"]) == ["rms"]
        with pytest.raises(ZeroDivisionError), recorder.recorded(model):
            raise ZeroDivisionError
        assert not any(m._forward_hooks for m in model.modules())

    @pytest.mark.parametrize("kind", ["hook", "pre_hook"])
    @pytest.mark.parametrize("write", [nn.ReLU(inplace=True), lambda h: h.add_(1)])
    def test_a_write_after_a_full_backward_hook_raises(self, kind: str, write: Callable):
        layer = nn.Linear(2, 2)
        getattr(layer, f"register_full_backward_{kind}")(lambda *_: None)
        with pytest.raises(RuntimeError, match=r"BackwardHookFunction(Backward)? is a view and is being modified"):
            write(layer(torch.ones(1, 2)))

    def test_a_tensor_hook_clamps_each_call_and_not_the_sum(self):
        for calls in (1, 2, 5):
            assert clip_hooks.gradient("tensor hook", calls) == calls
            assert clip_hooks.gradient("accumulated", calls) == clip_hooks.gradient("before step", calls) == 1
        assert clip_hooks.gradient("tensor hook", 1, uses=4) == 1
        assert clip_hooks.gradient("tensor hook", 2, uses=4) == 2

    def test_a_clamp_after_each_call_is_not_one_before_the_step(self):
        ends = {}
        for accumulated in (True, False):
            w = torch.ones(1, requires_grad=True)
            if accumulated:

                def clamp(p: torch.Tensor) -> None:
                    p.grad.clamp_(-1, 1)

                w.register_post_accumulate_grad_hook(clamp)
            for slope in (3.0, 3.0, -2.0):
                (slope * w).sum().backward()
            nn.utils.clip_grad_value_([w], 1.0)
            ends[accumulated] = w.grad.item()
        assert ends == {True: -1, False: 1}

    def test_keeping_outputs_keeps_graphs(self):
        class Marker:
            pass

        for keep, alive in ((lambda y: y, 4), (lambda y: y.detach(), 0)):
            model, kept, markers = nn.Sequential(nn.Linear(2, 2), nn.Tanh()), [], []
            model[1].register_forward_hook(lambda m, a, y, keep=keep, kept=kept: kept.append(keep(y)))
            for _ in range(4):
                y, marker = model(torch.ones(1, 2)), Marker()
                y.grad_fn.metadata["marker"] = marker
                markers.append(weakref.ref(marker))
                y.sum().backward()
                del y, marker
            assert sum(ref() is not None for ref in markers) == alive

    def test_a_dictionary_as_output_warns_and_the_backward_hook_does_not_run(self):
        class Model(nn.Module):
            def forward(self, x):
                return {"y": 2 * x}

        model, seen = Model(), []
        model.register_full_backward_hook(lambda *_: seen.append(1))
        with pytest.warns(UserWarning, match="module output should be a Tensor or a tuple of Tensors"):
            model(torch.ones(1, requires_grad=True))["y"].backward()
        assert seen == []

    def test_the_old_backward_hook_sees_the_last_node(self):
        x, seen = torch.ones(1, 2, requires_grad=True), {}
        for register in ("register_backward_hook", "register_full_backward_hook"):
            model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 4))
            getattr(model, register)(
                lambda _, inputs, __, register=register: seen.update({register: [tuple(g.shape) for g in inputs]})
            )
            if register == "register_backward_hook":
                with pytest.warns(FutureWarning, match="is deprecated"):
                    model(x).sum().backward()
            else:
                model(x).sum().backward()
        assert seen == {"register_backward_hook": [(4,), (1, 3), (3, 4)], "register_full_backward_hook": [(1, 2)]}

    def test_a_step_in_the_backward_pass_is_the_usual_step(self):
        torch.manual_seed(0)
        model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(4)))
        usual, x, at_once = copy.deepcopy(model), torch.randn(3, 4), []
        optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}

        def step(parameter: nn.Parameter) -> None:
            at_once.append(sum(p.grad is not None for p in model.parameters()))
            optimizers[parameter].step()
            optimizers[parameter].zero_grad()

        for parameter in model.parameters():
            parameter.register_post_accumulate_grad_hook(step)
        model(x).sum().backward()
        usual(x).sum().backward()
        torch.optim.SGD(usual.parameters(), lr=0.1).step()
        assert all(map(torch.equal, model.parameters(), usual.parameters())) and at_once == [1] * 8

    def test_a_hook_that_is_registered_again_runs_again(self):
        layer, seen = nn.Linear(2, 2), []
        for _ in range(3):
            layer.register_forward_hook(lambda *_: seen.append(1))
            layer(torch.ones(1, 2))
        assert len(seen) == 1 + 2 + 3 and list(layer.state_dict()) == ["weight", "bias"]

    def test_the_recorder_takes_the_last_call_and_half_precision(self):
        layer = nn.Linear(3, 3)
        outputs = []

        def twice(x: torch.Tensor) -> torch.Tensor:
            for _ in range(2):
                x = 5 * layer(x).tanh()
            return x

        handle = layer.register_forward_hook(lambda m, a, y: y.retain_grad() or outputs.append(y))
        with recorder.recorded(layer) as found:
            twice(torch.ones(2, 3)).square().sum().backward()
        handle.remove()
        first, last = (y.grad.norm().item() for y in outputs)
        assert found[""]["gradient"] == pytest.approx(last, rel=1e-5) and abs(first - last) > 1e-3
        identity = nn.Identity()
        with recorder.recorded(identity) as found:
            identity(torch.full((2,), 1000.0).half())
        assert found[""]["rms"] == pytest.approx(1000)

    def test_forward_by_name_still_runs_the_hooks_of_children(self):
        model, seen = nn.Sequential(nn.Linear(2, 2), nn.ReLU()), []
        for name, module in model.named_modules():
            module.register_forward_hook(lambda *_, name=name: seen.append(name))
        model.forward(torch.ones(1, 2))
        assert seen == ["0", "1"]

    @pytest.mark.parametrize("inplace", [False, True])
    def test_a_tensor_hook_on_a_view_does_not_run_if_the_view_is_overwritten(self, inplace: bool):
        for first, shape in (
            (nn.Linear(3, 4), (2, 5, 3)),
            (nn.Unflatten(1, (3, 1)), (2, 3)),
            (nn.Linear(3, 4), (2, 3)),
        ):
            model, x = nn.Sequential(first, nn.ReLU(inplace)), torch.randn(shape).requires_grad_() * 1
            with recorder.recorded(model) as found:
                model(x).sum().backward()
            is_view = first(x)._is_view()
            assert is_view == (isinstance(first, nn.Unflatten) or len(shape) == 3)
            assert ("gradient" in found["0"]) == (not (is_view and inplace)) and "gradient" in found["1"]

    @pytest.mark.parametrize("reentrant", [False, True])
    def test_the_recorder_sees_gradients_under_a_reentrant_checkpoint_only(self, reentrant: bool):
        model, x = nn.Sequential(nn.Linear(3, 4), nn.GELU()), torch.ones(2, 3, requires_grad=True)
        with recorder.recorded(model) as found:
            checkpoint(model, x, use_reentrant=reentrant).sum().backward()
        assert ("gradient" in found["0"]) == reentrant

    def test_a_hook_that_returns_zeros_leaves_the_path_past_the_module(self):
        for past in (0, 1):
            layer, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
            layer.register_full_backward_hook(lambda module, inputs, outputs: (0 * inputs[0],))
            (past * x + layer(x)).sum().backward()
            assert x.grad.tolist() == [[past, past]]

    def test_a_deep_copy_has_the_hooks_of_modules_and_not_those_of_parameters(self):
        layer, seen = nn.Linear(2, 2), []
        layer.register_full_backward_hook(lambda *_: seen.append("module"))
        layer.weight.register_hook(lambda _: seen.append("tensor"))
        layer.weight.register_post_accumulate_grad_hook(lambda _: seen.append("accumulated"))
        for model, expected in ((layer, ["accumulated", "module", "tensor"]), (copy.deepcopy(layer), ["module"])):
            seen.clear()
            model(torch.ones(1, 2, requires_grad=True)).sum().backward()
            assert sorted(seen) == expected

    @pytest.mark.parametrize("kind", ["hook", "pre_hook"])
    def test_full_backward_hooks_return_a_tuple(self, kind: str):
        for wrap in (True, False):
            layer, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)

            def double(module: nn.Module, grads: tuple, *_: tuple, wrap: bool = wrap) -> object:
                return (2 * grads[0],) if wrap else 2 * grads[0]

            getattr(layer, f"register_full_backward_{kind}")(double)
            loss = layer(x).sum()
            if wrap:
                loss.backward()
                assert torch.allclose(x.grad, 2 * layer.weight.sum(0, keepdim=True))
            else:
                with pytest.raises(RuntimeError, match="changed the size of value"):
                    loss.backward()

    def test_keyword_arguments_are_seen_with_kwargs_only(self):
        layer, seen = nn.Linear(2, 2), []
        layer.register_forward_pre_hook(lambda m, args: seen.append(args))
        layer.register_forward_hook(lambda m, args, kwargs, y: seen.append(list(kwargs)), with_kwargs=True)
        layer.register_full_backward_hook(lambda m, inputs, outputs: seen.append(inputs))
        y = layer(input=torch.ones(1, 2, requires_grad=True)).sum()
        with pytest.warns(UserWarning, match="no inputs require gradients"):
            y.backward()
        assert seen == [(), ["input"], ()]

    def test_a_post_accumulate_hook_must_return_none(self):
        w = torch.ones(1, requires_grad=True)
        w.register_post_accumulate_grad_hook(lambda p: p.grad)
        with pytest.raises(RuntimeError, match="should return None"):
            (2 * w).backward()
