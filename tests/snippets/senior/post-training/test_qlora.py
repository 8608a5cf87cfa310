"""What docs/senior/post-training/qlora.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

main = load_snippet("senior/post-training/qlora.py")
bits = load_snippet("senior/post-training/qlora_bits.py")
saved = load_snippet("senior/post-training/qlora_saved_broken.py")

INT4 = (torch.arange(-7, 8) / 7).double()
# As in the appendix of the paper and in bitsandbytes.
PUBLISHED = [-1.0, -0.6961928, -0.52507305, -0.3949175, -0.28444138, -0.18477343, -0.09105004, 0.0]
PUBLISHED += [0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1.0]


def normal(block, seed, blocks=None):
    torch.manual_seed(seed)
    w = torch.randn(blocks or 2**15 // block, block, dtype=torch.double)
    return w, w.abs().amax(1, keepdim=True)


def error(w, scale, levels):
    return (levels[main.nearest(w / scale, levels)] * scale - w).square().mean().sqrt()


def fit(w, scale, levels):
    x = w / scale
    for _ in range(20):
        code = main.nearest(x, levels)
        levels = torch.stack([x[code == k].mean() for k in range(len(levels))])
    return levels


def clipped(w, levels):
    """Each block takes the best of 26 scales."""
    scale, best = w.abs().amax(1, keepdim=True), torch.full((len(w),), torch.inf).double()
    for clip in torch.linspace(0.5, 1, 26):
        s = scale * clip
        best = best.minimum((levels[main.nearest(w / s, levels)] * s - w).square().mean(1))
    return best.mean().sqrt().item()


class TestQlora:
    def test_the_quantiles_give_the_published_levels(self):
        assert main.nf4.tolist() == pytest.approx(PUBLISHED, abs=2e-4)
        assert bits.NF4.tolist() == pytest.approx(PUBLISHED, abs=1e-4)

    @pytest.mark.parametrize(("block", "seed"), [(32, 1), (256, 2)])
    def test_nf4_beats_int4_and_levels_fitted_to_other_weights_beat_nf4(self, block, seed):
        w, scale = normal(block, seed)
        fitted = fit(*normal(block, seed + 10), main.nf4)
        int4, nf4, best = (error(w, scale, levels) for levels in (INT4, main.nf4, fitted))
        assert best < 0.98 * nf4 < 0.98 * 0.95 * int4

    def test_the_lead_over_int4_grows_with_the_block(self):
        leads = [error(w, s, INT4) / error(w, s, main.nf4) for w, s in (normal(b, 3) for b in (32, 128, 1024))]
        assert leads == sorted(leads) and leads[2] > leads[0] + 0.1

    def test_the_largest_of_a_block_grows_with_the_block(self):
        for block, largest in ((64, 2.6), (1024, 3.4)):
            _, scale = normal(block, 4, blocks=2000)
            assert scale.mean().item() == pytest.approx(largest, abs=0.1)

    @pytest.mark.parametrize("block", [64, 256])
    def test_the_levels_are_not_used_equally_and_the_outer_ones_are_rare(self, block):
        share = bits.shares(block, blocks=1000)
        assert share.sum() == pytest.approx(1.0)
        assert share.max() > 1.3 / 16 and share[[0, 15]].max() < 0.5 / 16 and share[6:9].min() > 1 / 16

    def test_the_memory_of_65b(self):
        rows = bits.gigabytes()
        assert rows["weights, 16 bits"] + rows["embedding and head, 16 bits"] == pytest.approx(130.6, abs=0.1)
        ratio = rows["double quantization"] / rows["weights, 16 bits"]
        assert 16 * ratio - 4 == pytest.approx(0.127, abs=5e-4)
        assert sum(list(rows.values())[2:]) < 38 < 48
        assert bits.gigabytes(64)["adapters: 2 + 2 + 4 + 8 bytes"] == pytest.approx(12.8, abs=0.1)

    @pytest.mark.parametrize("layers", [1, 5])
    def test_the_plain_product_keeps_each_layer_in_16_bits_and_an_own_backward_nothing(self, layers):
        torch.manual_seed(layers)
        weights = [(torch.randint(256, (64, 32), dtype=torch.uint8), torch.rand(64, 1) / 10) for _ in range(layers)]
        kept, gradients = {}, {}
        for name, layer in (("plain", saved.plain), ("own", saved.Linear4bit.apply)):
            x = torch.randn(3, 64, generator=torch.Generator().manual_seed(0)).bfloat16().requires_grad_()
            gradients[name], kept[name] = saved.run(layer, weights, x)
        assert kept == {"plain": layers * 64 * 64 * 2, "own": 0}
        assert torch.equal(gradients["plain"], gradients["own"]) and gradients["own"].any()

    def test_without_a_gradient_of_the_input_the_plain_product_keeps_nothing(self):
        weights = [(torch.randint(256, (64, 32), dtype=torch.uint8), torch.rand(64, 1))]

        def keep(x):
            kept = []
            with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
                saved.plain(x, *weights[0])
            return len(kept)

        x = torch.ones(2, 64, dtype=torch.bfloat16)
        assert keep(x) == 0 and keep(x.requires_grad_()) == 1

    def test_each_code_is_unpacked_to_its_own_weight(self):
        packed, scale = torch.tensor([[0x8F, 0x07]], dtype=torch.uint8), torch.tensor([[0.5]])
        assert saved.dequantize(packed, scale).tolist() == [[3.5, 0.0, -0.5, -4.0]]

    def test_clipping_makes_up_a_part_of_the_lead_and_helps_nf4_too(self):
        w, scale = normal(64, 0, blocks=2048)
        int4, nf4 = error(w, scale, INT4), error(w, scale, main.nf4)
        assert (int4.item(), clipped(w, INT4)) == pytest.approx((0.108, 0.100), abs=1e-3)
        fitted = error(w, scale, fit(*normal(64, 9), main.nf4))
        assert clipped(w, main.nf4) == pytest.approx(0.086, abs=1e-3) and clipped(w, main.nf4) < fitted < nf4

    @pytest.mark.parametrize(("block", "int4", "nf4"), [(32, 0.081, 0.087), (64, 0.091, 0.092), (1024, 0.125, 0.104)])
    def test_int4_with_a_zero_point_beats_nf4_in_small_blocks_only(self, block, int4, nf4):
        w, scale = normal(block, 1, blocks=2**18 // block)
        low, high = w.amin(1, keepdim=True), w.amax(1, keepdim=True)
        step = (high - low) / 15
        zero = (-low / step).round()
        rounded = (((w / step).round() + zero).clamp(0, 15) - zero) * step
        assert (rounded - w).square().mean().sqrt().item() == pytest.approx(int4, abs=1e-3)
        assert error(w, scale, main.nf4).item() == pytest.approx(nf4, abs=1e-3)

    @pytest.mark.parametrize("block", [64, 256])
    def test_for_uniform_weights_int4_is_better(self, block):
        torch.manual_seed(0)
        w = torch.rand(500, block, dtype=torch.double) * 2 - 1
        scale = w.abs().amax(1, keepdim=True)
        int4, nf4 = (error(w, scale, levels) / w.std() for levels in (INT4, main.nf4))
        assert int4.item() == pytest.approx(0.070, abs=2e-3) and nf4.item() == pytest.approx(0.091, abs=2e-3)

    def test_zero_stays_zero_in_nf4_and_int4_but_not_with_fitted_levels(self):
        for levels in (main.nf4, INT4):
            assert 0.0 in levels.tolist()
        for block in (64, 1024):
            assert fit(*normal(block, 5), main.nf4).abs().min() > 0.01

    def test_a_small_update_leaves_nearly_every_four_bit_code_as_it_was(self):
        w, scale = normal(64, 6)
        levels = main.nf4
        base = levels[main.nearest(w / scale, levels)] * scale
        for size, same in ((0.01, 0.99), (0.05, 0.95)):
            update = torch.randn_like(w) * size
            merged = base + update
            code = main.nearest(merged / merged.abs().amax(1, keepdim=True), levels)
            assert (code == main.nearest(w / scale, levels)).double().mean() > same

    @pytest.mark.parametrize("levels", [main.nf4, INT4])
    def test_an_outlier_zeroes_a_matrix_with_one_scale_and_only_its_block_with_blocks(self, levels):
        w, _ = normal(64, 7, blocks=256)
        w[0, 0] = 100
        zero = levels.tolist().index(0.0)
        for block, low, high in ((256 * 64, 0.999, 1), (64, 0, 0.2)):
            x = w.view(-1, block)
            share = (main.nearest(x / x.abs().amax(1, keepdim=True), levels) == zero).double().mean()
            assert low <= share <= high

    def test_smaller_blocks_are_more_exact_and_cost_more_bits(self):
        errors = [error(w, s, main.nf4) for w, s in (normal(block, 8) for block in (16, 64, 256))]
        assert errors == sorted(errors) and 8 / 16 > 8 / 64 > 8 / 256
