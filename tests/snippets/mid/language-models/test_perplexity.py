"""Every claim of docs/mid/language-models/perplexity.md, proven beyond the example shown."""

import math

import pytest
import torch
from torch.nn.functional import cross_entropy

from warmup.testing import load_snippet

page = load_snippet("mid/language-models/perplexity.py")
windows = load_snippet("mid/language-models/perplexity_windows.py")


class TestPerplexity:
    @pytest.mark.parametrize("size", [2, 4])
    def test_longer_tokens_raise_perplexity_and_not_bits_per_byte(self, size):
        total, n = sum(page.losses), len(page.losses)
        assert n % size == 0 and page.text.isascii()
        one, longer = math.exp(total / n), math.exp(total / (n / size))
        assert longer == pytest.approx(one**size) and longer > 2 * one
        assert math.log2(longer) / size == pytest.approx(math.log2(one))

    def test_probabilities_of_the_model_add_up_to_one(self):
        for first in set(page.text[:-1]):
            found = sum(n for (a, _), n in page.pairs.items() if a == first)
            assert found == page.firsts[first]

    def test_nine_percent_longer_tokens_turn_the_answer(self):
        assert round(math.log(15) / math.log(12), 2) == 1.09
        assert math.log2(15) / (4 * 1.10) < math.log2(12) / 4 < math.log2(15) / (4 * 1.08)
        assert math.log2(15) / 5 < math.log2(12) / 4 < math.log2(15) / 4

    @pytest.mark.parametrize("losses", [(1.0, 3.0), (0.5, 0.6, 4.0)])
    def test_the_mean_of_perplexities_is_larger(self, losses):
        losses = torch.tensor(losses)
        assert losses.exp().mean() > losses.mean().exp() * 1.2

    def test_batches_of_different_tokens_need_a_weighted_mean(self):
        torch.manual_seed(0)
        logits, target = torch.randn(9, 5).double(), torch.randint(5, (9,))
        whole = cross_entropy(logits, target)
        parts = [cross_entropy(logits[a:b], target[a:b]) for a, b in ((0, 7), (7, 9))]
        assert not torch.isclose(sum(parts) / 2, whole)
        torch.testing.assert_close((7 * parts[0] + 2 * parts[1]) / 9, whole)

    @pytest.mark.parametrize("vocabulary", [7, 50_000])
    def test_a_uniform_model_has_the_perplexity_of_its_vocabulary(self, vocabulary):
        logits = torch.zeros(3, vocabulary, dtype=torch.double)
        loss = cross_entropy(logits, torch.tensor([0, 2, 5]))
        assert loss.exp().item() == pytest.approx(vocabulary)

    @pytest.mark.parametrize(("std", "low", "high"), [(0.02, 1.0, 1.2), (1.0, 1e6, math.inf)])
    def test_an_untrained_model_is_uniform_only_if_its_logits_are_small(self, std, low, high):
        torch.manual_seed(0)
        hidden = torch.nn.functional.layer_norm(torch.randn(256, 128), (128,))
        head = std * torch.randn(2000, 128)
        loss = cross_entropy(hidden @ head.T, torch.randint(2000, (256,)))
        assert low < loss.exp() / 2000 < high

    def test_a_loss_of_2_77_with_four_bytes_is_one_bit_per_byte(self):
        assert 2.77 / math.log(2) / 4 == pytest.approx(1, abs=0.001)

    def test_shorter_context_raises_perplexity_and_overlap_lowers_it(self):
        short, long = windows.perplexity(8, 8), windows.perplexity(64, 64)
        assert short > 1.2 * long > 1.2 * windows.perplexity(64, 32)
        assert windows.perplexity(16, 8) < windows.perplexity(16, 16)

    @pytest.mark.parametrize(("window", "stride"), [(64, 32), (32, 16)])
    def test_an_overlap_as_long_as_the_model_reads_is_enough(self, window, stride):
        assert windows.perplexity(window, stride) == pytest.approx(windows.perplexity(window, 1), rel=0.01)

    def test_two_tokenizations_make_the_usual_one_a_lower_bound(self):
        ab, a, b = 0.5, 0.3, 0.2  # independent tokens: "ab" is ab, or a then b
        assert ab + a * b > ab

    def test_characters_can_have_several_bytes(self):
        assert [len(c.encode()) for c in "aé€😀"] == [1, 2, 3, 4]
