"""What docs/mid/debugging/loss-accumulation.md claims, proven beyond the example shown."""

import gc
import weakref

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

curve = load_snippet("mid/debugging/loss_accumulation_curve.py")
on_ctx = load_snippet("mid/debugging/loss_accumulation_ctx_broken.py")
micro = load_snippet("mid/debugging/loss_accumulation_micro.py")


class TestLossAccumulation:
    def test_only_a_loop_without_backward_keeps_saved_tensors(self):
        sizes, nodes = curve.grow("validate, loss", 4)
        assert sizes == [136_196 * step for step in (1, 2, 3, 4)]
        assert {b - a for a, b in zip(nodes, nodes[1:], strict=False)} == {8}
        assert curve.grow("train, loss", 4) == ([0] * 4, nodes)

    @pytest.mark.parametrize("way", ["train, loss.detach()", "train, loss.item()"])
    def test_detach_and_item_keep_no_graph(self, way):
        assert curve.grow(way, 3) == ([0] * 3, [0] * 3)

    def test_without_backward_detach_and_item_help_as_well(self, monkeypatch):
        for value_of in (torch.detach, torch.Tensor.item):
            monkeypatch.setitem(curve.WAYS, "validate, fixed", (False, value_of))
            assert curve.grow("validate, fixed", 3) == ([0] * 3, [0] * 3)

    def test_the_bytes_are_those_of_relu_and_log_softmax_and_a_number(self):
        assert 128 * 256 * 4 + 128 * 10 * 4 + 4 == 131_072 + 5_120 + 4 == 136_196

    def test_the_sum_is_a_tensor_with_a_graph_in_place_or_not(self):
        weight = torch.ones(2, requires_grad=True)
        for total in (0.0, torch.zeros(())):
            total += weight.sum()
            assert total.grad_fn is not None and total.requires_grad
        total = 0.0
        with torch.no_grad():
            total += weight.sum()
        assert total.grad_fn is None
        total = 0.0
        total += weight.sum().item()
        assert isinstance(total, float)

    def test_eval_does_not_help_and_no_grad_and_inference_mode_do(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)).eval()
        assert model(torch.ones(1, 3)).requires_grad
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                assert not model(torch.ones(1, 3)).requires_grad

    @pytest.mark.parametrize("steps", [1, 5])
    def test_attributes_of_ctx_stay_after_backward_and_saved_tensors_do_not(self, steps):
        assert on_ctx.inputs_alive(on_ctx.OnCtx, steps) == steps
        assert on_ctx.inputs_alive(on_ctx.Saved, steps) == 0

    def test_both_functions_have_the_gradient_of_a_square(self):
        for function in (on_ctx.OnCtx, on_ctx.Saved):
            x = torch.randn(3, dtype=torch.float64, requires_grad=True)
            assert torch.autograd.gradcheck(function.apply, x)

    def test_retain_graph_keeps_the_saved_tensors(self, monkeypatch):
        backward = torch.Tensor.backward
        monkeypatch.setattr(torch.Tensor, "backward", lambda loss: backward(loss, retain_graph=True))
        assert curve.grow("train, loss", 3) == curve.grow("validate, loss", 3)

    @pytest.mark.parametrize("parts", [1, 2, 8])
    def test_a_sum_over_micro_batches_keeps_all_of_them_and_one_backward_each_keeps_one(self, parts):
        (first, a), (each, b) = micro.most_alive(parts, True), micro.most_alive(parts, False)
        assert (first, each) == (parts, 1)
        whole = micro.most_alive(1, True)[1]
        torch.testing.assert_close(a, whole)
        torch.testing.assert_close(b, whole)
        assert whole.abs().min() > 0

    @pytest.mark.parametrize("sizes", [(4, 4), (6, 2), (3, 3, 1)])
    def test_micro_batches_of_other_sizes_need_their_share_as_the_weight(self, sizes):
        def gradient(sizes, weight_of):
            weight = torch.ones(4, dtype=torch.float64, requires_grad=True)
            for part in x.split(sizes):
                ((part @ weight).square().mean() * weight_of(part)).backward()
            return weight.grad

        x = torch.arange(4.0 * sum(sizes), dtype=torch.float64).view(-1, 4)
        whole = gradient((len(x),), lambda part: 1)
        torch.testing.assert_close(gradient(sizes, lambda part: len(part) / len(x)), whole)
        plain = gradient(sizes, lambda part: 1 / len(sizes))
        assert torch.allclose(plain, whole) is (len(set(sizes)) == 1)

    @pytest.mark.parametrize(
        "block",
        [
            lambda layer, x: layer(x).sigmoid(),
            lambda layer, x: checkpoint(lambda x: layer(x).sigmoid(), x, use_reentrant=False),
            lambda layer, x: checkpoint(lambda x: layer(x).sigmoid(), x, use_reentrant=True),
        ],
    )
    def test_backward_frees_what_built_in_operations_and_checkpointing_keep(self, block):
        first, layer, seen, total = nn.Linear(8, 8), nn.Linear(8, 8), [], 0.0
        for trained in (True, True, False):
            hidden = first(torch.ones(2, 8))
            seen.append(weakref.ref(hidden.untyped_storage()))
            loss = block(layer, hidden).mean()
            if trained:
                loss.backward()
            total += loss
            del hidden, loss
        assert [storage() is not None for storage in seen] == [False, False, True]

    def test_assigning_a_number_gives_the_memory_back(self):
        weight, alive = torch.ones(3, requires_grad=True), []
        total = 0.0
        for _ in range(3):
            hidden = (weight * 2).square()
            alive.append(weakref.ref(hidden.untyped_storage()))
            total += hidden.square().sum()
            del hidden
        assert all(storage() is not None for storage in alive)
        total = 0.0
        assert total == 0.0 and all(storage() is None for storage in alive)

    def test_a_list_of_losses_grows_although_the_sum_has_no_graph(self, monkeypatch):
        history = []

        def value_of(loss):
            history.append(loss)
            return loss.item()

        monkeypatch.setitem(curve.WAYS, "validate, list", (False, value_of))
        sizes, nodes = curve.grow("validate, list", 3)
        assert sizes == [136_196, 272_392, 408_588] and nodes == [0, 0, 0]

    def test_a_hook_that_keeps_an_output_with_its_graph_keeps_its_own_node_alive(self):
        class Kept:
            alive = weakref.WeakSet()

            def __init__(self, tensor, detach):
                self.tensor = tensor.detach() if detach else tensor
                self.alive.add(self)

        gc.freeze()  # what was there before need not be searched
        for function, detach, left in ((torch.sigmoid, False, 1), (torch.sigmoid, True, 0), (torch.square, False, 0)):
            Kept.alive.clear()
            weight = torch.ones(3, requires_grad=True)
            with torch.autograd.graph.saved_tensors_hooks(lambda t, d=detach: Kept(t, d), lambda kept: kept.tensor):
                y = function(weight)
            assert len(Kept.alive) == 1
            del y
            gc.collect()
            assert len(Kept.alive) == left
        gc.unfreeze()
