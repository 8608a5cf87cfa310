"""Every claim of docs/mid/language-models/generation-loop.md, proven beyond the example shown."""

import random

import pytest
import torch

from warmup.testing import load_snippet

page = load_snippet("mid/language-models/generation_loop.py")
broken = load_snippet("mid/language-models/generation_loop_padding_broken.py")

RIGHT = {
    "learned": {"left, mask, positions from 0", "right, last real token"},
    "rotary": {"left, mask", "left, mask, positions from 0", "right, last real token"},
}


def prompts_of(lengths, seed):
    torch.manual_seed(seed)
    return [torch.randint(1, broken.VOCABULARY, (n,)) for n in lengths]


class TestGenerationLoop:
    @pytest.mark.parametrize("seed", range(4))
    def test_a_batch_of_the_toy_gives_each_prompt_its_own_answer(self, seed):
        draw = random.Random(seed)
        prompts = [[draw.randrange(10) for _ in range(draw.randint(1, 8))] for _ in range(6)]
        batch = page.generate(page.model, prompts, steps=7, end=7, pad=5).tolist()
        for row, prompt in zip(batch, prompts, strict=True):
            alone = page.generate(page.model, [prompt], steps=7, end=7, pad=5)[0].tolist()
            assert row == alone + [5] * (len(row) - len(alone))
            assert len(alone) == 7 or alone[-1] == 7

    @pytest.mark.parametrize("kind", ["learned", "rotary"])
    def test_a_batch_of_a_transformer_gives_each_prompt_its_own_answer(self, kind):
        prompts = [p.tolist() for p in prompts_of([2, 6, 4, 1], 3)]
        model = broken.make_model(kind)
        batch = page.generate(model, prompts, steps=5, end=-1, pad=0)
        rows = [page.generate(model, [p], steps=5, end=-1, pad=0)[0] for p in prompts]
        assert batch.tolist() == torch.stack(rows).tolist()

    def test_the_loop_stops_when_all_rows_are_done_or_at_the_limit(self):
        calls = []

        def model(*inputs):
            calls.append(1)
            return page.model(*inputs)

        assert page.generate(model, [[7], [1, 2, 3]], steps=9, end=7, pad=5).shape == (2, 2)
        assert len(calls) == 2
        assert page.generate(model, [[4]], steps=3, end=7, pad=5).shape == (1, 3)

    @pytest.mark.parametrize("kind", ["learned", "rotary"])
    @pytest.mark.parametrize("lengths", [[3, 7, 5], [1, 9], [2, 4, 4, 8]])
    def test_which_padding_keeps_the_logits(self, kind, lengths):
        prompts = prompts_of(lengths, 5)
        model = broken.make_model(kind)
        right = broken.alone(model, prompts)
        for name, logits in broken.variants(model, prompts).items():
            assert torch.allclose(logits, right) == (name in RIGHT[kind]), name

    def test_equal_lengths_need_nothing(self):
        prompts = prompts_of([4, 4], 0)
        model = broken.make_model("learned")
        for logits in broken.variants(model, prompts).values():
            torch.testing.assert_close(logits, broken.alone(model, prompts))

    @pytest.mark.parametrize("shift", [1, 20])
    def test_rotary_positions_may_start_anywhere(self, shift):
        torch.manual_seed(0)
        tokens, keep = torch.randint(1, 29, (2, 6)), torch.ones(2, 6).bool()
        places = torch.arange(6).expand(2, 6)
        for kind, same in (("rotary", True), ("learned", False)):
            model = broken.make_model(kind)
            moved = model(tokens, keep, places + shift)
            assert torch.allclose(moved, model(tokens, keep, places)) == same

    @pytest.mark.parametrize("kind", ["learned", "rotary"])
    def test_any_id_pads_if_it_is_masked(self, kind):
        model = broken.make_model(kind)
        keep = torch.tensor([[False, False, True, True, True]])
        places = (keep.cumsum(1) - 1).clamp(min=0)
        out = [model(torch.tensor([[pad, pad, 4, 8, 2]]), keep, places)[:, -1] for pad in (0, 4, 17)]
        for other in out[1:]:
            torch.testing.assert_close(other, out[0])

    @pytest.mark.parametrize("pads", [1, 3])
    def test_places_count_from_the_first_real_token(self, pads):
        keep = torch.tensor([[False] * pads + [True] * 4])
        places = (keep.cumsum(1) - 1).clamp(min=0)
        assert places[0, pads:].tolist() == [0, 1, 2, 3]

    @pytest.mark.parametrize(("fill", "nan"), [(-torch.inf, True), (-1e300, False)])
    def test_minus_infinity_reaches_real_tokens_in_the_second_layer(self, fill, nan):
        torch.manual_seed(0)
        x, keep = torch.randn(5, 4).double(), torch.tensor([False, False, True, True, True])
        seen = torch.ones(5, 5).tril().bool() & keep
        for layer in (1, 2):
            x = x + (x @ x.mT).masked_fill(~seen, fill).softmax(-1) @ x
            assert x[~keep].isnan().all() == nan
            assert x[keep].isnan().all() == (nan and layer == 2)
        assert x[keep].isfinite().all() != nan

    @pytest.mark.parametrize("gap", [1e-3, 1e-2])
    def test_bfloat16_merges_logits_that_rounding_can_swap(self, gap):
        logits = torch.tensor([10.0, 10.0 + gap])
        assert logits.argmax() == 1 and logits.bfloat16().argmax() == 0

    @pytest.mark.parametrize("rows", [2, 5])
    def test_a_row_draws_other_numbers_in_a_batch(self, rows):
        chances = torch.ones(rows, 1000) / 1000
        torch.manual_seed(0)
        batch = torch.multinomial(chances, 20, replacement=True)[-1]
        torch.manual_seed(0)
        alone = torch.multinomial(chances[-1:], 20, replacement=True)[0]
        assert not batch.equal(alone)
