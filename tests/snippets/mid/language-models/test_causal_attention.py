"""Every claim of docs/mid/language-models/causal-attention.md, proven beyond the example shown."""

import math

import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from warmup.testing import load_snippet

page = load_snippet("mid/language-models/causal_attention.py")
broken = load_snippet("mid/language-models/causal_attention_broken.py")

SIZES = [(1, 3, 12, 3), (3, 7, 8, 2), (2, 5, 24, 4)]
WRONG_ROWS = {"mask after softmax", "softmax over queries"}
RIGHT = {"no mistake", "mask after softmax, divided by the sum"}


def inputs(b, t, c, seed=1):
    torch.manual_seed(seed)
    x = torch.randn(b, t, c, dtype=torch.float64, requires_grad=True)
    return x, torch.randn(c, 3 * c).double() / c**0.5, torch.randn(c, c).double() / c**0.5


class TestCausalAttention:
    @pytest.mark.parametrize(("b", "t", "c", "heads"), SIZES)
    def test_the_function_equals_pytorchs_and_does_not_leak(self, b, t, c, heads):
        x, w_in, w_out = inputs(b, t, c)
        out = page.attention(x, w_in, w_out, heads)
        torch.testing.assert_close(out, broken.reference(x, w_in, w_out, heads))
        assert not broken.leaks(out, x)
        for i in range(t):
            (grad,) = torch.autograd.grad(out[0, i].sum(), x, retain_graph=True)
            assert grad[0].any(-1).tolist() == [j <= i for j in range(t)]

    @pytest.mark.parametrize(("b", "t", "c", "heads"), SIZES)
    @pytest.mark.parametrize("mistake", broken.MISTAKES)
    def test_which_test_finds_which_mistake(self, mistake, b, t, c, heads):
        x, w_in, w_out = inputs(b, t, c)
        out, weights = broken.attention(x, w_in, w_out, heads, mistake)
        assert out.shape == x.shape
        assert broken.leaks(out, x) == (mistake not in RIGHT | {"no scale"})
        rows = torch.allclose(weights.sum(-1), torch.ones(()).double())
        assert rows == (mistake not in WRONG_ROWS)
        right = torch.allclose(out, broken.reference(x, w_in, w_out, heads))
        assert right == (mistake in RIGHT)

    def test_nine_mistakes_and_eight_leak(self):
        assert len(set(broken.MISTAKES) - RIGHT) == 9

    def test_a_masked_weight_leaves_the_future_in_the_denominator(self):
        scores = torch.tensor([0.0, math.log(3)], dtype=torch.float64)
        weights = scores.softmax(0) * torch.tensor([1.0, 0.0])
        torch.testing.assert_close(weights, torch.tensor([0.25, 0.0]).double())
        torch.testing.assert_close(weights / weights.sum(), torch.tensor([1.0, 0.0]).double())

    @pytest.mark.parametrize("d", [16, 64, 256])
    def test_scores_have_the_deviation_root_d(self, d):
        torch.manual_seed(0)
        scores = (torch.randn(20_000, d) * torch.randn(20_000, d)).sum(1)
        assert abs(scores.std() / d**0.5 - 1) < 0.05
        assert abs((scores / d).std() * d**0.5 - 1) < 0.05

    def test_a_row_without_keys_is_nan_and_a_finite_fill_gives_equal_weights(self):
        assert torch.full((4,), -torch.inf).softmax(0).isnan().all()
        low = torch.full((4,), torch.finfo(torch.float32).min)
        assert low.softmax(0).tolist() == [0.25] * 4

    def test_is_causal_shows_one_query_only_the_first_key(self):
        q, k, v = torch.randn(1, 1, 4), torch.randn(1, 6, 4), torch.randn(1, 6, 4)
        out = scaled_dot_product_attention(q, k, v, is_causal=True)
        torch.testing.assert_close(out, v[:, :1])

    @pytest.mark.parametrize("mistake", ["no mask", "view without transpose", "no transpose back"])
    def test_one_token_hides_the_mask_and_the_transposes(self, mistake):
        x, w_in, w_out = inputs(2, 1, 12)
        out, _ = broken.attention(x, w_in, w_out, 3, mistake)
        torch.testing.assert_close(out, broken.reference(x, w_in, w_out, 3))

    @pytest.mark.parametrize("t", [4, 8])
    def test_other_wrong_transposes_raise(self, t):
        q = torch.randn(2, 3, t, 5)
        with pytest.raises(RuntimeError):
            q @ q
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            q.transpose(1, 2).view(2, t, 15)

    @pytest.mark.parametrize("mistake", ["view without transpose", "no transpose back"])
    def test_one_head_hides_the_transposes(self, mistake):
        x, w_in, w_out = inputs(2, 6, 8)
        out, _ = broken.attention(x, w_in, w_out, 1, mistake)
        assert torch.allclose(out, broken.reference(x, w_in, w_out, 1))

    @pytest.mark.parametrize("width", [8, 16])
    def test_the_plain_sum_behind_a_layer_norm_hides_a_leak(self, width):
        x, w_in, w_out = inputs(2, 5, width)
        out = nn.LayerNorm(width).double()(broken.attention(x, w_in, w_out, 2, "no mask")[0])
        (grad,) = torch.autograd.grad(out[:, 0].sum(), x, retain_graph=True)
        assert grad.abs().max() < 1e-9
        assert broken.leaks(out, x)

    def test_dividing_by_the_sum_can_leave_a_rounding_error(self):
        x, w_in, w_out = inputs(2, 8, 16)
        out, _ = broken.attention(x, w_in, w_out, 4, "mask after softmax, divided by the sum")
        largest = max(
            torch.autograd.grad(out[:, t].sum(), x, retain_graph=True)[0][:, t + 1 :].abs().max() for t in range(7)
        )
        assert 0 < largest < 1e-9

    @pytest.mark.parametrize(("dtype", "gap"), [(torch.float16, 18.0), (torch.float32, 104.0)])
    def test_dividing_by_the_sum_is_nan_if_the_future_score_is_far_larger(self, dtype, gap):
        for larger, nan in ((gap, True), (gap - 2, False)):
            weights = torch.tensor([0.0, larger], dtype=dtype).softmax(0) * torch.tensor([1.0, 0.0], dtype=dtype)
            assert (weights / weights.sum()).isnan().any() == nan

    @pytest.mark.parametrize("hidden", ["itself", "all but a window", "nothing, heads and channels swapped"])
    def test_a_mask_that_hides_too_much_and_swapped_heads_do_not_leak(self, hidden):
        x, w_in, w_out = inputs(2, 6, 12)
        cut = {"itself": (0, -6), "all but a window": (1, -2)}.get(hidden, (1, -6))
        near = torch.ones(6, 6).tril(cut[0] - 1).triu(cut[1] + 1).bool()
        q, k, v = (x @ w_in).chunk(3, -1)
        if "swapped" in hidden:
            q, k, v = (z.unflatten(-1, (-1, 3)).permute(0, 3, 1, 2) for z in (q, k, v))
        else:
            q, k, v = (z.unflatten(-1, (3, -1)).transpose(1, 2) for z in (q, k, v))
        out = ((q @ k.mT / 2).masked_fill(~near, -torch.inf).softmax(-1) @ v).permute(0, 2, 1, 3)
        if "swapped" in hidden:
            out = out.mT
        out = out.flatten(2) @ w_out
        assert not broken.leaks(out, x)
        assert not torch.allclose(out, broken.reference(x, w_in, w_out, 3))
        assert out[:, 0].isnan().all() == (hidden == "itself")

    def test_an_output_projection_of_zeros_hides_a_leak(self):
        x, w_in, w_out = inputs(2, 5, 8)
        for weight, leaks in ((w_out, True), (0 * w_out, False)):
            out, _ = broken.attention(x, w_in, weight, 2, "no mask")
            assert broken.leaks(x + out, x) == leaks

    @pytest.mark.parametrize("fill", [None, -torch.inf])
    def test_pytorchs_function_returns_zeros_for_a_row_without_keys(self, fill):
        q, seen = torch.randn(1, 2, 3, 4), torch.ones(3, 3).tril().bool()
        seen[:, 0] = False
        mask = seen if fill is None else torch.zeros(3, 3).masked_fill(~seen, fill)
        out = scaled_dot_product_attention(q, q, q, attn_mask=mask)
        assert not out[:, :, 0].any() and out[:, :, 1:].all()

    def test_float16_takes_minus_infinity_but_not_minus_1e9(self):
        scores, mask = torch.zeros(3, dtype=torch.float16), torch.tensor([True, False, False])
        with pytest.raises(RuntimeError, match="overflow"):
            scores.masked_fill(mask, -1e9)
        for fill in (-torch.inf, torch.finfo(torch.float16).min):
            assert scores.masked_fill(mask, fill).float().softmax(0).tolist() == [0, 0.5, 0.5]

    def test_a_leaking_model_learns_random_tokens_and_a_causal_one_cannot(self):
        losses = {}
        for mistake in ("no mistake", "diagonal masked too little"):
            torch.manual_seed(0)
            embed, place = nn.Embedding(6, 16), nn.Parameter(torch.randn(8, 16) / 4)
            w_in, w_out = (nn.Parameter(torch.randn(16, n) / 4) for n in (48, 16))
            head = nn.Linear(16, 6)
            steps = torch.optim.Adam([*embed.parameters(), *head.parameters(), place, w_in, w_out], 3e-2)
            for _ in range(120):
                tokens = torch.randint(6, (64, 9))
                x = embed(tokens[:, :-1]) + place
                out, _ = broken.attention(x, w_in, w_out, 2, mistake)
                loss = nn.functional.cross_entropy(head(x + out).flatten(0, 1), tokens[:, 1:].flatten())
                steps.zero_grad()
                loss.backward()
                steps.step()
            losses[mistake] = loss.item()
        assert losses["no mistake"] > math.log(6) - 0.1
        assert losses["diagonal masked too little"] < losses["no mistake"] - 0.5
