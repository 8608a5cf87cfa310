"""Every claim of docs/mid/language-models/language-model-loss.md, proven beyond the example shown."""

import math

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, one_hot

from warmup.testing import load_snippet

page = load_snippet("mid/language-models/language_model_loss.py")


def batch(b=3, t=9, v=7, seed=0):
    torch.manual_seed(seed)
    return torch.randn(b, t, v).double().requires_grad_(), torch.randint(v, (b, t))


class TestLanguageModelLoss:
    @pytest.mark.parametrize("lengths", [[9, 5, 2], [4, 4, 9]])
    def test_the_sum_is_over_the_next_tokens_that_count(self, lengths):
        logits, tokens = batch()
        counts = torch.arange(9) < torch.tensor(lengths)[:, None]
        total, count = page.loss_sum(logits, tokens, counts)
        by_hand = [-logits[i, t].log_softmax(-1)[tokens[i, t + 1]] for i, n in enumerate(lengths) for t in range(n - 1)]
        torch.testing.assert_close(total, sum(by_hand))
        assert count == len(by_hand)

    def test_the_last_prompt_token_predicts_the_first_answer_token(self):
        logits, tokens = batch(1, 6)
        counts = torch.tensor([[False, False, True, True, True, False]])
        page.loss_sum(logits, tokens, counts)[0].backward()
        assert logits.grad[0].any(-1).tolist() == [False, True, True, True, False, False]

    @pytest.mark.parametrize("v", [5, 50])
    def test_copying_the_input_is_free_without_the_shift_and_worse_than_uniform_with_it(self, v):
        torch.manual_seed(0)
        tokens = torch.randint(v, (40, 30))
        logits = 10.0 * one_hot(tokens, v).double()
        total, count = page.loss_sum(logits, tokens, torch.ones_like(tokens).bool())
        assert cross_entropy(logits.flatten(0, 1), tokens.flatten()) < 0.01
        assert total / count > math.log(v) + 2
        uniform, count = page.loss_sum(0 * logits, tokens, torch.ones_like(tokens).bool())
        assert abs(uniform / count - math.log(v)) < 1e-9

    @pytest.mark.parametrize("split", [[4, 2], [1, 5], [2, 2, 2]])
    def test_sums_by_the_total_count_give_the_gradient_of_the_whole_batch(self, split):
        logits, tokens = batch(6)
        counts = torch.arange(9) < torch.tensor([9, 2, 5, 3, 8, 4])[:, None]
        total, count = page.loss_sum(logits, tokens, counts)
        (whole,) = torch.autograd.grad(total / count, logits)
        parts = list(zip(logits.split(split), tokens.split(split), counts.split(split), strict=True))
        pieces = [page.loss_sum(*part) for part in parts]
        count = sum(n for _, n in pieces)
        # DDP: the mean over ranks of (ranks * local sum / global count)
        ranks = len(pieces)
        loss = sum(ranks * s / count for s, _ in pieces) / ranks
        (added,) = torch.autograd.grad(loss, logits, retain_graph=True)
        torch.testing.assert_close(added, whole)
        (means,) = torch.autograd.grad(sum(s / n for s, n in pieces) / ranks, logits)
        assert not torch.allclose(means, whole)

    def test_with_equal_counts_the_mean_of_means_is_the_mean(self):
        logits, tokens = batch(4)
        full = torch.ones_like(tokens).bool()
        total, count = page.loss_sum(logits, tokens, full)
        halves = [page.loss_sum(logits[i : i + 2], tokens[i : i + 2], full[:2]) for i in (0, 2)]
        torch.testing.assert_close(sum(s / n for s, n in halves) / 2, total / count)

    def test_no_label_is_nan_in_the_mean_and_zero_in_the_sum(self):
        for reduction, nan in (("mean", True), ("sum", False)):
            logits = torch.randn(4, 5, requires_grad=True)
            loss = cross_entropy(logits, torch.full((4,), -100), reduction=reduction)
            loss.backward()
            assert loss.isnan() == nan and not logits.grad.any()
            assert nan or loss == 0

    def test_no_label_is_nan_in_the_gradient_of_a_mask_by_hand(self):
        logits, mask = torch.randn(4, 5, requires_grad=True), torch.zeros(4)
        losses = cross_entropy(logits, torch.zeros(4).long(), reduction="none")
        ((losses * mask).sum() / mask.sum()).backward()
        assert logits.grad.isnan().all()

    def test_a_sum_of_losses_overflows_in_float16(self):
        logits, labels = torch.zeros(20_000, 50, dtype=torch.float16), torch.zeros(20_000).long()
        assert cross_entropy(logits, labels, reduction="sum").isinf()
        assert cross_entropy(logits.float(), labels, reduction="sum").isfinite()

    @pytest.mark.parametrize("count", [20_000, 40_000])
    def test_under_autocast_the_sum_of_float16_logits_is_float32(self, count):
        logits, labels = torch.zeros(count, 50, dtype=torch.float16), torch.zeros(count).long()
        with torch.autocast("cpu", torch.float16):
            loss = cross_entropy(logits, labels, reduction="sum")
        assert loss.dtype == torch.float32 and loss > 65_504

    @pytest.mark.parametrize("causal", [True, False])
    @pytest.mark.parametrize("shift", [0, 1])
    def test_an_untrained_model_that_sees_its_labels_starts_near_ln_v(self, causal, shift):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0, batch_first=True, norm_first=True)
        embed, norm, head = nn.Embedding(200, 32), nn.LayerNorm(32), nn.Linear(32, 200, bias=False)
        nn.init.normal_(head.weight, std=0.02)
        tokens = torch.randint(200, (8, 20))
        mask = nn.Transformer.generate_square_subsequent_mask(20) if causal else None
        logits = head(norm(layer(embed(tokens), src_mask=mask)))
        loss = cross_entropy(logits[:, : 20 - shift].flatten(0, 1), tokens[:, shift:].flatten())
        assert abs(loss - math.log(200)) < 0.1

    def test_a_sum_divided_by_padding_too_starts_below_ln_v(self):
        tokens, counts = torch.randint(7, (2, 9)), torch.arange(9) < torch.tensor([[3], [5]])
        total, count = page.loss_sum(torch.zeros(2, 9, 7), tokens, counts)
        assert abs(total / count - math.log(7)) < 1e-5 and total / 16 < math.log(7) / 2

    def test_a_fixed_random_batch_is_learned_by_heart(self):
        torch.manual_seed(0)
        tokens = torch.randint(10, (4, 9))
        logits = torch.zeros(4, 9, 10, requires_grad=True)  # a table: one row for each position of the batch
        for _ in range(60):
            total, count = page.loss_sum(logits, tokens, torch.ones_like(tokens).bool())
            logits.data -= 100 * torch.autograd.grad(total / count, logits)[0]
        assert total / count < 0.05

    def test_the_wrong_layout_raises_only_if_t_and_v_differ(self):
        tokens = torch.randint(5, (2, 6))
        with pytest.raises(RuntimeError):
            cross_entropy(torch.randn(2, 6, 5), tokens)
        logits, tokens = torch.randn(2, 5, 5), torch.randint(5, (2, 5))
        wrong = cross_entropy(logits, tokens)
        torch.testing.assert_close(wrong, cross_entropy(logits.mT.flatten(0, 1), tokens.flatten()))
        right = cross_entropy(logits.flatten(0, 1), tokens.flatten())
        torch.testing.assert_close(right, cross_entropy(logits.mT, tokens))
        assert not torch.allclose(wrong, right)

    def test_the_first_loss_of_gpt_2_is_10_8(self):
        assert round(math.log(50_257), 1) == 10.8

    def test_counted_padding_that_is_easy_lowers_the_loss(self):
        losses = torch.full((6,), 5.0)
        for pads in (2, 20):
            mixed = torch.cat([losses, torch.full((pads,), 0.01)]).mean()
            assert mixed < losses.mean() - 1

    def test_two_shifts_learn_the_token_after_the_next(self):
        logits, tokens = batch(1, 6)
        shifted, full = tokens[:, 1:], torch.ones(1, 5).bool()
        total, _ = page.loss_sum(logits[:, :-1], shifted, full)
        ahead = cross_entropy(logits[0, :-2], tokens[0, 2:], reduction="sum")
        torch.testing.assert_close(total, ahead)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_the_mean_of_exponentials_is_larger(self, seed):
        torch.manual_seed(seed)
        losses = torch.rand(50) * 5
        assert losses.exp().mean() > losses.mean().exp() + 1
