"""What docs/senior/autograd-internals/version-counters.md claims, proven beyond the example shown."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.autograd.graph import allow_mutation_on_saved_tensors, increment_version, saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

guard = load_snippet("senior/autograd-internals/version_counters_guard.py")

OPTIMIZERS = [
    lambda ps, **options: torch.optim.SGD(ps, lr=0.5, **options),
    lambda ps, **options: torch.optim.SGD(ps, lr=0.5, momentum=0.9, **options),
    lambda ps, **options: torch.optim.Adam(ps, lr=0.5, **options),
    lambda ps, **options: torch.optim.AdamW(ps, lr=0.5, **options),
    lambda ps, **options: torch.optim.Adagrad(ps, lr=0.5, **options),
]


def under(mode) -> Callable[[torch.Tensor], None]:
    def write(h: torch.Tensor) -> None:
        with mode():
            h.mul_(10)

    return write


COUNTED = {
    "in place": lambda h: h.mul_(10),
    "through a view": lambda h: h.view(-1)[:1].mul_(10),
    "through detach()": lambda h: h.detach().mul_(10),
    "through a view of detach()": lambda h: h.detach()[0].mul_(10),
    "through an index": lambda h: h.__setitem__(0, 30.0),
    "under no_grad": under(torch.no_grad),
    "under inference_mode": under(torch.inference_mode),
    "restored": lambda h: h.add_(1).sub_(1),
    "times one": lambda h: h.mul_(1),
    "as an out argument": lambda h: torch.mul(h.detach(), 10, out=h.detach()),
}
UNCOUNTED = {
    ".data": lambda h: h.data.mul_(10),
    "NumPy": lambda h: h.detach().numpy().__imul__(10),
    "DLPack": lambda h: torch.from_dlpack(h.detach()).mul_(10),
    "a new tensor on the storage": lambda h: torch.tensor([]).set_(h.detach().untyped_storage()).mul_(10),
}


class TestVersionCounters:
    @pytest.mark.parametrize("name", COUNTED)
    @pytest.mark.parametrize("saver", [lambda h: h * h, torch.sin])
    def test_a_counted_write_after_saving_makes_backward_raise(self, name: str, saver):
        h = torch.full((2,), 3.0, requires_grad=True) * 1
        loss, version = saver(h).sum(), h._version
        COUNTED[name](h)
        assert h._version > version
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()

    @pytest.mark.parametrize("name", UNCOUNTED)
    @pytest.mark.parametrize("saver, slope", [(lambda h: h * h, lambda h: 2 * h), (torch.sin, torch.cos)])
    def test_an_uncounted_write_gives_the_gradient_of_the_new_value(self, name: str, saver, slope):
        w = torch.full((2,), 3.0, requires_grad=True)
        h = w * 1
        loss, version = saver(h).sum(), h._version
        UNCOUNTED[name](h)
        assert h._version == version and h.tolist() == [30.0, 30.0]
        loss.backward()
        assert torch.allclose(w.grad, slope(torch.tensor([30.0, 30.0])))

    def test_views_and_detach_share_the_counter_and_data_numpy_and_clone_do_not(self):
        for make, shared in (
            (lambda h: h[:1], True),
            (lambda h: h.view(2, 1), True),
            (lambda h: h.view(2, 1).T, True),
            (torch.Tensor.detach, True),
            (lambda h: h.data, False),
            (lambda h: torch.from_numpy(h.numpy()), False),
            (torch.from_dlpack, False),
            (torch.clone, False),
        ):
            h = torch.ones(2)
            other = make(h)
            before = h._version
            other.add_(1)
            assert (h._version == before + 1) is shared
            assert (h.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()) == (make is not torch.clone)

    @pytest.mark.parametrize("rows", [2, 5])
    def test_a_write_to_another_row_counts_as_well(self, rows: int):
        buffer = torch.ones(rows, 3, requires_grad=True) * 1
        loss = buffer[0].exp().sum() + (buffer[0] * buffer[0]).sum()
        buffer[rows - 1] = 0.0
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()

    @pytest.mark.parametrize("make", OPTIMIZERS)
    @pytest.mark.parametrize("layers", [2, 3])
    def test_a_fused_step_on_a_cpu_is_not_counted_and_the_others_are(self, make, layers: int):
        for options, counted in (({}, True), ({"foreach": True}, True), ({"fused": True}, False)):
            model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(layers)])
            optimizer = make(model.parameters(), **options)
            loss = model(torch.ones(1, 2)).sum()
            loss.backward(retain_graph=True)
            before = [(p._version, p.detach().clone()) for p in model.parameters()]
            first = model[0].weight.grad.clone()
            optimizer.step()
            optimizer.zero_grad()
            for p, (version, old) in zip(model.parameters(), before, strict=True):
                assert (p._version > version) is counted and not torch.equal(p, old)
            if counted:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    loss.backward()
            else:
                loss.backward()
                assert not torch.allclose(model[0].weight.grad, first)

    @pytest.mark.parametrize("w, v", [(2.0, 3.0), (5.0, 0.5)])
    def test_the_second_gradient_mixes_the_new_weight_with_the_old_activation(self, w: float, v: float):
        a, b = torch.tensor(w, requires_grad=True), torch.tensor(v, requires_grad=True)
        optimizer = torch.optim.SGD([a, b], lr=1.0, fused=True)
        loss = b * (a * 1)
        loss.backward(retain_graph=True)
        assert (a.grad.item(), b.grad.item()) == (v, w)
        optimizer.step()
        optimizer.zero_grad()
        loss.backward()
        assert (a.item(), b.item()) == (w - v, v - w)
        assert (a.grad.item(), b.grad.item()) == (v - w, w)  # (new b, old hidden)

    @pytest.mark.parametrize("make", OPTIMIZERS)
    @pytest.mark.parametrize("fused", [False, True])
    def test_the_guard_makes_every_step_count_until_it_is_removed(self, make, fused: bool):
        model, unused = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)), nn.Parameter(torch.ones(2))
        optimizer = make([*model.parameters(), unused], fused=fused)
        handle = guard.count_steps(optimizer)
        for removed in (False, True):
            loss = model(torch.ones(1, 2)).sum()
            loss.backward(retain_graph=True)
            expected = model(torch.ones(1, 2))
            version = model[1].weight._version
            optimizer.step()
            assert not torch.equal(model(torch.ones(1, 2)), expected)  # it has stepped
            if removed and fused:
                assert model[1].weight._version == version
                loss.backward()
            else:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    loss.backward()
            assert unused._version == 0
            handle.remove()

    def test_the_guard_survives_an_optimizer_without_gradients(self):
        optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1, fused=True)
        guard.count_steps(optimizer)
        optimizer.step()

    @pytest.mark.parametrize("function", [torch.sin, torch.square])
    def test_increment_version_and_mark_dirty_count_a_write_that_pytorch_does_not_know(self, function):
        class Marked(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.data.mul_(10)
                ctx.mark_dirty(x)
                return x

            @staticmethod
            def backward(ctx, gradient):
                return 10 * gradient

        for write in (lambda h: (h.data.mul_(10), increment_version(h)), Marked.apply):
            h = torch.ones(2, requires_grad=True) * 1
            loss = function(h).sum()
            write(h)
            assert h._version == 1
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                loss.backward()

    def test_plus_equals_on_an_element_counts_twice(self):
        for write, increments in (
            (lambda h: h.__setitem__(0, 1.0), 1),
            (lambda h: h.__iadd__(1), 1),
            (lambda h: exec("h[0] += 1"), 2),
            (lambda h: exec("h[1:] *= 3"), 2),
        ):
            h = torch.ones(3)
            write(h)
            assert h._version == increments

    @pytest.mark.parametrize("reentrant", [True, False])
    @pytest.mark.parametrize("checkpointed", [True, False])
    def test_a_weight_inside_a_checkpoint_is_recomputed_with_its_new_value(self, checkpointed: bool, reentrant: bool):
        block = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        optimizer = torch.optim.SGD(block.parameters(), lr=0.5)
        x = torch.ones(1, 2, requires_grad=True)
        loss = (checkpoint(block, x, use_reentrant=reentrant) if checkpointed else block(x)).sum()
        (old,) = torch.autograd.grad(block(x).sum(), x)
        for p in block.parameters():
            p.grad = torch.ones_like(p)
        optimizer.step()
        (new,) = torch.autograd.grad(block(x).sum(), x)
        if not checkpointed:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                loss.backward()
            return
        loss.backward()
        assert torch.allclose(x.grad, new) and not torch.allclose(x.grad, old)

    @pytest.mark.parametrize("factor", [10.0, 3.0])
    def test_a_counted_write_that_is_not_recorded_loses_its_factor_without_an_error(self, factor: float):
        w = torch.tensor(1.0, requires_grad=True)
        h = w * 2
        h.detach().mul_(factor)
        assert h._version == 1
        (h * h).backward()
        assert w.grad == 2 * (2 * factor) * 2  # and not times the factor

    @pytest.mark.parametrize("writes", [1, 3])
    def test_the_message_counts_the_writes_since_the_tensor_was_saved(self, writes: int):
        h = torch.ones(2, requires_grad=True) * 1
        h.add_(1)  # before it is saved
        loss = (h * h).sum()
        for _ in range(writes):
            h.detach().add_(1)
        with pytest.raises(RuntimeError, match=f"is at version {writes + 1}; expected version 1"):
            loss.backward()

    def test_an_unrecorded_write_before_saving_is_not_noticed(self):
        for factor in (10, 3):
            w = torch.tensor(1.0, requires_grad=True)
            h = w * 2
            with torch.no_grad():
                h.mul_(factor)
            (h * h).backward()
            assert w.grad == 2 * (2 * factor) * 2  # and not times the factor

    @pytest.mark.parametrize("function, slope", [(torch.square, lambda h: 2 * h), (torch.sin, torch.cos)])
    def test_allow_mutation_gives_the_gradient_of_the_saved_value(self, function, slope):
        w = torch.tensor([1.0, 3.0], requires_grad=True)
        with allow_mutation_on_saved_tensors():
            h = w * 1
            loss = function(h).sum()
            h.mul_(10)
            loss.backward()
        assert torch.allclose(w.grad, slope(w.detach()))

    def test_hooks_that_return_the_tensor_switch_the_check_off(self):
        for function, slope in ((torch.square, lambda h: 2 * h), (torch.sin, torch.cos)):
            w = torch.tensor([3.0], requires_grad=True)
            with saved_tensors_hooks(lambda t: t, lambda t: t):
                h = w * 1
                loss = function(h).sum()
            h.detach().mul_(10)
            loss.backward()
            assert torch.allclose(w.grad, slope(torch.tensor([30.0])))

    def test_inference_tensors_have_no_counter(self):
        with torch.inference_mode():
            made = (torch.zeros(2), torch.ones(3) * 2)
        for tensor in made:
            with pytest.raises(RuntimeError, match="do not track version counter"):
                tensor._version  # noqa: B018

    def test_a_foreach_operation_on_a_cpu_calls_the_in_place_operation_for_each_tensor(self):
        for count in (2, 5):
            tensors = [torch.ones(2) for _ in range(count)]
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
                torch._foreach_add_(tensors, 1.0)
            assert [e.name for e in profile.events()].count("aten::add_") == count
            assert [t._version for t in tensors] == [1] * count

    def test_the_fused_operations_have_no_entry_in_the_layer_that_counts_and_return_nothing(self):
        for name in ("_fused_sgd_", "_fused_adam_", "_fused_adamw_", "_fused_adagrad_"):
            assert "ADInplaceOrView" not in torch._C._dispatch_dump(f"aten::{name}")
            assert getattr(torch.ops.aten, name).default._schema.returns == []
        for name in ("add_.Tensor", "mul_.Tensor", "copy_"):
            assert "ADInplaceOrView" in torch._C._dispatch_dump(f"aten::{name}")
