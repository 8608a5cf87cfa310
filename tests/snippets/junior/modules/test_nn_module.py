"""What docs/junior/modules/nn-module.md claims, proven beyond the example shown."""

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

nn_module = load_snippet("junior/modules/nn_module.py")
nn_module_head = load_snippet("junior/modules/nn_module_head.py")
nn_module_hook = load_snippet("junior/modules/nn_module_hook.py")
nn_module_init_broken = load_snippet("junior/modules/nn_module_init_broken.py")


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 8, bias=False)
        self.dropout = nn.Dropout(0.5)
        self.temperature = nn.Parameter(torch.ones(()))
        self.head = nn.Linear(8, 2, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.dropout(self.body(x).relu())) / self.temperature


class TestNnModule:
    @pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
    def test_a_plain_tensor_is_in_no_list_and_is_not_converted(self, dtype):
        model = nn_module.Classifier().to(dtype)
        assert list(model.state_dict()) == ["temperature", "body.weight", "body.bias"]
        assert list(dict(model.named_parameters())) == list(model.state_dict()) and not list(model.buffers())
        assert (model.body.weight.dtype, model.center.dtype) == (dtype, torch.float32)
        del model.center
        model.center = nn.Buffer(torch.zeros(4, dtype=dtype))
        assert "center" in model.state_dict() and model.double().center.dtype == torch.float64

    def test_the_first_classifier_centers_and_divides_by_its_temperature(self):
        model, x = nn_module.Classifier(), torch.randn(3, 4)
        model.center, model.temperature.data = torch.ones(4), torch.tensor(2.0)
        torch.testing.assert_close(model(x), F.linear(x - 1, *model.body.parameters()) / 2)

    def test_a_forward_hook_keeps_the_hidden_layer_until_it_is_removed(self):
        x = torch.randn(5, 4)
        handle = nn_module_hook.model[1].register_forward_hook(nn_module_hook.keep)
        nn_module_hook.model(x)
        kept = nn_module_hook.features["hidden"]
        assert torch.equal(kept, nn_module_hook.model[:2](x)) and not kept.requires_grad
        handle.remove()
        nn_module_hook.model(x + 1)
        assert nn_module_hook.features["hidden"].shape == (5, 8)
        assert torch.equal(nn_module_hook.features["hidden"], nn_module_hook.model[:2](x))

    @pytest.mark.parametrize(("words", "width"), [(10, 4), (7, 3)])
    def test_tied_weights_are_one_parameter_with_two_keys(self, words, width):
        model = nn.Module()
        model.embedding, model.head = nn.Embedding(words, width), nn.Linear(width, words, bias=False)
        model.head.weight = model.embedding.weight
        assert len(list(model.parameters())) == 1
        assert list(model.state_dict()) == ["embedding.weight", "head.weight"]
        index = torch.randint(words, (6,))
        F.cross_entropy(model.head(model.embedding(index)), index).backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
        assert torch.equal(model.head.weight, model.embedding.weight)

    @pytest.mark.parametrize("assign", [True, False])
    def test_loading_by_assignment_breaks_a_tie_of_weights(self, assign):
        models = [nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)) for _ in range(2)]
        for model in models:
            model[1].weight = model[0].weight
        first, second = models
        second.load_state_dict(first.state_dict(), assign=assign)
        assert (second[1].weight is second[0].weight) is not assign
        assert first.double()[1].weight is first[0].weight

    def test_assignment_registers_at_any_time_and_from_outside(self):
        model = Classifier()
        model.extra, model.scale, model.note = nn.Linear(3, 3), nn.Parameter(torch.ones(2)), "text"
        names = [name for name, _ in model.named_parameters()]
        assert names == ["temperature", "scale", "body.weight", "head.weight", "extra.weight", "extra.bias"]
        assert list(model.state_dict()) == names
        assert [name for name, _ in model.named_modules()] == ["", "body", "dropout", "head", "extra"]

    def test_super_init_creates_empty_registries_and_train_mode(self):
        module = nn.Module()
        assert (module._parameters, module._buffers, module._modules, module.training) == ({}, {}, {}, True)
        assert len(module._forward_hooks) == len(module._backward_hooks) == len(module._state_dict_hooks) == 0
        module.layer = nn.Linear(1, 1)
        assert "layer" in module._modules and "layer" not in vars(module)

    def test_to_and_eval_reach_every_registered_module(self):
        model = Classifier().double().eval()
        assert {parameter.dtype for parameter in model.parameters()} == {torch.float64}
        assert not any(module.training for module in model.modules())

    @pytest.mark.parametrize("call", [lambda m: m.double(), lambda m: m.to(torch.float64), lambda m: m.to("meta")])
    def test_a_later_layer_keeps_its_own_dtype_device_and_mode(self, call):
        model = call(Classifier()).eval()
        model.dropout = nn.Sequential(nn.Linear(8, 8), nn.Dropout())
        weight = model.dropout[0].weight
        assert (weight.dtype, weight.device.type) == (torch.float32, "cpu")
        assert not model.training and all(module.training for module in model.dropout.modules())

    @pytest.mark.parametrize("new_optimizer", [False, True])
    def test_the_optimizer_keeps_the_parameters_it_was_given(self, new_optimizer):
        model = Classifier().eval()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model.head = nn.Linear(8, 2, bias=False)
        if new_optimizer:
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        head, body = model.head.weight.detach().clone(), model.body.weight.detach().clone()
        F.cross_entropy(model(torch.randn(32, 4)), torch.randint(2, (32,))).backward()
        optimizer.step()
        assert not torch.equal(body, model.body.weight)
        assert torch.equal(head, model.head.weight) is not new_optimizer
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        assert ({id(p) for p in model.parameters()} == held) is new_optimizer

    def test_a_module_without_init_is_complete(self):
        model, x = nn_module_init_broken.NoInit(), torch.randn(2, 3)
        assert torch.equal(model(x), 3 * x)
        assert list(model.parameters()) == [] and model.eval().training is False

    def test_a_module_without_forward_fails_only_when_called(self):
        model = nn_module_init_broken.NoForward()
        assert len(list(model.parameters())) == 2
        with pytest.raises(NotImplementedError, match='missing the required "forward"'):
            model(torch.ones(1, 2))

    @pytest.mark.parametrize("value", [nn.Linear(1, 1), nn.Parameter(torch.ones(1)), nn.ReLU()])
    def test_without_super_init_the_first_registered_value_raises(self, value):
        with pytest.raises(AttributeError, match="before Module.__init__"):
            nn_module_init_broken.NoSuper()
        model = nn_module_init_broken.NoSuperNoLayer()
        with pytest.raises(AttributeError, match="before Module.__init__"):
            model.value = value

    def test_without_super_init_and_layers_the_error_comes_late(self):
        model = nn_module_init_broken.NoSuperNoLayer()
        assert model.factor == 3 and model.forward(2) == 6
        for late in (lambda: model(2), model.eval, model.state_dict, lambda: list(model.parameters())):
            with pytest.raises(AttributeError, match="object has no attribute '_"):
                late()

    def test_forward_skips_the_hooks_of_the_outermost_module_only(self):
        model, seen = Classifier().eval(), []
        for name, module in model.named_modules():
            module.register_forward_pre_hook(lambda module, args, name=name: seen.append(name))
        x = torch.randn(2, 4)
        called, called_names = model(x), seen.copy()
        seen.clear()
        assert torch.equal(model.forward(x), called)
        assert called_names == ["", "body", "dropout", "head"] and seen == called_names[1:]

    @pytest.mark.parametrize("width", [4, 8])
    def test_a_child_whose_weights_go_to_a_function_runs_no_hook(self, width):
        model, seen = nn.MultiheadAttention(width, 2), []
        for name, module in model.named_modules():
            module.register_forward_hook(lambda module, args, output, name=name: seen.append(name))
        x = torch.randn(3, width)
        model(x, x, x)
        model.forward(x, x, x)
        assert seen == [""] and isinstance(model.out_proj, nn.Linear)

    @pytest.mark.parametrize("between", [nn.Flatten(), nn.Identity(), nn.Dropout(0.5), None])
    def test_an_in_place_layer_further_back_overwrites_the_kept_tensor_if_memory_is_shared(self, between):
        kept = []
        layers = [nn.Linear(6, 6), between or nn.LayerNorm(6), nn.ReLU(inplace=True)]
        layers[0].register_forward_hook(lambda module, args, output: kept.append(output.detach()))
        nn.Sequential(*layers).eval()(torch.randn(8, 6))
        assert (kept[0].min() < 0) == (between is None)

    def test_to_empty_breaks_a_tie_of_a_meta_model_and_conversions_keep_it(self):
        def tied():
            model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5, bias=False))
            model[1].weight = model[0].weight
            return model

        with torch.device("meta"):
            model = tied()
        assert model[0].weight is model[1].weight
        model.to_empty(device="cpu")
        assert model[0].weight is not model[1].weight
        for model in (tied().half(), tied().to("cpu"), copy.deepcopy(tied())):
            assert model[0].weight is model[1].weight

    def test_a_head_of_another_structure_raises_with_strict_loading_only(self):
        pretrained, model = Classifier().state_dict(), Classifier()
        model.head = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 5))
        with pytest.raises(RuntimeError, match="Missing key"):
            model.load_state_dict(pretrained)
        assert model.load_state_dict(pretrained, strict=False).unexpected_keys == ["head.weight"]
        assert torch.equal(model.body.weight, pretrained["body.weight"])

    def test_identity_takes_the_head_off(self):
        saved, model, x = (
            Classifier().state_dict(),
            Classifier().eval(),
            torch.randn(2, 4),
        )
        model.head = nn.Identity()
        assert list(model.state_dict()) == ["temperature", "body.weight"] and len(list(model.parameters())) == 2
        assert torch.equal(model(x), model.body(x).relu() / model.temperature)
        with pytest.raises(RuntimeError, match="Unexpected key"):
            model.load_state_dict(saved)

    @pytest.mark.parametrize("strict", [True, False])
    @pytest.mark.parametrize("classes", [2, 3])
    def test_pretrained_weights_are_loaded_before_the_head_is_replaced(self, strict, classes):
        pretrained = Classifier().state_dict()
        model = Classifier()
        model.load_state_dict(pretrained, strict=strict)
        model.head = head = nn.Linear(8, classes, bias=False)
        assert torch.equal(model.body.weight, pretrained["body.weight"])
        fresh = head.weight.detach().clone()
        if classes == 2:
            model.load_state_dict(pretrained, strict=strict)
            assert torch.equal(head.weight, pretrained["head.weight"]) and not torch.equal(head.weight, fresh)
        else:
            with pytest.raises(RuntimeError, match="size mismatch"):
                model.load_state_dict(pretrained, strict=strict)
            assert torch.equal(head.weight, fresh)

    @pytest.mark.parametrize("inplace", [True, False])
    def test_an_in_place_layer_overwrites_what_a_hook_kept_without_a_copy(self, inplace):
        model, kept = nn.Sequential(nn.Linear(4, 64), nn.ReLU(inplace=inplace)), {}
        model[0].register_forward_hook(lambda m, a, y: kept.update(view=y.detach(), copy=y.detach().clone()))
        model(torch.randn(3, 4))
        assert bool((kept["view"] < 0).any()) is not inplace
        assert (kept["copy"] < 0).any()

    def test_a_plain_tensor_under_the_name_of_a_buffer_stays_registered(self):
        model = nn.Module()
        model.register_buffer("center", torch.zeros(2))
        model.center = torch.ones(2)
        model.other = torch.ones(2)
        assert list(model.state_dict()) == ["center"]

    def test_a_layer_under_two_names_is_one_parameter_with_two_keys(self):
        model = nn.Module()
        model.first = model.second = nn.Linear(2, 2, bias=False)
        assert len(list(model.parameters())) == 1
        assert list(model.state_dict()) == ["first.weight", "second.weight"]

    def test_a_head_replaced_after_the_optimizer_gets_a_gradient_and_does_not_move(self):
        model, before = nn_module_head.model, nn_module_head.before
        assert model.head.weight.grad.abs().sum() > 0 and model.head.weight.shape == (3, 8)
        moved = {name: not torch.equal(p, before[name]) for name, p in model.named_parameters()}
        assert moved == {"body.weight": True, "head.weight": False}

    @pytest.mark.parametrize("cause", ["frozen", "no_grad", "replaced"])
    def test_a_parameter_that_did_not_move_has_one_of_three_causes(self, cause):
        body, head = nn.Linear(3, 3), nn.Linear(3, 1)
        if cause == "frozen":
            body.requires_grad_(False)
        optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
        if cause == "replaced":
            body = nn.Linear(3, 3)
        before = [p.detach().clone() for p in (body.weight, head.weight)]
        with torch.set_grad_enabled(cause != "no_grad"):
            h = body(torch.randn(4, 3))
        head(h).square().mean().backward()
        optimizer.step()
        assert [torch.equal(p, q) for p, q in zip((body.weight, head.weight), before, strict=True)] == [True, False]
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        found = {
            "frozen": not body.weight.requires_grad,
            "no_grad": body.weight.requires_grad and body.weight.grad is None,
            "replaced": id(body.weight) not in held,
        }
        assert [name for name, there in found.items() if there] == [cause]

    @pytest.mark.parametrize("persistent", [True, False])
    def test_a_buffer_moves_is_no_parameter_and_is_saved_if_persistent(self, persistent):
        model = nn.Module()
        model.register_buffer("mean", torch.zeros(2), persistent=persistent)
        model.scale = nn.Buffer(torch.ones(2), persistent=persistent)
        model.to("meta", torch.float64)
        assert {(b.device.type, b.dtype) for b in model.buffers()} == {("meta", torch.float64)}
        assert not list(model.parameters()) and list(model.state_dict()) == ["mean", "scale"] * persistent

    @pytest.mark.parametrize("convert", [nn.Module.double, nn.Module.half, nn.Module.bfloat16])
    def test_a_dtype_converts_only_floating_point_tensors(self, convert):
        norm = nn.BatchNorm1d(3)
        convert(norm)
        assert norm.num_batches_tracked.dtype == torch.int64 and norm.running_mean.dtype == norm.weight.dtype
        assert norm.to("meta").num_batches_tracked.device.type == "meta"

    def test_children_are_direct_and_modules_are_all_of_them_once(self):
        shared = nn.Dropout()
        model = nn.Sequential(nn.Sequential(nn.Linear(2, 2), shared), nn.Sequential(shared))
        assert len(list(model.children())) == 2 and not any(isinstance(m, nn.Dropout) for m in model.children())
        assert [name for name, _ in model.named_modules()] == ["", "0", "0.0", "0.1", "1"]
        assert next(model.modules()) is model and sum(m is shared for m in model.modules()) == 1

    def test_freezing_a_module_changes_a_flag_and_leaves_buffers_to_update(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
        names = list(model.state_dict())
        model.requires_grad_(False)
        assert len(list(model.parameters())) == 4 and list(model.state_dict()) == names
        x, last = torch.randn(8, 3), nn.Linear(3, 1)
        last(model(x)).sum().backward()
        assert all(p.grad is None for p in model.parameters()) and last.weight.grad is not None
        kept = model[1].running_mean.clone()
        assert kept.abs().sum() > 0
        model.eval()(x)
        assert torch.equal(kept, model[1].running_mean)
