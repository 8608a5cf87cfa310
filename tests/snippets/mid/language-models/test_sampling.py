"""Every claim of docs/mid/language-models/sampling.md, proven beyond the example shown."""

import math

import pytest
import torch

from warmup.testing import load_snippet

page = load_snippet("mid/language-models/sampling.py")
chain = load_snippet("mid/language-models/sampling_chain.py")


def with_tail(size, seed=1):
    torch.manual_seed(seed)
    logits = 2 * torch.randn(size, dtype=torch.double)
    logits[:2] = torch.tensor([16.0, 14.0])
    return logits


class TestSampling:
    @pytest.mark.parametrize("size", [20_000, 50_000])
    def test_temperature_first_makes_top_p_keep_thousands_and_min_p_two(self, size):
        logits = with_tail(size)
        assert page.top_p(logits, 0.9) == page.min_p(logits, 0.1) == 2
        assert page.top_p(logits / 2, 0.9) > size / 4
        assert page.min_p(logits / 2, 0.1) == 2
        assert (logits / 2).softmax(0)[2:].sum() > 0.85

    def test_top_k_at_a_high_temperature_leaves_few_bad_tokens_with_a_quarter(self):
        kept = (with_tail(50_000) / 2).topk(40).values.softmax(0)
        assert 0.2 < kept[2:].sum() < 0.3
        assert (with_tail(50_000)).topk(40).values.softmax(0)[2:].sum() < 0.01

    @pytest.mark.parametrize("draft", [[0.4, 0.3, 0.2, 0.1], [0.1, 0.9, 0.0, 0.0]])
    def test_a_draft_with_other_filters_still_gives_the_target(self, draft):
        p, q = torch.tensor([0.7, 0.3, 0.0, 0.0]).double(), torch.tensor(draft).double()
        accepted = torch.minimum(p, q)  # drawn from q, kept with min(1, p / q)
        rest = (p - q).clamp(min=0)
        torch.testing.assert_close(accepted + (1 - accepted.sum()) * rest / rest.sum(), p)
        wrong = torch.tensor([0.25] * 4).double()  # not what the draft was drawn from
        kept = q * (p / wrong).clamp(max=1)
        rest = (p - wrong).clamp(min=0)
        assert not torch.allclose(kept + (1 - kept.sum()) * rest / rest.sum(), p, atol=0.01)

    @pytest.mark.parametrize("k", [40, 200])
    def test_bfloat16_makes_ties_at_the_boundary(self, k):
        torch.manual_seed(0)
        tied = [(v := torch.randn(50_000).mul(3).bfloat16().topk(k + 1).values)[-1] == v[-2] for _ in range(20)]
        assert sum(tied) > 10

    def test_joint_filters_commute(self):
        p = torch.tensor([0.5, 0.2, 0.09, 0.06, 0.05, 0.04, 0.03, 0.03])
        jointly = (torch.arange(8) < 4) & (p.cumsum(0) - p < 0.8)
        assert jointly.sum() == 4  # two if top-p is measured after top-k

    @pytest.mark.parametrize("temperature", [0.3, 2.5])
    def test_temperature_is_a_power_of_the_probability(self, temperature):
        logits = torch.randn(50, dtype=torch.double)
        power = logits.softmax(0) ** (1 / temperature)
        torch.testing.assert_close((logits / temperature).softmax(0), power / power.sum())

    def test_a_gap_of_eight(self):
        assert (round(math.exp(8)), round(math.exp(4))) == (2981, 55)

    @pytest.mark.parametrize("temperature", [0.5, 3.0])
    def test_top_k_keeps_the_same_tokens_at_each_temperature(self, temperature):
        logits = torch.randn(1000, dtype=torch.double)
        assert (logits / temperature).topk(40).indices.tolist() == logits.topk(40).indices.tolist()

    @pytest.mark.parametrize("share", [0.05, 0.5])
    @pytest.mark.parametrize("temperature", [0.7, 2.0])
    def test_min_p_is_a_threshold_on_logits(self, share, temperature):
        logits = 3 * torch.randn(1000, dtype=torch.double)
        probs = (logits / temperature).softmax(0)
        kept = int((probs >= share * probs.max()).sum())
        assert page.min_p(logits / temperature, share) == kept
        assert kept == int((logits >= logits.max() + temperature * math.log(share)).sum())
        longer = torch.cat([logits, torch.full((5000,), -9.0, dtype=torch.double)])
        assert page.min_p(longer / temperature, share) == kept

    @pytest.mark.parametrize("p", [0.5, 0.9])
    def test_top_p_keeps_the_smallest_set(self, p):
        logits = torch.randn(300, dtype=torch.double)
        n, probs = page.top_p(logits, p), logits.softmax(0).sort(descending=True).values
        assert probs[:n].sum() >= p > probs[: n - 1].sum()
        counts = [page.top_p(logits / t, p) for t in (0.5, 1.0, 2.0, 4.0)]
        assert counts == sorted(counts) and counts[0] < counts[-1]

    def test_the_best_token_alone(self):
        logits = torch.tensor([9.0, 0.0, 0.0])
        assert page.top_p(logits, 0.9) == 1 and page.top_p(logits / 2, 0.9) == 1

    def test_temperature_zero_raises_and_its_limit_is_argmax(self):
        logits = torch.tensor([2.0, 0.0, -1.0])
        with pytest.raises(RuntimeError, match="probability tensor"):
            torch.multinomial((logits / 0).softmax(-1), 1)
        low = (torch.randn(4, 100, dtype=torch.double) / 1e-6).softmax(-1)
        assert (low.max(-1).values > 0.999).all()

    def test_top_k_before_top_p_keeps_fewer(self):
        probs = [0.5, 0.2, 0.09, 0.06, 0.05, 0.04, 0.03, 0.03]
        assert len(chain.top_p(probs, 0.8)) == 4
        assert len(chain.top_p(chain.top_k(probs, 4), 0.8)) == 2
        assert round(sum(probs[:2]) / sum(probs[:4]), 2) == 0.82
        assert sum(chain.top_k(probs, 3)) == pytest.approx(1)

    def test_a_small_tail_reaches_most_long_answers(self):
        assert round(1 - 0.99**500, 3) == 0.993 and round(1 - 0.999**500, 2) == 0.39

    def test_dividing_by_a_penalty_helps_a_negative_logit(self):
        logits = torch.tensor([3.0, -3.0])
        assert (logits / 1.5 < logits).tolist() == [True, False]
