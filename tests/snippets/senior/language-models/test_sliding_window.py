"""What docs/senior/language-models/sliding-window.md claims, proven beyond the example shown."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import layer_norm, scaled_dot_product_attention
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

cache = load_snippet("senior/language-models/sliding_window_cache.py")
sink = load_snippet("senior/language-models/sliding_window_sink_broken.py")


def band(tokens, window, both=False):
    distance = torch.arange(tokens)[:, None] - torch.arange(tokens)
    return (distance.abs() <= window) if both else (distance >= 0) & (distance < window)


def shares(masks, scale=1.0, query=-1, seed=1, width=12):
    """The share of each input in the gradient of one output, through a layer per mask."""
    torch.manual_seed(seed)
    x = h = torch.randn(len(masks[0]), width, dtype=torch.double, requires_grad=True)
    for mask in masks:
        q, k, v = layer_norm(h, (width,)) @ torch.randn(3, width, width).double() / width**0.5
        h = h + scaled_dot_product_attention(scale * q, k, v, attn_mask=mask)
    (g,) = torch.autograd.grad(h[query] @ torch.randn(width).double(), x)
    return g.norm(dim=1) / g.norm(dim=1).sum()


class TestSlidingWindow:
    @pytest.mark.parametrize("window", [2, 16])
    def test_a_mask_alone_saves_no_work(self, window):
        def flops(tokens, window):
            q = torch.randn(1, 1, tokens, 4)
            with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
                scaled_dot_product_attention(q, q, q, attn_mask=band(tokens, window))
            return counter.get_total_flops()

        assert flops(64, window) == flops(64, 64) > 0
        assert flops(128, window) == 4 * flops(64, window)

    @pytest.mark.parametrize("window", [2, 5, 8])
    @pytest.mark.parametrize("layers", [1, 3, 7])
    def test_layers_reach_l_times_w_minus_one_plus_one_tokens(self, window, layers):
        share = shares([band(70, window)] * layers)
        assert int((share > 0).sum()) == layers * (window - 1) + 1
        assert not share[: -layers * (window - 1) - 1].any()

    def test_a_window_that_does_not_count_the_token_itself_reaches_one_more_per_layer(self):
        for window, layers in ((3, 2), (6, 4)):
            share = shares([band(70, window + 1)] * layers)
            assert int((share > 0).sum()) == layers * window + 1

    @pytest.mark.parametrize(("window", "layers"), [(2, 3), (3, 5)])
    def test_an_encoder_sees_both_sides(self, window, layers):
        share = shares([band(61, window, both=True)] * layers, query=30)
        assert int((share > 0).sum()) == 2 * layers * window + 1

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_the_more_layers_the_less_arrives_from_the_far_end(self, seed):
        far = [shares([band(70, 8)] * n, seed=seed)[-n * 7 - 1].item() for n in (1, 4, 8)]
        assert far[0] > 100 * far[1] > 100 * 100 * far[2] > 0 and far[2] < 1e-7

    def test_the_farthest_token_arrives_by_one_path_and_near_ones_by_many(self):
        for window, layers in ((3, 3), (8, 8)):
            paths = torch.linalg.matrix_power(band(80, window).double(), layers)[-1]
            far = layers * (window - 1) + 1
            assert paths[-far] == 1 and paths[-far + 1] == layers
            assert paths.max() > 5 and paths[-far:].sum() == window**layers
        assert pytest.approx(1 / 16.8e6, rel=0.01) == 1 / 8**8

    def test_with_large_scores_fewer_tokens_reach(self):
        mild, large = (int((shares([band(70, 8)] * 4, scale) > 0).sum()) for scale in (1, 300))
        assert mild == 29 > large

    @pytest.mark.parametrize("place", [0, 2])
    def test_with_one_global_layer_every_token_reaches(self, place):
        masks = [band(70, 4)] * 3
        masks[place] = band(70, 70)
        assert (shares(masks) > 0).all()


class TestCache:
    @pytest.mark.parametrize(("window", "tokens"), [(1, 5), (5, 23), (16, 9)])
    def test_the_ring_equals_the_mask_at_every_step(self, window, tokens):
        torch.manual_seed(2)
        q, k, v = torch.randn(3, tokens, 4, dtype=torch.double)
        right = scaled_dot_product_attention(q, k, v, attn_mask=band(tokens, window))
        ring = cache.WindowCache(window, 4, torch.double)
        steps = torch.stack([ring.step(*token) for token in zip(q, k, v, strict=True)])
        torch.testing.assert_close(steps, right)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_the_order_of_the_slots_does_not_matter(self, seed):
        torch.manual_seed(seed)
        q, k, v = torch.randn(3, 9, 4, dtype=torch.double)
        order = torch.randperm(9)
        torch.testing.assert_close(
            scaled_dot_product_attention(q, k, v), scaled_dot_product_attention(q, k[order], v[order])
        )

    @pytest.mark.parametrize(("window", "chunk"), [(4, 3), (8, 5)])
    def test_a_chunk_needs_w_plus_c_minus_one_slots(self, window, chunk):
        for slots in (window, window + chunk - 2, window + chunk - 1):
            kept = set(range(40 + chunk))  # positions in the ring after the chunk was written
            kept = {p for p in kept if p >= 40 + chunk - slots}
            needed = {p for new in range(40, 40 + chunk) for p in range(new - window + 1, new + 1)}
            assert (needed <= kept) == (slots >= window + chunk - 1)

    def test_a_global_layer_keeps_one_gibibyte_and_eight_of_the_mixed_models_8_31(self):
        assert cache.gibibytes(131_072, [None]) == 1
        assert cache.gibibytes(131_072, [None] * 8) / cache.gibibytes(131_072, [1024] * 40 + [None] * 8) > 0.96
        assert cache.gibibytes(1000, [None] * 48) == cache.gibibytes(1000, [1024] * 48)

    @pytest.mark.parametrize("window", [512, 2048])
    def test_the_cache_of_a_local_layer_stops_growing_at_the_window(self, window):
        sizes = [cache.gibibytes(n, [window] * 3, heads=2, width=64) for n in (window // 2, window, 10 * window)]
        assert sizes[0] * 2 == sizes[1] == sizes[2]


class TestSink:
    @pytest.fixture(scope="class")
    @staticmethod
    def learned():
        torch.manual_seed(5)
        return sink.train(steps=200)

    def test_the_head_learns_a_sink_with_a_small_value(self, learned):
        kinds, values, _ = sink.contexts(400)
        _, weights = sink.head(*learned, kinds, values)
        nothing = kinds[:, -2] != sink.FIND
        assert weights[nothing, 0].mean() > 0.85 and learned[1].abs().max() < 0.3
        assert weights[~nothing, -2].mean() > 0.95

    @pytest.mark.parametrize("last", [8, 24])
    def test_without_the_sink_the_mean_of_ordinary_values_is_added_and_a_found_token_hides_it(self, learned, last):
        torch.manual_seed(6)
        kinds, values, targets = sink.contexts(1000)
        nothing = kinds[:, -2] != sink.FIND
        for keep, broken in ((list(range(32 - last, 32)), True), ([0, *range(33 - last, 32)], False)):
            out, _ = sink.head(*learned, kinds[:, keep], values[:, keep])
            error = (out - targets).norm(dim=1)
            assert (error[nothing].mean() > 2.5) == broken and (error[nothing].mean() < 0.5) != broken
            assert error[~nothing].mean() < 0.2

    @pytest.mark.parametrize(("weight", "factor"), [(0.9, 10), (0.5, 2)])
    def test_a_sink_that_leaves_multiplies_all_others_by_one_over_one_minus_a(self, weight, factor):
        torch.manual_seed(0)
        scores = torch.randn(20, dtype=torch.double)
        scores[0] = scores[1:].logsumexp(0) + torch.tensor(weight / (1 - weight)).double().log()
        before, after = scores.softmax(0), scores[1:].softmax(0)
        assert before[0].item() == pytest.approx(weight)
        torch.testing.assert_close(after, factor * before[1:])

    def test_a_learned_number_in_the_softmax_is_a_sink_without_a_key(self):
        torch.manual_seed(0)
        scores, values = torch.randn(6).double(), torch.randn(6, 3).double()
        for number in (-2.0, 5.0):
            weights = torch.cat([scores, torch.tensor([number]).double()]).softmax(0)[:-1]
            assert weights.sum() < 1
            with_zero = torch.cat([values, torch.zeros(1, 3).double()])
            key = torch.cat([scores, torch.tensor([number]).double()]).softmax(0) @ with_zero
            torch.testing.assert_close(weights @ values, key)
