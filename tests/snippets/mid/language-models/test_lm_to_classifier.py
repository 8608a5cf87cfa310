"""Every claim of docs/mid/language-models/lm-to-classifier.md, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.nn.functional import pad

from warmup.testing import load_snippet

page = load_snippet("mid/language-models/lm_to_classifier_broken.py")
SAME = {"last column": False, "last real token": True, "mean of all": False, "mean of real": True}
pytestmark = pytest.mark.usefixtures("one_thread")


def body(seed=0, layers=1):
    torch.manual_seed(seed)
    model = page.Body(8).double()
    if layers > 1:
        model.block = nn.TransformerEncoder(model.block, layers, enable_nested_tensor=False)
        model.forward = lambda t: model.block(model.embed(t), mask=torch.ones(t.shape[1], t.shape[1]).triu(1).bool())
    return model


class TestLmToClassifier:
    @pytest.mark.parametrize("layers", [1, 3])
    @pytest.mark.parametrize("how", page.POOLS)
    def test_behind_right_padding_only_pools_of_real_tokens_keep_their_value(self, how, layers):
        model, text = body(layers=layers), torch.tensor([[5, 3, 1, 2]])
        alone = page.pool(model(text), text > 0, how)
        for more in (1, 4):
            padded = pad(text, (0, more))
            assert torch.allclose(page.pool(model(padded), padded > 0, how), alone) == SAME[how]

    @pytest.mark.parametrize("layers", [1, 3])
    def test_a_causal_state_depends_on_no_later_token_so_no_padding_mask_is_needed(self, layers):
        model, text = body(layers=layers), torch.randint(1, 6, (2, 6))
        later = text.clone()
        later[:, 4:] = 0
        assert torch.allclose(model(text)[:, :4], model(later)[:, :4])
        assert not torch.allclose(model(text)[:, 4:], model(later)[:, 4:])

    @pytest.mark.parametrize("layers", [1, 3])
    def test_the_first_token_reads_one_token_and_the_last_reads_all(self, layers):
        model, text = body(layers=layers), torch.tensor([[5, 3, 1, 2]])
        for place in range(1, 4):
            other = text.clone()
            other[0, place] = 4
            assert torch.allclose(model(other)[:, 0], model(text)[:, 0])
            assert not torch.allclose(model(other)[:, -1], model(text)[:, -1])

    def test_without_a_causal_mask_the_first_token_reads_all_and_needs_a_padding_mask(self):
        model, text = body(), torch.tensor([[5, 3, 1, 2]])
        both = model.block(model.embed(text))[:, 0]
        assert not torch.allclose(both, model.block(model.embed(torch.tensor([[5, 3, 1, 4]])))[:, 0])
        padded = pad(text, (0, 2))
        assert not torch.allclose(model.block(model.embed(padded))[:, 0], both)
        masked = model.block(model.embed(padded), src_key_padding_mask=padded == 0)[:, 0]
        assert torch.allclose(masked, both)

    def test_left_padding_changes_the_last_real_token_unless_attention_masks_it(self):
        model, text = body(), torch.tensor([[5, 3, 1, 2]])
        padded = pad(text, (2, 0))
        alone = model(text)[:, -1]
        assert not torch.allclose(model(padded)[:, -1], alone)
        hide = torch.ones(6, 6).triu(1).bool() | (padded == 0)
        hide[:2, :2] = torch.ones(2, 2).triu(1).bool()
        assert torch.allclose(model.block(model.embed(padded), src_mask=hide)[:, -1], alone)

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("layers", [1, 2])
    def test_a_causal_and_a_left_padding_mask_give_nan_in_eval_unless_each_token_may_read_itself(self, layers):
        torch.manual_seed(0)
        embed, layer = nn.Embedding(6, 8), nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True)
        net = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).eval()
        text = torch.tensor([[5, 3, 1, 2]])
        padded, causal = pad(text, (2, 0)), torch.ones(6, 6).triu(1).bool()
        keep = padded > 0
        with torch.no_grad():
            alone = net(embed(text), mask=causal[:4, :4])[:, -1]
            h = net(embed(padded), mask=causal, src_key_padding_mask=~keep)
            assert h[:, :2].isnan().all() and h[:, 2:].isnan().any() == (layers > 1)
            assert page.pool(h, keep, "mean of real").isnan().all()
            both = torch.cat([padded, torch.tensor([[1, 2, 3, 4, 5, 1]])])
            hide = (causal | (both == 0)[:, None]) & ~torch.eye(6).bool()
            h = net(embed(both), mask=hide.repeat_interleave(2, 0))  # two heads
            assert torch.allclose(h[:1, -1], alone, atol=1e-6) and not h.isnan().any()
        trained = net.train()(embed(padded), mask=causal, src_key_padding_mask=~keep)
        assert torch.allclose(trained[:, -1], alone, atol=1e-6)

    def test_with_learned_positions_left_padding_must_count_from_the_first_real_token(self):
        model, text, place = body(), torch.tensor([[5, 3, 1, 2]]), torch.randn(6, 8).double()
        hide = torch.ones(6, 6).triu(1).bool()
        hide[2:, :2] = True
        alone = model.block(model.embed(text) + place[:4], src_mask=torch.ones(4, 4).triu(1).bool())
        for positions, same in ((torch.arange(6), False), (torch.tensor([0, 0, 0, 1, 2, 3]), True)):
            h = model.block(model.embed(pad(text, (2, 0))) + place[positions], src_mask=hide)
            assert torch.allclose(h[:, -1], alone[:, -1]) == same

    @pytest.mark.parametrize("lengths", [[3, 7, 5], [1, 2, 7]])
    def test_the_sum_minus_one_is_the_last_real_place_on_the_right_only(self, lengths):
        size, count = 7, torch.tensor(lengths)
        right = torch.arange(size) < count[:, None]
        left = torch.arange(size) >= size - count[:, None]
        for keep, fits in ((right, True), (left, max(lengths) == min(lengths) == size)):
            last = [row.nonzero().max().item() for row in keep]
            assert (keep * torch.arange(size)).argmax(1).tolist() == last
            assert ((keep.sum(1) - 1).tolist() == last) == fits

    def test_if_the_pad_is_the_end_token_the_mask_hides_the_texts_own_end(self):
        end, text = 9, torch.tensor([[5, 3, 9, 9, 9]])
        keep = text != end
        assert (keep * torch.arange(5)).argmax(1).tolist() == [1]
        assert (keep[:, :3] * torch.arange(3)).argmax(1).tolist() == [1]

    @pytest.mark.parametrize("offset", [0.0, -3.0])
    def test_a_maximum_over_zeroed_padding_is_zero_where_all_values_are_negative(self, offset):
        x, keep = offset - torch.rand(2, 4, 3), torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1]]).bool()
        zeroed = (x * keep[..., None]).amax(1)
        assert (zeroed[0] == 0).all() and (zeroed[1] < 0).all()
        filled = x.masked_fill(~keep[..., None], -torch.inf).amax(1)
        assert torch.equal(filled[0], x[0, :2].amax(0))

    def test_a_head_that_is_right_alone_fails_in_a_padded_batch(self):
        for how, same in SAME.items():
            alone, *padded = page.study(how)
            assert alone > 0.9
            assert all((share > alone - 0.001) == same for share in padded)

    def test_training_with_padding_hides_it_until_the_padding_changes(self):
        alone, as_trained, more = page.study("last column", page.LONGEST)
        assert as_trained > 0.95
        assert max(alone, more) < as_trained - 0.08
