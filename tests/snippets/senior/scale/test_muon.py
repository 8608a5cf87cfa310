"""What docs/senior/scale/muon.md claims, proven beyond the example shown."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

main = load_snippet("senior/scale/muon.py")
curve = load_snippet("senior/scale/muon_steps.py")


def step(gradient, **options):
    """The first update of torch.optim.Muon, and its state."""
    weight = torch.nn.Parameter(torch.zeros_like(gradient))
    optimizer = torch.optim.Muon([weight], lr=1.0, weight_decay=0.0, **options)
    weight.grad = gradient.clone()
    optimizer.step()
    return -weight.detach(), optimizer.state[weight]


class TestNewtonSchulz:
    @pytest.mark.parametrize("shape", [(8, 8), (8, 20)])
    def test_it_keeps_the_directions_and_maps_each_singular_value_alone(self, shape):
        torch.manual_seed(1)
        x = torch.randn(shape, dtype=torch.double)
        u, s, v = torch.linalg.svd(x, full_matrices=False)
        values = [curve.after(t.item(), 5, *curve.MUON) for t in s / s.norm()]
        expected = u @ torch.tensor(values, dtype=torch.double).diag() @ v
        torch.testing.assert_close(main.orthogonalize(x), expected)

    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
    def test_a_gradient_of_zero_moves_nothing(self, dtype):
        zero = torch.zeros(3, 5, dtype=dtype)
        assert torch.equal(main.orthogonalize(zero), zero)
        assert torch.equal(step(zero)[0], zero)

    @pytest.mark.parametrize("steps", [10, 30, 50])
    def test_more_steps_stay_in_the_band_and_do_not_settle_at_one(self, steps):
        values = [curve.after(10 ** (-2 + k / 50), steps, *curve.MUON) for k in range(101)]
        assert 0.65 < min(values) < 0.75 and 1.1 < max(values) < 1.2

    def test_the_classical_cubic_settles_at_one_and_lifts_small_values_slowly(self):
        for s in (0.05, 0.5):
            assert curve.after(s, 40, *curve.CUBIC) == pytest.approx(1)
            assert curve.after(s, 40, *curve.MUON) != pytest.approx(1, abs=0.01)
        assert curve.after(1e-3, 5, *curve.MUON) > 40 * curve.after(1e-3, 5, *curve.CUBIC)

    @pytest.mark.parametrize("small", [1e-5, 1e-4])
    def test_a_small_value_grows_3_4_fold_a_step(self, small):
        assert curve.after(small, 5, *curve.MUON) == pytest.approx(3.4445**5 * small, rel=0.02)

    def test_in_the_largest_direction_the_share_falls_below_that_of_the_sign(self):
        for seed in (1, 2):
            torch.manual_seed(seed)
            left, right = torch.linalg.qr(torch.randn(2, 32, 32, dtype=torch.double))[0]
            x = left @ torch.logspace(0, -3, 32, dtype=torch.double).diag() @ right
            shares = [torch.linalg.svdvals(z).square() for z in (x, x.sign(), main.orthogonalize(x))]
            gradient, sign, muon = (v[0] / v.sum() for v in shares)
            assert gradient > sign > 2 * muon

    def test_of_64_directions_down_to_a_ten_thousandth_40_end_in_the_band_and_24_below_it(self):
        shares = torch.logspace(0, -4, 64, dtype=torch.double)
        shares /= shares.norm()
        values = [curve.after(s.item(), 5, *curve.MUON) for s in shares]
        assert all(0.68 < v < 1.21 for v in values[:40]) and max(values[40:]) < 0.68
        assert shares[39] < 0.002 and min(values) == pytest.approx(0.02, abs=0.005)

    def test_near_one_the_polynomial_moves_away_from_one(self):
        a, b, c = curve.MUON
        assert a + b + c == pytest.approx(0.701)  # one step takes 1 to 0.7
        fixed = ((-b - (b * b - 4 * c * (a - 1)) ** 0.5) / (2 * c)) ** 0.5
        assert curve.after(fixed, 1, *curve.MUON) == pytest.approx(fixed)
        assert abs(a + 3 * b * fixed**2 + 5 * c * fixed**4) > 1  # no attractor

    @pytest.mark.parametrize("shape", [(1, 9), (6, 10)])
    def test_a_rank_of_one_gives_the_normalized_gradient_times_0_7(self, shape):
        torch.manual_seed(0)
        x = torch.outer(*(torch.randn(n, dtype=torch.double) for n in shape))
        factor = curve.after(1.0, 5, *curve.MUON)
        assert 0.65 < factor < 0.75
        torch.testing.assert_close(main.orthogonalize(x), factor * x / x.norm())

    def test_its_entries_are_a_tenth_of_those_with_noise_and_with_the_errors_of_bfloat16_a_fifth(self):
        torch.manual_seed(0)
        noise, row = torch.randn(64, 256), torch.randn(1, 256)
        lines = torch.outer(noise[:, 0], noise[0])

        def size(x):
            return x.square().mean().sqrt().item()

        exact = size(main.orthogonalize(lines.double())) / size(main.orthogonalize(noise.double()))
        assert 0.09 < exact < 0.11
        update, _ = step(lines)
        assert 0.17 < size(update) / size(step(noise)[0]) < 0.22
        assert torch.linalg.svdvals(update)[1] > 0.2  # a direction that only rounding has made
        exact_in_bfloat16 = torch.outer(noise[:, 0].sign(), 2.0 ** noise[0].round())
        assert 0.09 < size(step(exact_in_bfloat16)[0]) / size(step(noise)[0]) < 0.11
        assert size(step(row)[0]) > 0.7 * size(step(noise)[0])  # one row is no such case

    @pytest.mark.parametrize("shape", [(5, 5), (4, 7)])
    def test_shampoo_without_accumulation_is_the_exact_orthogonal_matrix(self, shape):
        torch.manual_seed(0)
        x = torch.randn(shape, dtype=torch.double)
        u, s, v = torch.linalg.svd(x, full_matrices=False)
        left = u @ (s**-0.5).diag() @ u.mT  # (x x^T) to the power of -1/4
        right = v.mT @ (s**-0.5).diag() @ v
        torch.testing.assert_close(left @ x @ right, u @ v)


class TestTorchOptimMuon:
    def test_it_orthogonalizes_a_mean_of_gradients_with_nesterov(self):
        torch.manual_seed(0)
        grads = torch.randn(2, 16, 32)
        weight = torch.nn.Parameter(torch.zeros(16, 32))
        optimizer = torch.optim.Muon([weight], lr=1.0, weight_decay=0.0, momentum=0.9)
        mean, before = torch.zeros(16, 32), torch.zeros(16, 32)
        for g in grads:
            before = weight.detach().clone()
            weight.grad = g.clone()
            optimizer.step()
            mean = 0.9 * mean + 0.1 * g
            expected = main.orthogonalize(0.1 * g + 0.9 * mean)
        torch.testing.assert_close(before - weight.detach(), expected, atol=0.03, rtol=0.1)

    def test_it_stores_one_buffer_and_adamw_two(self):
        gradient = torch.randn(8, 16)
        _, state = step(gradient)
        assert {k: v.shape for k, v in state.items()} == {"momentum_buffer": gradient.shape}
        weight = torch.nn.Parameter(torch.zeros(8, 16))
        optimizer = torch.optim.AdamW([weight])
        weight.grad = gradient
        optimizer.step()
        assert sum(v.shape == gradient.shape for v in optimizer.state[weight].values()) == 2

    @pytest.mark.parametrize("shape", [(8, 16), (24, 8)])
    def test_a_power_of_two_cancels_and_1000_cancels_up_to_bfloat16(self, shape):
        torch.manual_seed(0)
        gradient = torch.randn(shape)
        update, _ = step(gradient)
        assert torch.equal(step(gradient * 1024)[0], update)
        torch.testing.assert_close(step(gradient * 1000)[0], update, atol=0.05, rtol=0.05)

    @pytest.mark.parametrize("shape", [(16, 16), (64, 16), (16, 64)])
    def test_the_rate_is_adjusted_by_shape(self, shape):
        torch.manual_seed(0)
        gradient = torch.randn(shape)
        rows, columns = shape
        original, _ = step(gradient, adjust_lr_fn="original")
        match, _ = step(gradient, adjust_lr_fn="match_rms_adamw")
        ratio = 0.2 * max(shape) ** 0.5 / max(1, rows / columns) ** 0.5
        torch.testing.assert_close(match, ratio * original, atol=1e-3, rtol=1e-3)
        assert 0.15 < match.square().mean().sqrt() < 0.22

    @pytest.mark.parametrize("shape", [(64, 256), (512, 256), (64, 16), (16, 64)])
    def test_by_default_an_entry_moves_by_one_over_the_root_of_the_columns_whatever_the_rows(self, shape):
        torch.manual_seed(0)
        update, _ = step(torch.randn(shape))
        assert update.square().mean().sqrt() * shape[1] ** 0.5 == pytest.approx(0.87, abs=0.1)
        update, _ = step(torch.randn(shape[0], 4) @ torch.randn(4, shape[1]))  # rank 4
        assert update.square().mean().sqrt() * shape[1] ** 0.5 < 0.6

    def test_a_square_matrix_of_width_4096_moves_a_thirteenth(self):
        assert round(0.2 * 4096**0.5) == 13

    @pytest.mark.parametrize("beta1", [0.9, 0.8])
    def test_adam_moves_noise_by_the_root_of_1_minus_beta1_over_1_plus_beta1(self, beta1):
        torch.manual_seed(0)
        m, v = torch.zeros(2, 2000, dtype=torch.double)
        for _ in range(300):
            g = torch.randn(2000, dtype=torch.double)
            m, v = beta1 * m + (1 - beta1) * g, 0.99 * v + 0.01 * g * g
        size = (m / v.sqrt()).square().mean().sqrt().item()
        assert size == pytest.approx(((1 - beta1) / (1 + beta1)) ** 0.5, rel=0.15)

    def test_it_raises_for_a_convolution_and_takes_an_embedding(self):
        with pytest.raises(ValueError, match="only supports 2D"):
            torch.optim.Muon([torch.nn.Conv2d(2, 2, 3).weight])
        torch.optim.Muon([torch.nn.Embedding(4, 2).weight])

    def test_a_stack_of_query_key_and_value_is_not_three_matrices(self):
        torch.manual_seed(0)
        parts = torch.randn(3, 8, 32).double() * torch.tensor([1.0, 1.0, 10.0]).view(3, 1, 1)
        alone = torch.cat([main.orthogonalize(p) for p in parts])
        stacked = main.orthogonalize(parts.flatten(0, 1))
        assert (alone - stacked).norm() > 0.2 * alone.norm()

    def test_a_shard_alone_gives_another_update(self):
        torch.manual_seed(0)
        x = torch.randn(16, 32).double()
        whole = main.orthogonalize(x)
        shards = torch.cat([main.orthogonalize(p) for p in x.chunk(2)])
        assert (whole - shards).norm() > 0.1 * whole.norm()


class TestCost:
    @pytest.mark.parametrize(("m", "n"), [(64, 64), (64, 256)])
    def test_five_steps_take_20_m2n_plus_10_m3_flops(self, m, n):
        with torch.device("meta"), FlopCounterMode(display=False) as counter:
            main.orthogonalize(torch.zeros(m, n))
        assert counter.get_total_flops() == 20 * m * m * n + 10 * m**3

    def test_for_a_square_matrix_that_is_5_widths_per_token_of_the_batch(self):
        for width, tokens, share in ((4096, 4e6, 0.005), (4096, 32_000, 0.64)):
            extra = 30 * width**3 / (6 * width**2 * tokens)
            assert extra == pytest.approx(5 * width / tokens)
            assert extra == pytest.approx(share, rel=0.03)

    @pytest.mark.parametrize("ranks", [1, 8])
    def test_if_each_rank_repeats_the_steps_the_tokens_of_one_rank_count(self, ranks):
        # What DDP does: each rank gets the mean gradient and steps alone.
        torch.manual_seed(0)
        width, tokens = 16, 4096
        mean = torch.randn(3, width, width).mean(0)
        assert torch.equal(step(mean)[0], step(mean)[0])  # so the replicas stay equal
        with torch.device("meta"), FlopCounterMode(display=False) as counter:
            for _ in range(ranks):
                main.orthogonalize(torch.zeros(width, width))
        extra = counter.get_total_flops() / (6 * width**2 * tokens)
        assert extra == pytest.approx(5 * width / (tokens / ranks))
