"""Every claim of docs/mid/language-models/rope.md, proven beyond the example shown."""

import math

import pytest
import torch

from warmup.testing import load_snippet

page = load_snippet("mid/language-models/rope.py")
pairing = load_snippet("mid/language-models/rope_pairing.py")


def frequencies(d, theta=10_000.0):
    return theta ** (-torch.arange(0, d, 2, dtype=torch.double) / d)


class TestRope:
    @pytest.mark.parametrize("d", [8, 64])
    @pytest.mark.parametrize("distance", [0, 7, 300])
    def test_the_score_depends_only_on_the_distance(self, d, distance):
        torch.manual_seed(1)
        q, k = torch.randn(2, d, dtype=torch.double)
        scores = [page.rotate(q, n + distance) @ page.rotate(k, n) for n in (0, 11, 9000)]
        torch.testing.assert_close(scores[1], scores[0])
        torch.testing.assert_close(scores[2], scores[0])
        assert abs(page.rotate(q, distance + 1) @ page.rotate(k, 0) - scores[0]) > 1e-6

    @pytest.mark.parametrize("far", [0, 3, 250])
    def test_a_key_turned_ahead_peaks_at_that_distance(self, far):
        torch.manual_seed(2)
        q = torch.randn(64, dtype=torch.double)
        scores = page.rotate(q, 400) @ page.rotate(page.rotate(q, far), torch.arange(401)).T
        assert 400 - scores.argmax() == far
        torch.testing.assert_close(scores.max(), q @ q)

    @pytest.mark.parametrize("far", [0, 250])
    def test_a_key_that_is_not_the_query_peaks_elsewhere(self, far):
        torch.manual_seed(3)
        q, k = torch.randn(2, 128, dtype=torch.double)
        keys = page.rotate(page.rotate(k, far), torch.arange(1001))
        assert 1000 - (keys @ page.rotate(q, 1000)).argmax() != far

    @pytest.mark.parametrize("d", [64, 128])
    def test_the_bound_of_the_paper_falls_in_waves(self, d):
        angles = torch.arange(4097)[:, None] * frequencies(d)
        bound = torch.polar(torch.ones_like(angles), angles).cumsum(1).abs().mean(1)
        assert bound[0] > 1.7 * bound[10] > 1.7 * 2 * bound[500]
        assert (bound.diff() > 0).sum() > 1000

    def test_the_frequencies_run_from_one_to_about_a_ten_thousandth(self):
        f = frequencies(128)
        assert f[0] == 1 and 1e-4 < f[-1] < 1.2e-4
        x = torch.eye(8, dtype=torch.double)
        turned = page.rotate(x[0], 1)
        torch.testing.assert_close(turned[0], torch.tensor(math.cos(1), dtype=torch.double))
        torch.testing.assert_close(turned[4], torch.tensor(math.sin(1), dtype=torch.double))

    @pytest.mark.parametrize("d", [64, 128])
    def test_ones_fall_in_waves(self, d):
        ones = (torch.arange(1001)[:, None] * frequencies(d)).cos().mean(-1)
        assert ones[0] == 1 and ones[500:].max() < 0.5
        assert (ones[1:] > ones[:-1]).any()

    @pytest.mark.parametrize("distance", [0, 1, 40, 5000])
    def test_random_pairs_have_one_spread_at_every_distance(self, distance):
        torch.manual_seed(3)
        q, k = torch.randn(2, 4000, 64, dtype=torch.double)
        scores = (page.rotate(q, distance) * k).sum(-1) / 8
        assert abs(scores.mean()) < 0.06 and 0.94 < scores.std() < 1.06

    @pytest.mark.parametrize("d", [16, 64])
    def test_a_mean_of_the_vectors_brings_decay_or_growth(self, d):
        half = torch.ones(d, dtype=torch.double)
        decays = [(page.rotate(half, m) @ half).item() for m in (0, 100)]
        against = [(page.rotate(half, m) @ -half).item() for m in (0, 100)]
        assert decays[1] < decays[0] and against[1] > against[0]

    @pytest.mark.parametrize(("dtype", "bits"), [(torch.bfloat16, 8), (torch.float16, 11)])
    def test_a_short_float_merges_positions_above_its_bits(self, dtype, bits):
        last = 2**bits
        assert torch.arange(last + 1).to(dtype).unique().numel() == last + 1
        assert torch.tensor(last + 1).to(dtype) == last
        assert torch.arange(2048).bfloat16().unique().numel() == 641

    def test_the_wrong_pairing_is_right_at_distance_zero_only(self):
        torch.manual_seed(4)
        q, k = torch.randn(2, 5, 16, dtype=torch.double)
        right = pairing.rotate(q, True) @ pairing.rotate(k, True).T
        wrong = pairing.rotate(q, False) @ pairing.rotate(k, False).T
        assert torch.equal(torch.isclose(wrong, right), torch.eye(5).bool())
        order = torch.arange(16).reshape(8, 2).T.flatten()
        fixed = pairing.rotate(q[:, order], False) @ pairing.rotate(k[:, order], False).T
        torch.testing.assert_close(fixed, right)

    def test_a_rotated_value_keeps_its_absolute_angle(self):
        v = torch.randn(8, dtype=torch.double)
        assert not torch.allclose(page.rotate(v, 5), page.rotate(v, 105))

    @pytest.mark.parametrize("trained", [2048, 4096])
    def test_slow_pairs_do_not_complete_a_turn_in_training(self, trained):
        assert (trained * frequencies(128) < 2 * math.pi).sum() > 10

    def test_float32_rounds_the_angles_of_far_positions(self):
        f = frequencies(128)[1]
        exact, short = 5_000_000 * f, 5_000_000 * f.float()
        assert abs(exact - short.double()) > 0.01
        assert abs(4096 * f - (4096 * f.float()).double()) < 1e-3

    def test_autocast_merges_positions_in_a_matrix_product(self):
        positions, f = torch.arange(300.0)[:, None], torch.ones(1, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            merged = positions @ f
            with torch.autocast("cpu", enabled=False):
                exact = positions @ f
        assert merged.dtype == torch.bfloat16 and merged[:, 0].unique().numel() < 300
        assert exact.dtype == torch.float32 and exact[:, 0].unique().numel() == 300

    @pytest.mark.parametrize("bias", [0.0, 1.0])
    def test_biases_and_norm_weights_need_the_new_order_too(self, bias):
        torch.manual_seed(6)
        x, W, b, g = (torch.randn(*s, dtype=torch.double) for s in ((5, 16), (16, 16), (16,), (16,)))
        order = torch.arange(16).reshape(8, 2).T.flatten()
        q = torch.nn.functional.rms_norm(x @ W.T + bias * b, (16,), g)
        right = pairing.rotate(q, True) @ pairing.rotate(q, True).T
        for norm, same in ((g[order], True), (g, False)):
            q = torch.nn.functional.rms_norm(x @ W[order].T + bias * b[order], (16,), norm)
            assert torch.allclose(pairing.rotate(q, False) @ pairing.rotate(q, False).T, right) == same

    def test_the_product_without_a_conjugate_is_no_function_of_the_distance(self):
        q, k = torch.tensor([1 + 2j, 3 - 1j]).to(torch.complex128)
        turn = lambda z, n: z * torch.polar(torch.tensor(1.0).double(), torch.tensor(0.3 * n).double())  # noqa: E731
        plain = [turn(q, n + 3) * turn(k, n) for n in (0, 10)]
        conjugated = [turn(q, n + 3) * turn(k, n).conj() for n in (0, 10)]
        assert torch.isclose(*conjugated) and not torch.isclose(*plain)

    def test_the_cached_keys_can_be_turned_by_a_difference(self):
        k = torch.randn(8, dtype=torch.double)
        torch.testing.assert_close(page.rotate(page.rotate(k, 30), 12), page.rotate(k, 42))

    def test_a_cast_of_the_model_casts_the_angles(self):
        holder = torch.nn.Module()
        holder.register_buffer("frequency", torch.tensor([1.0]))
        holder.to(torch.bfloat16)
        assert (torch.arange(300) * holder.frequency).dtype == torch.bfloat16
        assert (torch.arange(300) * holder.frequency).unique().numel() < 300
