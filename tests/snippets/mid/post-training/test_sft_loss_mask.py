"""Every claim of docs/mid/post-training/sft-loss-mask.md, proven beyond the example shown."""

import functools

import pytest
import torch
import torch.nn.functional as F

from warmup.testing import load_snippet

mask = load_snippet("mid/post-training/sft_loss_mask.py")
broken = load_snippet("mid/post-training/sft_loss_mask_broken.py")
pytestmark = pytest.mark.usefixtures("one_thread")


@functools.cache
def trained(name):
    return broken.train(broken.MASKS[name], seed=1)


class TestSftLossMask:
    @pytest.mark.parametrize("chat", [mask.CHAT, [("system", ["be", "kind"]), ("user", []), ("assistant", ["a", "b"])]])
    def test_the_kept_labels_read_as_the_answers_with_their_end_tokens(self, chat):
        tokens, kept = mask.render(chat)
        answers = [[*words, "<end>"] for role, words in chat if role == "assistant"]
        assert [t for t, k in zip(tokens, kept, strict=True) if k] == sum(answers, [])

    def test_the_first_word_is_predicted_from_the_header(self):
        tokens, kept = mask.render(mask.CHAT)
        starts = [i for i in range(1, len(kept)) if kept[i] and not kept[i - 1]]
        assert [tokens[i - 1] for i in starts] == ["<assistant>"] * 2

    def test_the_right_mask_learns_answer_and_end(self):
        loss, digits, stops = trained("answer and end")
        assert loss < 0.05 and min(digits) > 0.9 and stops > 0.9

    def test_without_the_end_label_the_loss_is_as_low_and_it_never_stops(self):
        loss, digits, stops = trained("no end token")
        assert loss < 0.05 and min(digits) > 0.9 and stops < 0.1

    def test_a_model_that_already_stops_may_still_stop(self):
        torch.manual_seed(0)
        model = broken.Model()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        for step in range(120):
            tokens = broken.conversations(32)
            labels = tokens.clone()
            labels[:, broken.MASKS["answer and end" if step < 80 else "no end token"]] = -100
            loss = F.cross_entropy(model(tokens)[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        ends = model(broken.conversations(100)[:, :6])[:, -1].argmax(-1) == broken.END
        assert ends.float().mean() > 0.9

    def test_a_mask_one_too_far_hides_the_untrained_first_digit(self):
        loss, (one, two), stops = trained("one too far")
        assert loss < 0.05 and one < 0.5 and two > 0.9 and stops > 0.9

    def test_prompt_loss_is_higher_with_the_same_answers(self):
        loss, digits, stops = trained("all tokens")
        assert 0.7 < loss < 0.9 and min(digits) > 0.9 and stops > 0.9

    @pytest.mark.parametrize("kept", [1, 3, 5])
    def test_ignored_labels_are_not_in_the_mean(self, kept):
        torch.manual_seed(0)
        logits, labels = torch.randn(5, 7), torch.arange(5)
        labels[kept:] = -100
        each = F.cross_entropy(logits[:kept], labels[:kept], reduction="sum")
        torch.testing.assert_close(F.cross_entropy(logits, labels), each / kept)

    def test_a_batch_without_labels_gives_nan(self):
        assert F.cross_entropy(torch.randn(4, 3), torch.full((4,), -100)).isnan()

    def test_masking_the_pad_token_by_its_id_removes_real_ends(self):
        tokens = torch.tensor([[1, 5, 2, 2, 2], [1, 5, 6, 7, 2]])  # 2 ends and pads
        by_id = tokens.masked_fill(tokens == 2, -100)
        assert not (by_id == 2).any()
        lengths = torch.tensor([[3], [5]])
        by_place = tokens.masked_fill(torch.arange(5) >= lengths, -100)
        assert (by_place == 2).sum(1).tolist() == [1, 1]

    def test_a_second_shift_predicts_the_token_after_the_next(self):
        tokens = torch.arange(6)
        shifted = tokens[1:]
        assert (shifted[1:] - tokens[:-2]).unique().tolist() == [2]

    def test_means_of_batches_weigh_labels_differently(self):
        short, long = torch.tensor([4.0, 4.0]), torch.ones(98)
        of_means = (short.mean() + long.mean()) / 2
        assert of_means == 2.5 and torch.cat([short, long]).mean() < 1.1
