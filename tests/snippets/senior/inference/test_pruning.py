"""What docs/senior/inference/pruning.md claims, proven beyond the example shown."""

import copy
import io
import zlib

import pytest
import torch
from torch import nn
from torch.nn.utils import prune
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

sizes = load_snippet("senior/inference/pruning_bytes.py")
broken = load_snippet("senior/inference/pruning_step_broken.py")


def stored(layer):
    torch.save(layer.state_dict(), file := io.BytesIO())
    return file.tell()


def flops(layer, x):
    with FlopCounterMode(display=False) as counter:
        layer(x)
    return counter.get_total_flops()


def off(q, w, x):
    return ((x @ (q - w).T).norm() / (x @ w.T).norm()).item()


def half(w, score):
    """w with the half of each row that has the lower score set to zero."""
    kept = score.topk(w.shape[1] // 2, 1).indices
    return w * torch.zeros_like(w).scatter(1, kept, 1.0)


class TestZeros:
    @pytest.mark.parametrize("kind", ["linear", "conv"])
    @pytest.mark.parametrize("amount", [0.4, 0.95])
    def test_zeros_save_no_bytes_and_no_flops_and_the_mask_doubles(self, kind, amount):
        layer = nn.Linear(300, 200) if kind == "linear" else nn.Conv2d(30, 40, 7)
        x = torch.ones(2, 300) if kind == "linear" else torch.ones(1, 30, 9, 9)
        before = stored(layer), flops(layer, x)
        prune.l1_unstructured(layer, "weight", amount=amount)
        assert flops(layer, x) == before[1]
        assert stored(layer) > 1.9 * before[0]
        prune.remove(layer, "weight")
        assert (layer.weight == 0).double().mean().item() == pytest.approx(amount, abs=1e-3)
        assert abs(stored(layer) - before[0]) < 200  # the order of the entries pads differently
        assert flops(layer, x) == before[1]

    def test_ln_structured_keeps_the_shape_too(self):
        layer, x = nn.Linear(64, 32), torch.ones(1, 64)
        prune.ln_structured(layer, "weight", amount=0.5, n=2, dim=0)
        assert layer.weight.shape == (32, 64) and (layer.weight == 0).all(1).sum() == 16
        assert flops(layer, x) == flops(nn.Linear(64, 32), x) == 2 * flops(nn.Linear(64, 16), x)

    def test_zlib_uses_zeros(self):
        torch.manual_seed(0)
        layer = nn.Linear(256, 256)
        share = []
        for amount in (0.0, 0.9):
            prune.l1_unstructured(layer, "weight", amount=amount)
            data = layer.weight.detach().numpy().tobytes()
            share.append(len(zlib.compress(data)) / len(data))
        assert share == pytest.approx([0.91, 0.18], abs=0.02)

    @pytest.mark.filterwarnings("ignore:Sparse CSR")
    @pytest.mark.parametrize("zeros", [0.5, 0.9])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
    def test_the_bytes_of_csr_are_those_of_its_tensors(self, zeros, dtype):
        torch.manual_seed(0)
        weight = (torch.rand(400, 500) + 0.1).to(dtype)
        weight.view(-1)[torch.randperm(200_000)[: int(zeros * 200_000)]] = 0
        csr = weight.to_sparse_csr()
        values, columns = csr.values(), csr.col_indices()
        assert columns.dtype == torch.int64
        for index in (columns, columns.int()):
            share = (values.nbytes + index.nbytes) / weight.nbytes
            size = weight.element_size()
            assert share == pytest.approx(sizes.share(zeros, size + index.element_size(), 0, size), rel=1e-3)

    def test_break_even(self):
        even = [1 - (dense - each) / nonzero for nonzero, each, dense in sizes.FORMATS.values()]
        assert even == pytest.approx([2 / 3, 0.5, 0.8, 1 / 32])
        for zeros, s in zip(even, sizes.FORMATS.values(), strict=True):
            assert sizes.share(zeros, *s) == pytest.approx(1)
            assert sizes.share(zeros + 0.01, *s) < 1 < sizes.share(zeros - 0.01, *s)

    def test_two_of_four_in_float16_are_9_of_16_bytes(self):
        assert 2 * (2 * 2) + 2 * 2 * 2 / 8 == 9 and 8 * 2 == 16


class TestTraining:
    @pytest.mark.parametrize("amount", [0.5, 0.9])
    @pytest.mark.parametrize("steps", [1, 5])
    def test_a_step_brings_zeros_back_unless_the_mask_is_kept(self, amount, steps):
        for kept in (True, False):
            torch.manual_seed(2)
            layer, x, y = nn.Linear(20, 10), torch.randn(50, 20), torch.randn(50, 10)
            prune.l1_unstructured(layer, "weight", amount=amount)
            if not kept:
                prune.remove(layer, "weight")
            for _ in range(steps):
                broken.step(layer, x, y)
                layer(x)
            assert (layer.weight == 0).double().mean().item() == (amount if kept else 0)

    def test_a_masked_weight_has_no_gradient(self):
        layer = nn.Linear(20, 10)
        prune.l1_unstructured(layer, "weight", amount=0.5)
        layer(torch.randn(8, 20)).square().sum().backward()
        assert not layer.weight_orig.grad[layer.weight_mask == 0].any()
        assert layer.weight_orig.grad[layer.weight_mask == 1].all()

    def test_a_pruned_module_is_deepcopied_after_no_grad_or_remove_only(self):
        layer = nn.Linear(4, 4)
        prune.l1_unstructured(layer, "weight", amount=0.5)
        with pytest.raises(RuntimeError, match="deepcopy"):
            copy.deepcopy(layer)
        with torch.no_grad():
            layer(torch.ones(1, 4))
        assert torch.equal(copy.deepcopy(layer).weight_mask, layer.weight_mask)
        layer(torch.ones(1, 4))
        with pytest.raises(RuntimeError, match="deepcopy"):
            copy.deepcopy(layer)
        prune.remove(layer, "weight")
        copy.deepcopy(layer)

    @pytest.mark.parametrize("amount", [0.5, 0.2])
    def test_a_second_amount_counts_what_is_left(self, amount):
        layer = nn.Linear(100, 100)
        for _ in range(2):
            prune.l1_unstructured(layer, "weight", amount=amount)
        assert (layer.weight == 0).double().mean().item() == pytest.approx(1 - (1 - amount) ** 2, abs=1e-3)

    @pytest.mark.parametrize(("amount", "left"), [(0.5, 0.5), (0.2, 0.8)])
    def test_after_remove_magnitude_takes_the_zeros_again_and_a_random_choice_does_not(self, amount, left):
        torch.manual_seed(0)
        for choose, share, off in ((prune.l1_unstructured, left, 1e-3), (prune.random_unstructured, left**2, 0.02)):
            layer = nn.Linear(100, 100)
            for _ in range(2):
                choose(layer, "weight", amount=amount)
                prune.remove(layer, "weight")
            assert (layer.weight != 0).double().mean().item() == pytest.approx(share, abs=off)


class TestWhat:
    @pytest.mark.parametrize("hidden", [16, 64])
    def test_a_unit_without_weights_still_has_its_bias(self, hidden):
        torch.manual_seed(hidden)
        first, last, x = nn.Linear(8, hidden), nn.Linear(hidden, 3), torch.randn(20, 8)
        prune.ln_structured(first, "weight", amount=0.5, n=2, dim=0)
        prune.remove(first, "weight")
        gone = ~first.weight.any(1)
        y = last(first(x).relu())
        kept = (first(x).relu()[:, ~gone] @ last.weight[:, ~gone].T) + last.bias
        assert not torch.allclose(kept, y, atol=1e-3)
        assert first.bias[gone].max() > 0  # with a bias below zero, relu would leave nothing
        constant = last.weight[:, gone] @ first.bias[gone].relu()
        torch.testing.assert_close(kept + constant, y, atol=1e-5, rtol=1e-4)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_magnitude_ignores_large_inputs(self, seed):
        torch.manual_seed(seed)
        w, x = torch.randn(64, 128).double(), torch.randn(2000, 128).double()
        x[:, :8] *= 20
        magnitude, wanda = off(half(w, w.abs()), w, x), off(half(w, w.abs() * x.norm(dim=0)), w, x)
        assert 0.25 < magnitude < 0.3 and wanda == pytest.approx(0.06, abs=0.01)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_two_of_four_loses_more_than_a_free_half(self, seed):
        torch.manual_seed(seed)
        w = torch.randn(64, 128).double()
        pattern = half(w.view(-1, 4), w.view(-1, 4).abs()).view_as(w)
        free = half(w.view(1, -1), w.view(1, -1).abs()).view_as(w)
        errors = [((q - w).norm() / w.norm()).item() for q in (pattern, free)]
        assert errors == pytest.approx([0.36, 0.27], abs=0.01)

    @pytest.mark.skipif(torch.cuda.is_available(), reason="the point is what a CPU says")
    def test_semi_structured_needs_a_gpu(self):
        with pytest.raises(RuntimeError, match="CUDA"):
            torch.sparse.to_sparse_semi_structured(torch.ones(32, 64).half())

    def test_a_global_threshold_can_empty_a_layer(self):
        small, large = nn.Linear(10, 10), nn.Linear(10, 10)
        with torch.no_grad():
            small.weight.mul_(0.001)
        prune.global_unstructured([(small, "weight"), (large, "weight")], prune.L1Unstructured, amount=0.5)
        assert not small.weight.any()

    @pytest.mark.parametrize("width", [64, 256])
    def test_narrower_layers_call_as_many_kernels_and_fewer_layers_fewer(self, width):
        def calls(width, depth):
            layers = [layer for _ in range(depth) for layer in (torch.nn.Linear(width, width), torch.nn.ReLU())]
            with torch.no_grad(), torch.profiler.profile() as profile:
                torch.nn.Sequential(*layers)(torch.ones(1, width))
            return sum(e.count for e in profile.key_averages() if e.key in ("aten::addmm", "aten::clamp_min"))

        assert calls(width // 4, 8) == calls(width, 8) == 2 * calls(width, 4) == 16
