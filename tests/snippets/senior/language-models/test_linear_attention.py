"""What docs/senior/language-models/linear-attention.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

main = load_snippet("senior/language-models/linear_attention.py")
recall = load_snippet("senior/language-models/linear_attention_recall_broken.py")


def qkv(tokens, width, values, seed=1):
    torch.manual_seed(seed)
    return (torch.randn(tokens, n, dtype=torch.double) for n in (width, width, values))


def mean_recall(pairs, rule, draws=8, **options):
    return torch.stack([recall.recalled(pairs, rule, **options) for _ in range(draws)]).double().mean(0)


class TestForms:
    @pytest.mark.parametrize(("tokens", "size"), [(50, 50), (50, 7), (33, 1), (33, 100)])
    def test_all_chunk_sizes_equal_the_masked_product(self, tokens, size):
        q, k, v = qkv(tokens, 8, 5)
        torch.testing.assert_close(main.chunked(q, k, v, size), (q @ k.T).tril() @ v)

    def test_the_forms_agree_in_their_gradients_too(self):
        grads = []
        for size in (40, 8, 1):
            q, k, v = (z.requires_grad_() for z in qkv(40, 8, 8))
            grads.append(torch.autograd.grad(main.chunked(q, k, v, size).square().sum(), (q, k, v)))
        for other in grads[1:]:
            for a, b in zip(grads[0], other, strict=True):
                torch.testing.assert_close(a, b)

    @pytest.mark.parametrize("tokens", [1024, 4096])
    def test_a_bfloat16_state_makes_the_recurrence_worse_than_the_product(self, tokens):
        q, k, v = qkv(tokens, 64, 64)
        exact, error = main.chunked(q, k, v, 64), {}
        for dtype, size in ((torch.bfloat16, tokens), (torch.bfloat16, 1), (torch.float32, 1)):
            found = main.chunked(*(z.to(dtype) for z in (q, k, v)), size)
            error[dtype, size] = ((found - exact).norm() / exact.norm()).item()
        assert error[torch.bfloat16, 1] > 5 * error[torch.bfloat16, tokens] and error[torch.float32, 1] < 1e-5

    @pytest.mark.parametrize(("tokens", "size", "width"), [(128, 32, 16), (256, 16, 64)])
    def test_the_work_is_4tcd_plus_4tdd(self, tokens, size, width):
        q, k, v = qkv(tokens, width, width)
        with FlopCounterMode(display=False) as count:
            main.chunked(q, k, v, size)
        assert count.get_total_flops() == 4 * tokens * size * width + 4 * tokens * width**2

    def test_softmax_attention_has_no_state_of_this_kind(self):
        """exp(q . k) for n queries and keys has rank n, not d: no factors of width d give it."""
        for width in (2, 3):
            q, k, _ = qkv(6, width, 1)
            assert torch.linalg.matrix_rank(q @ k.T) == width < torch.linalg.matrix_rank((q @ k.T).exp())

    def test_with_a_feature_map_and_a_denominator_the_state_has_one_more_column(self):
        q, k, v = qkv(30, 8, 5)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        weights = (q @ k.T).tril()
        wanted = (weights / weights.sum(1, keepdim=True)) @ v
        for size in (1, 7):
            out = main.chunked(q, k, torch.cat([v, torch.ones(30, 1).double()], 1), size)
            torch.testing.assert_close(out[:, :5] / out[:, 5:], wanted)

    def test_state_and_cache_are_equal_at_half_the_head_width(self):
        for width in (64, 128):
            tokens = width // 2
            state, cache = torch.empty(width, width), torch.empty(2, tokens, width)
            assert state.nbytes == cache.nbytes
            assert state.nbytes == cache.repeat(1, 2, 1).bfloat16().nbytes  # twice the tokens
            assert 4 * state.nbytes == cache.repeat(1, 4, 1).nbytes  # four states per cached key head


class TestRecall:
    @pytest.mark.parametrize("width", [16, 48])
    def test_reading_gives_the_value_and_cross_talk_as_large_at_d_pairs(self, width):
        torch.manual_seed(0)
        noise = []
        for _ in range(20):
            keys = F.normalize(torch.randn(width + 1, width, dtype=torch.double), dim=1)
            values = F.normalize(torch.randn(width + 1, 64, dtype=torch.double), dim=1)
            noise.append((keys @ recall.write(keys, values, "sum") - values).norm(dim=1).mean())
        assert 0.85 < torch.stack(noise).mean() < 1.15  # values have norm 1

    @pytest.mark.parametrize("width", [8, 64, 256])
    def test_positive_keys_have_more_cross_talk_than_the_value_at_four_pairs_whatever_the_width(self, width):
        torch.manual_seed(0)
        noise = {2: [], 4: []}
        for pairs in noise:
            for _ in range(40):
                keys = F.elu(torch.randn(pairs, width, dtype=torch.double)) + 1
                values = F.normalize(torch.randn(pairs, 64, dtype=torch.double), dim=1)
                weights = keys @ keys.T / (keys @ keys.T).sum(1, keepdim=True)
                own = weights.diagonal()[:, None] * values
                noise[pairs].append(((weights @ values - own).norm(dim=1) / own.norm(dim=1)).mean())
        few, many = (torch.stack(each).mean() for each in noise.values())
        assert few < 0.95 and many > 1.05

    @pytest.mark.parametrize(("width", "few", "many"), [(16, 8, 128), (48, 32, 384)])
    def test_the_sum_recalls_few_pairs_and_fails_beyond_softmax_never(self, width, few, many):
        torch.manual_seed(1)
        assert mean_recall(few, "sum", width=width).mean() > 0.95
        assert mean_recall(many, "sum", draws=3, width=width).mean() < 0.6
        assert mean_recall(many, "softmax", draws=3, width=width).mean() == 1

    def test_the_delta_rule_keeps_the_newest_and_the_sum_loses_pairs_of_every_age(self):
        for width, pairs in ((32, 160), (24, 96)):
            torch.manual_seed(2)
            delta, plain = (mean_recall(pairs, rule, width=width) for rule in ("delta", "sum"))
            assert delta[-8:].mean() > 0.95 and delta[: pairs // 3].mean() < 0.1
            assert delta.mean() < plain.mean() < 0.9
            thirds = torch.stack([part.mean() for part in plain.tensor_split(3)])
            assert thirds.max() - thirds.min() < 0.15

    @pytest.mark.parametrize("decay", [0.95, 0.9])
    def test_with_decay_the_sum_recalls_the_newest_only(self, decay):
        torch.manual_seed(3)
        hits = mean_recall(128, "sum", decay=decay)
        assert hits[-8:].mean() > 0.95 and hits[:64].mean() < 0.1

    def test_orthogonal_keys_are_recalled_exactly_and_there_are_at_most_d(self):
        for rule in ("sum", "delta"):
            keys = torch.linalg.qr(torch.randn(12, 12, dtype=torch.double)).Q
            values = torch.randn(12, 5, dtype=torch.double)
            torch.testing.assert_close(keys @ recall.write(keys, values, rule), values)
            assert not torch.allclose(2 * keys @ recall.write(2 * keys, values, rule), values)  # nor of norm two
        assert torch.linalg.matrix_rank(torch.randn(20, 12)) == 12

    def test_small_scores_blur_softmax_too(self):
        for seed in (0, 1):
            torch.manual_seed(seed)
            keys = F.normalize(torch.randn(128, 32, dtype=torch.double), dim=1)
            values = F.normalize(torch.randn(128, 64, dtype=torch.double), dim=1)
            for scale, low, high in ((1, 0, 0.2), (20, 1, 1)):
                read = (keys @ keys.T * scale).softmax(1) @ values
                share = ((read @ values.T).argmax(1) == torch.arange(128)).double().mean()
                assert low <= share <= high

    def test_strength_one_half_keeps_more_pairs_and_moves_a_reading_halfway(self):
        torch.manual_seed(4)
        shares = []
        for strength in (1.0, 0.5):
            hits = []
            for _ in range(6):
                keys = F.normalize(torch.randn(128, 32, dtype=torch.double), dim=1)
                values = F.normalize(torch.randn(128, 64, dtype=torch.double), dim=1)
                state = torch.zeros(32, 64, dtype=torch.double)
                for key, value in zip(keys, values, strict=True):
                    before = key @ state
                    state = state + strength * torch.outer(key, value - before)
                    torch.testing.assert_close(key @ state, before + strength * (value - before))
                hits.append(((keys @ state @ values.T).argmax(1) == torch.arange(128)).double().mean())
            shares.append(sum(hits) / 6)
        assert shares[1] > shares[0] + 0.1


class TestDeltaRule:
    def test_a_key_written_twice_reads_both_values_or_the_new_one(self):
        for seed in (0, 1):
            torch.manual_seed(seed)
            keys = F.normalize(torch.randn(1, 16, dtype=torch.double), dim=1).repeat(2, 1)
            values = torch.randn(2, 8, dtype=torch.double)
            read = {rule: keys[0] @ recall.write(keys, values, rule) for rule in ("sum", "delta")}
            torch.testing.assert_close(read["sum"], values.sum(0))
            torch.testing.assert_close(read["delta"], values[1])

    @pytest.mark.parametrize(("squared", "grows"), [(1.5, False), (2.5, True)])
    def test_a_squared_norm_above_two_makes_repeated_writes_grow(self, squared, grows):
        torch.manual_seed(5)
        key = F.normalize(torch.randn(1, 8, dtype=torch.double), dim=1) * squared**0.5
        value = torch.randn(1, 4, dtype=torch.double)
        errors = [(key @ recall.write(key.repeat(n, 1), value.repeat(n, 1), "delta") - value).norm() for n in (1, 2, 9)]
        assert (errors[0] < errors[1] < errors[2]) == grows
        assert (errors[2] < 0.01 * value.norm()) == (not grows)
