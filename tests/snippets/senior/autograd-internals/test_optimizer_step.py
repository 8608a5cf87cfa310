"""What docs/senior/autograd-internals/optimizer-step.md claims, proven beyond the example shown."""

import weakref

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

in_backward = load_snippet("senior/autograd-internals/optimizer_step_in_backward.py")

MOVES_BY_DECAY = [
    lambda ps: torch.optim.SGD(ps, lr=0.1, weight_decay=0.5),
    lambda ps: torch.optim.Adam(ps, lr=0.1, weight_decay=0.5),
    lambda ps: torch.optim.AdamW(ps, lr=0.1),
]
NAMES = ["SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "NAdam", "RAdam", "Adadelta", "Adamax", "Rprop", "Adafactor"]


def mlp(seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.LayerNorm(6), nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 3))


class TestOptimizerStep:
    @pytest.mark.parametrize("name", NAMES)
    def test_step_skips_none_writes_in_place_and_leaves_grad(self, name: str):
        used, unused = nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.ones(2, 2))
        optimizer = getattr(torch.optim, name)([used, unused], lr=0.1)
        (3 * used).sum().backward()
        pointer, version = used.data_ptr(), used._version
        optimizer.step()
        assert torch.equal(unused, torch.ones(2, 2)) and unused._version == 0
        assert used.data_ptr() == pointer and used._version > version
        assert used.is_leaf and used.grad_fn is None and not torch.equal(used, torch.ones(2, 2))
        assert used.grad.tolist() == [[3, 3], [3, 3]]
        (3 * used).sum().backward()
        assert used.grad.tolist() == [[6, 6], [6, 6]]

    @pytest.mark.parametrize("make", MOVES_BY_DECAY)
    def test_with_weight_decay_a_zero_gradient_moves_the_weight_and_none_does_not(self, make):
        zero, none = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
        optimizer = make([zero, none])
        (0 * zero).sum().backward()
        optimizer.step()
        assert (zero < 1).all() and torch.equal(none, torch.ones(3)) and none not in optimizer.state

    @pytest.mark.parametrize(
        "make", [lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.9), lambda ps: torch.optim.Adam(ps, lr=0.1)]
    )
    def test_momentum_moves_a_zero_gradient_in_a_later_step_and_none_rests(self, make):
        for to_none in (True, False):
            p = nn.Parameter(torch.ones(1))
            optimizer = make([p])
            (3 * p).sum().backward()
            optimizer.step()
            after = p.item()
            optimizer.zero_grad(set_to_none=to_none)
            optimizer.step()
            assert (p.item() == after) is to_none

    @pytest.mark.parametrize("make", [lambda ps: torch.optim.SGD(ps, lr=0.1), lambda ps: torch.optim.Adam(ps, lr=0.1)])
    def test_without_decay_a_zero_gradient_moves_nothing_in_the_first_step(self, make):
        p = nn.Parameter(torch.ones(3))
        optimizer = make([p])
        p.grad = torch.zeros(3)
        optimizer.step()
        assert torch.equal(p, torch.ones(3))

    @pytest.mark.parametrize("name", ["SGD", "AdamW"])
    def test_set_to_none_makes_no_difference_for_parameters_with_a_gradient_in_every_step(self, name: str):
        results = []
        for to_none in (True, False):
            model = mlp()
            optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1, weight_decay=0.1)
            for _ in range(3):
                optimizer.zero_grad(set_to_none=to_none)
                model(torch.ones(2, 4)).square().sum().backward()
                optimizer.step()
            results.append(torch.nn.utils.parameters_to_vector(model.parameters()))
        assert torch.allclose(*results)

    @pytest.mark.parametrize("replace", ["module", "parameter", "assign"])
    @pytest.mark.parametrize("name", ["SGD", "AdamW"])
    def test_a_parameter_that_was_replaced_gets_gradients_and_is_never_stepped(self, replace: str, name: str):
        model = mlp()
        optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1)
        if replace == "module":
            model[5] = nn.Linear(6, 3)
        elif replace == "parameter":
            model[5].weight = nn.Parameter(torch.randn(3, 6))
        else:
            model.load_state_dict({k: v.clone() for k, v in model.state_dict().items()}, assign=True)
        new, before = model[5].weight, model[5].weight.detach().clone()
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.randn(2, 4)).square().sum().backward()
            optimizer.step()
        assert new.grad is not None and torch.equal(new, before)
        assert not any(p is new for group in optimizer.param_groups for p in group["params"])
        optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1)  # built last
        model(torch.randn(2, 4)).square().sum().backward()
        optimizer.step()
        assert not torch.equal(new, before)

    def test_the_loss_falls_although_the_new_head_does_not_train(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 9))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        model[1], losses = nn.Linear(4, 2), []
        for _ in range(50):
            optimizer.zero_grad()
            loss = model(torch.ones(8, 4)).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert losses[-1] < losses[0] / 2

    @pytest.mark.parametrize("name", ["SGD", "AdamW", "Adagrad"])
    @pytest.mark.parametrize("options", [{}, {"foreach": True}])
    def test_a_step_invalidates_the_old_graph(self, name: str, options: dict):
        model = mlp()
        optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1, **options)
        loss = model(torch.ones(2, 4)).sum()
        loss.backward(retain_graph=True)
        optimizer.step()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()

    @pytest.mark.parametrize(
        "make",
        [
            lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.9, weight_decay=0.01),
            lambda ps: torch.optim.AdamW(ps, lr=0.01),
            lambda ps: torch.optim.AdamW(ps, lr=0.01, fused=True),
        ],
    )
    @pytest.mark.parametrize("tied", [False, True])
    def test_a_step_in_backward_is_the_same_training_and_leaves_no_gradient(self, make, tied: bool):
        def build() -> nn.Module:
            model = mlp()
            if tied:
                model[3].weight = nn.Parameter(torch.eye(6))
                model[5] = nn.Linear(6, 6)
                model[5].weight = model[3].weight
            model[0].bias.requires_grad_(False)
            return model

        results = []
        for inside in (False, True):
            model = build()
            parameters = [p for p in model.parameters() if p.requires_grad]
            optimizer = None if inside else make(parameters)
            if inside:
                in_backward.step_in_backward(model.parameters(), make)
            torch.manual_seed(1)
            for _ in range(4):
                F.cross_entropy(model(torch.randn(5, 4)), torch.tensor([0, 1, 2, 0, 1])).backward()
                if optimizer:
                    optimizer.step()
                    optimizer.zero_grad()
            assert all(p.grad is None for p in model.parameters())
            results.append([p.detach().clone() for p in model.parameters()])
        assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(*results, strict=True))
        assert torch.equal(results[1][1], build()[0].bias)

    def test_at_most_one_gradient_is_alive_if_the_step_is_in_backward(self):
        assert in_backward.gradient_mib(False) == list(range(1, 9))
        assert in_backward.gradient_mib(True) == [1] * 8

    @pytest.mark.parametrize("tied", [False, True])
    def test_the_gradient_of_a_tied_head_waits_for_the_embedding(self, tied: bool):
        embedding, middle, head = nn.Embedding(50, 8), nn.Linear(8, 8), nn.Linear(8, 50, bias=False)
        if tied:
            head.weight = embedding.weight
        waiting: list[weakref.ref] = []
        alive: list[int] = []

        class Watch(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                result = function(*args, **(kwargs or {}))
                if isinstance(result, torch.Tensor) and result.numel() == 400 and result.data_ptr() not in weights:
                    waiting.append(weakref.ref(result.untyped_storage()))
                return result

        weights = {embedding.weight.data_ptr(), head.weight.data_ptr()}

        parameters = [*embedding.parameters(), *middle.parameters()] + ([] if tied else [*head.parameters()])
        in_backward.step_in_backward(parameters, lambda ps: torch.optim.SGD(ps, lr=0.1))
        loss = F.cross_entropy(head(middle(embedding(torch.arange(4)))), torch.arange(4))
        middle.weight.register_post_accumulate_grad_hook(
            lambda _: alive.append(len({ref().data_ptr() for ref in waiting if ref() is not None}))
        )
        with Watch():
            loss.backward()
        assert alive == [1 if tied else 0]

    @pytest.mark.parametrize("reentrant", [False, True])
    @pytest.mark.parametrize("start", [2.0, 1.0])
    def test_a_step_in_backward_is_wrong_if_reentrant_checkpoints_share_the_weight(self, reentrant: bool, start: float):
        found = []
        for inside in (False, True):
            w, h = nn.Parameter(torch.tensor([start])), torch.ones(1, requires_grad=True)
            optimizer = torch.optim.SGD([w], lr=0.1)
            if inside:
                in_backward.step_in_backward([w], lambda ps: torch.optim.SGD(ps, lr=0.1))
            for _ in range(2):
                h = checkpoint(lambda t, w=w: (t * w).sin(), h, use_reentrant=reentrant)
            h.backward()
            if not inside:
                optimizer.step()
            found.append(w.detach())
        assert torch.allclose(*found, rtol=1e-6) is not reentrant

    @pytest.mark.parametrize("gamma", [0.5, 0.1])
    def test_optimizers_collected_in_make_optimizer_can_have_a_schedule_and_be_saved(self, gamma: float):
        model, optimizers = mlp(), []

        def make(parameters: list[nn.Parameter]) -> torch.optim.Optimizer:
            optimizers.append(torch.optim.AdamW(parameters, lr=1.0))
            return optimizers[-1]

        in_backward.step_in_backward(model.parameters(), make)
        schedulers = [torch.optim.lr_scheduler.ExponentialLR(o, gamma) for o in optimizers]
        model(torch.ones(2, 4)).square().sum().backward()
        for scheduler in schedulers:
            scheduler.step()
        assert len(optimizers) == len(list(model.parameters()))
        assert all(o.param_groups[0]["lr"] == gamma and o.state_dict()["state"] for o in optimizers)

    @pytest.mark.parametrize("fused", [False, True])
    @pytest.mark.parametrize("start", [2.0, 5.0])
    def test_with_a_step_in_backward_a_node_that_uses_a_detached_weight_can_meet_the_new_one(self, fused, start):
        h, w = torch.ones(1, requires_grad=True), nn.Parameter(torch.tensor([start]))
        in_backward.step_in_backward([w], lambda ps: torch.optim.SGD(ps, lr=0.5, fused=fused))
        product = h * w.detach()
        loss = (product + 2 * w).sum()
        if fused:
            loss.backward()
            assert w.item() == start - 1 and h.grad.item() == start - 1  # and not start
        else:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                loss.backward()

    def test_remove_ends_the_steps(self):
        model = mlp()
        handles = in_backward.step_in_backward(model.parameters(), lambda ps: torch.optim.SGD(ps, lr=0.1))
        assert len(handles) == len(list(model.parameters()))
        for handle in handles:
            handle.remove()
        before = [p.detach().clone() for p in model.parameters()]
        model(torch.ones(2, 4)).sum().backward()
        assert all(map(torch.equal, before, model.parameters()))
        assert all(p.grad is not None for p in model.parameters())

    def test_with_a_step_in_backward_clipping_and_accumulation_find_nothing(self):
        model = mlp()
        in_backward.step_in_backward(model.parameters(), lambda ps: torch.optim.SGD(ps, lr=0.1))
        for _ in range(2):
            model(torch.ones(2, 4)).square().sum().backward()
            assert nn.utils.clip_grad_norm_(model.parameters(), 1.0) == 0

    @pytest.mark.parametrize("layers", [2, 6])
    def test_fused_dispatches_four_operations_whatever_the_number_of_tensors(self, layers: int):
        class Count(TorchDispatchMode):
            def __init__(self):
                super().__init__()
                self.count = 0

            def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                self.count += 1
                return function(*args, **(kwargs or {}))

        counts = []
        for options in ({"foreach": False}, {"foreach": True}, {"fused": True}):
            parameters = [nn.Parameter(torch.ones(2)) for _ in range(2 * layers)]
            optimizer = torch.optim.AdamW(parameters, **options)
            for p in parameters:
                p.grad = torch.ones(2)
            optimizer.step()
            with Count() as seen:
                optimizer.step()
            counts.append(seen.count)
        assert counts == [20 * layers + 2, 4 * layers + 12, 4]

    @pytest.mark.parametrize("name", ["SGD", "AdamW"])
    def test_loop_foreach_and_fused_agree_up_to_rounding(self, name: str):
        results = []
        for options in ({"foreach": False}, {"foreach": True}, {"fused": True}):
            model = mlp()
            optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.01, **options)
            for _ in range(3):
                optimizer.zero_grad()
                model(torch.ones(2, 4)).square().sum().backward()
                optimizer.step()
            results.append(nn.utils.parameters_to_vector(model.parameters()))
        assert torch.allclose(results[0], results[1], atol=1e-5)
        assert torch.allclose(results[0], results[2], atol=1e-5)

    @pytest.mark.parametrize("name", ["SGD", "AdamW"])
    def test_a_parameter_frozen_after_backward_moves_until_its_gradient_is_cleared(self, name: str):
        for cleared in (False, True):
            p = nn.Parameter(torch.ones(2))
            optimizer = getattr(torch.optim, name)([p], lr=0.1)
            (3 * p).sum().backward()
            p.requires_grad_(False)
            if cleared:
                optimizer.zero_grad()
            optimizer.step()
            assert torch.equal(p, torch.ones(2)) is cleared

    @pytest.mark.parametrize("convert", [nn.Module.double, nn.Module.bfloat16, lambda m: m.to("cpu", torch.float16)])
    def test_to_keeps_the_parameter_objects_and_meta_does_not(self, convert):
        model = mlp()
        before = list(model.parameters())
        convert(model)
        assert all(a is b for a, b in zip(before, model.parameters(), strict=True))
        model.to("meta")
        assert not any(a is b for a, b in zip(before, model.parameters(), strict=True))

    @pytest.mark.parametrize("first, then", [("double", "float"), ("float", "double")])
    def test_the_state_does_not_follow_a_change_of_dtype(self, first: str, then: str):
        model = getattr(nn.Linear(2, 1), first)()
        optimizer = torch.optim.AdamW(model.parameters())
        for dtype in (first, then):
            getattr(model, dtype)()
            optimizer.zero_grad()
            model(torch.ones(1, 2, dtype=model.weight.dtype)).sum().backward()
            if dtype == first:
                optimizer.step()
        with pytest.raises(RuntimeError, match="expected dtype"):
            optimizer.step()

    def test_lbfgs_needs_a_closure_and_calls_it_several_times(self):
        for start in (1.0, 3.0):
            p, calls = nn.Parameter(torch.tensor([start])), []
            optimizer = torch.optim.LBFGS([p])
            with pytest.raises(TypeError, match="closure"):
                optimizer.step()

            def closure(p=p, optimizer=optimizer, calls=calls) -> torch.Tensor:
                calls.append(1)
                optimizer.zero_grad()
                loss = p.pow(4).sum()
                loss.backward()
                return loss

            optimizer.step(closure)
            assert len(calls) > 1
