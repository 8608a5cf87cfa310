"""Every claim of docs/mid/language-models/packing.md, proven beyond the example shown."""

import random

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

page = load_snippet("mid/language-models/packing.py")
broken = load_snippet("mid/language-models/packing_logits_broken.py")
waste = load_snippet("mid/language-models/packing_waste.py")
shifting = load_snippet("mid/language-models/language_model_loss.py")

LENGTHS = [[5, 9, 4], [2, 1, 7, 3], [6, 6]]
RIGHT = {
    "learned": {"block mask, positions restart"},
    "rotary": {"block mask", "block mask, positions restart"},
}


def documents_of(lengths, seed=1):
    torch.manual_seed(seed)
    return [torch.randint(broken.VOCABULARY, (n,)) for n in lengths]


class TestPacking:
    @pytest.mark.parametrize("kind", ["learned", "rotary"])
    @pytest.mark.parametrize("lengths", LENGTHS)
    def test_the_packed_row_gives_each_document_its_logits(self, kind, lengths):
        documents = documents_of(lengths)
        model = broken.make_model(kind)
        tokens, seen, places, _ = page.pack(documents)
        torch.testing.assert_close(model(tokens, seen, places), broken.alone(model, documents))

    @pytest.mark.parametrize("kind", ["learned", "rotary"])
    @pytest.mark.parametrize("lengths", LENGTHS)
    def test_which_changes_are_needed(self, kind, lengths):
        documents = documents_of(lengths)
        model = broken.make_model(kind)
        right = broken.alone(model, documents)
        for name, logits in broken.variants(model, documents).items():
            assert torch.allclose(logits, right) == (name in RIGHT[kind]), name
            first = lengths[0]
            torch.testing.assert_close(logits[:first], right[:first])

    @pytest.mark.parametrize("lengths", LENGTHS)
    def test_labels_are_the_next_token_of_the_same_document(self, lengths):
        documents = documents_of(lengths)
        labels = page.pack(documents)[3].split(lengths)
        for document, label in zip(documents, labels, strict=True):
            assert label.tolist() == [*document[1:].tolist(), -100]
        assert sum((label == -100).sum() for label in labels) == len(lengths)

    @pytest.mark.parametrize("lengths", LENGTHS)
    def test_the_mask_has_a_triangle_for_each_document(self, lengths):
        seen = page.pack(documents_of(lengths))[1]
        triangles = [torch.ones(n, n).tril().bool() for n in lengths]
        assert seen.equal(torch.block_diag(*triangles).bool())
        assert seen.sum() == sum(n * (n + 1) // 2 for n in lengths)

    def test_a_separator_does_not_hide_the_document_before_it(self):
        model = broken.make_model("rotary")
        rows = [torch.tensor([a, 5, 0, 7, 8]) for a in (3, 4)]  # 0 separates
        logits = [model(r, broken.causal(5), torch.arange(5))[-1] for r in rows]
        assert not torch.allclose(*logits)

    def test_cumulative_lengths_of_3_2_3(self):
        count = torch.tensor([3, 2, 3])
        assert nn.functional.pad(count.cumsum(0), (1, 0)).tolist() == [0, 3, 5, 8]

    @pytest.mark.parametrize("lengths", LENGTHS)
    def test_a_loss_that_shifts_needs_the_first_token_of_each_document_ignored(self, lengths):
        tokens, _, places, labels = page.pack(documents_of(lengths))
        logits = torch.randn(1, len(tokens), broken.VOCABULARY).double()
        right = nn.functional.cross_entropy(logits[0], labels, reduction="sum")
        total, count = shifting.loss_sum(logits, tokens[None], (places != 0)[None])
        assert count == (labels != -100).sum()
        torch.testing.assert_close(total, right)
        # at the last tokens: their own loss is missing, and the next document's first token has one
        (grad,) = torch.autograd.grad(
            shifting.loss_sum(logits.requires_grad_(), tokens[None], (labels != -100)[None])[0], logits
        )
        counted = torch.cat([labels[1:] != -100, torch.tensor([False])])
        assert grad[0].any(-1).equal(counted) and not counted.equal(labels != -100)

    @pytest.mark.parametrize("kind", ["RNN", "convolution"])
    def test_a_state_over_time_crosses_the_border(self, kind):
        torch.manual_seed(0)
        first, second = torch.randn(1, 4, 6), torch.randn(1, 3, 6)
        if kind == "RNN":
            rnn = nn.RNN(6, 6, batch_first=True)
            layer = lambda x: rnn(x)[0]  # noqa: E731
        else:
            convolution = nn.Conv1d(6, 6, 3)
            layer = lambda x: convolution(nn.functional.pad(x.mT, (2, 0))).mT  # noqa: E731
        packed = layer(torch.cat([first, second], 1))
        torch.testing.assert_close(packed[:, :4], layer(first))
        assert not torch.allclose(packed[:, 4:], layer(second))

    @pytest.mark.parametrize("seed", range(3))
    def test_first_fit_decreasing_keeps_all_documents_and_fills_rows(self, seed):
        draw = random.Random(seed)
        lengths = [min(512, max(4, int(draw.lognormvariate(4, 1)))) for _ in range(400)]
        rows = waste.first_fit_decreasing(lengths, 512)
        assert sorted(n for row in rows for n in row) == sorted(lengths)
        assert all(sum(row) <= 512 for row in rows)
        real = sum(lengths)
        packed, by_length = real / (512 * len(rows)), real / waste.padded(sorted(lengths), 8)
        plain = real / waste.padded(lengths, 8)
        assert packed > 0.95 and by_length > 0.9 and plain < 0.6
        assert real / (512 * len(lengths)) < plain

    def test_first_fit_decreasing_by_hand(self):
        assert waste.first_fit_decreasing([3, 6, 5, 4, 2], 10) == [[6, 4], [5, 3, 2]]
        assert waste.padded([1, 3, 2, 2], 2) == 10
