"""What docs/senior/language-models/debug-a-transformer.md claims, proven beyond the example shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

page = load_snippet("senior/language-models/debug_a_transformer.py")
fresh = load_snippet("senior/language-models/debug_a_transformer_fresh_broken.py")

FOUND = {
    "": None,
    "init with std 1": "init",
    "loss without shift": "perfect",
    "softmax before the loss": "perfect",
    "positions not added": "grads",
    "no causal mask": "causal",
    "softmax over queries": "causal",
    "heads not merged": "causal",
    "dropout also in eval": "repeat",
    "no residual": None,
    "sampler reads place 0": None,
    "no 1/sqrt(d)": None,
}


def made(bug="", seed=3, rows=4):
    torch.manual_seed(seed)
    model = page.GPT(bug)
    ids = torch.randint(page.VOCABULARY, (rows, page.LENGTH))
    ids[:, 0] = torch.arange(rows)
    return model, ids


class TestDebugATransformer:
    def test_the_page_lists_all_bugs(self):
        assert set(FOUND) == {"", *page.BUGS} and len(page.BUGS) == 11

    @pytest.mark.parametrize("bug", FOUND)
    @pytest.mark.parametrize(("seed", "rows"), [(3, 2), (4, 6)])
    def test_five_tests_without_training_name_eight_bugs_by_one_test_each(self, bug, seed, rows):
        model, ids = made(bug, seed, rows)
        passes = page.checks(model, model.loss_of, ids, page.VOCABULARY)
        assert [name for name, ok in passes.items() if not ok] == ([FOUND[bug]] if FOUND[bug] else [])
        assert model.training and list(passes) == ["init", "perfect", "grads", "causal", "repeat"]

    @pytest.mark.parametrize("bug", ["no causal mask", "heads not merged", "loss without shift", "no 1/sqrt(d)"])
    def test_a_leak_a_missing_shift_and_a_missing_scale_overfit(self, bug):
        model, ids = made(bug)
        assert page.overfit(model.eval(), ids) < 0.3
        repeats = torch.equal(model.sample(ids[:, :1]), ids)
        assert repeats == (bug == "no 1/sqrt(d)")

    def test_the_right_model_overfits_and_its_sample_repeats_the_batch(self):
        model, ids = made()
        assert page.overfit(model.eval(), ids) < 0.3
        assert torch.equal(model.sample(ids[:, :1]), ids)
        for part in (model, *model.blocks):
            part.bug = "sampler reads place 0"
        assert not torch.equal(model.sample(ids[:, :1]), ids)

    def test_without_a_residual_or_with_a_softmax_before_the_loss_it_does_not_overfit(self):
        assert page.overfit(*made("no residual")) > 1.5
        floor = math.log(math.e + page.VOCABULARY - 1) - 1  # of cross-entropy on probabilities
        assert page.overfit(*made("softmax before the loss")) > floor > 1.9

    @pytest.mark.parametrize("seed", [0, 1, 3])
    def test_after_100_steps_the_model_without_a_residual_passes_overfit_too(self, seed, monkeypatch):
        for steps, passes in ((30, False), (100, True)):
            monkeypatch.setattr(page, "STEPS", steps)
            model, ids = made("no residual", seed)
            assert (page.overfit(model.eval(), ids) < 1.2) == passes

    @pytest.mark.parametrize(("smoothing", "passes"), [(0.0, True), (0.1, False)])
    def test_a_perfect_prediction_costs_something_if_labels_are_smoothed(self, smoothing, passes):
        model, ids = made()

        def loss_of(logits, ids):
            return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), label_smoothing=smoothing)

        assert page.checks(model, loss_of, ids, page.VOCABULARY)["perfect"] == passes

    @pytest.mark.parametrize("seed", [1, 3, 4])
    def test_in_a_long_text_of_small_weights_one_leaked_token_moves_about_the_tolerance_or_less(
        self, seed, monkeypatch
    ):
        moved = []
        for tokens in (16, 1024):
            model = fresh.GPT(0.02)
            torch.manual_seed(seed)
            for weight in model.parameters():
                if weight.dim() == 2:
                    nn.init.normal_(weight, std=0.02)
            ids = torch.randint(17, (1, tokens))
            other = ids.clone()
            other[:, -1] = (ids[:, -1] + 1) % 17
            with torch.no_grad():
                moved.append((model(ids, None) - model(other, None))[:, :-1].abs().max().item())
        assert moved[0] > 1e-3 and 3e-5 < moved[1] < 2e-4
        for tokens, passes in ((12, False), (1024, True)):
            monkeypatch.setattr(page, "LENGTH", tokens)
            model, ids = made("no causal mask", seed, 2)
            assert page.checks(model, model.loss_of, ids, page.VOCABULARY)["causal"] == passes
            other = ids.clone()
            other[:, -1] = (ids[:, -1] + 1) % page.VOCABULARY
            with torch.no_grad():
                leak = (model.eval()(ids) - model(other))[:, :-1].abs().max().item()
            assert (leak > 5e-4) if tokens == 12 else (1e-5 < leak < 1e-4)

    @pytest.mark.parametrize("rope", [False, True])
    def test_a_swap_in_one_layer_finds_missing_rope(self, rope):
        """Attention of one layer; RoPE has no parameter, so no gradient can tell."""
        for seed in (0, 1):
            torch.manual_seed(seed)
            q, k, v = torch.randn(3, 6, 8, dtype=torch.double)
            angle = torch.arange(6)[:, None] * 100.0 ** (-torch.arange(4) / 4)
            turn = torch.polar(torch.ones_like(angle), angle).to(torch.cdouble)

            def last(k, v, q=q, turn=turn):
                if rope:
                    q, k = (
                        torch.view_as_real(torch.view_as_complex(z.reshape(6, 4, 2)) * turn).flatten(1) for z in (q, k)
                    )
                return F.scaled_dot_product_attention(q[None, -1:], k[None], v[None])

            swap = torch.tensor([1, 0, 2, 3, 4, 5])
            assert torch.allclose(last(k, v), last(k[swap], v[swap])) == (not rope)

    @pytest.mark.parametrize("tokens", [8, 20])
    def test_a_stub_that_knows_the_next_token_tests_the_sampler(self, tokens):
        page_length, page.LENGTH = page.LENGTH, tokens
        try:
            for bug, right in (("", True), ("sampler reads place 0", False)):
                model, _ = made(bug)
                model.forward = lambda ids: 9.0 * F.one_hot((ids + 1) % 17, 17)
                said = model.sample(torch.tensor([[3, 4]]))
                assert torch.equal(said[0], (3 + torch.arange(tokens)) % 17) == right
        finally:
            page.LENGTH = page_length

    @pytest.mark.parametrize("seed", [0, 1])
    def test_without_positions_one_layer_ignores_the_order_and_two_do_not(self, seed):
        model, ids = made("positions not added", seed)
        nn.init.normal_(model.blocks[0].out.weight)
        nn.init.normal_(model.blocks[1].out.weight)
        model.double().eval()
        ids[:, :2] = torch.tensor([1, 2])
        swapped = ids.clone()
        swapped[:, :2] = torch.tensor([2, 1])
        assert (model(ids)[:, -1] - model(swapped)[:, -1]).abs().max() > 1e-4
        model.blocks = model.blocks[:1]
        assert (model(ids)[:, -1] - model(swapped)[:, -1]).abs().max() < 1e-10

    @pytest.mark.parametrize("bug", ["no causal mask", "no 1/sqrt(d)"])
    def test_with_an_output_at_zero_every_bug_in_attention_passes(self, bug):
        for zero in (True, False):
            model, ids = made(bug)
            right, _ = made()
            for m in (model, right):
                m.eval()
                for block in m.blocks if zero else ():
                    nn.init.zeros_(block.out.weight)
            assert torch.equal(model(ids), right(ids)) == zero

    def test_the_smaller_the_weights_the_less_a_bug_moves_the_logits(self):
        moved = [fresh.moves(fresh.GPT(std)) for std in (0.02, 0.1, 0.5)]
        for one in zip(*moved, strict=True):
            assert 0 < one[0] < one[1] / 10 and one[1] < one[2] / 3
        assert moved[0][0] < 0.01 and fresh.moves(fresh.GPT(0.5, zero=True)) == (0, 0)

    @pytest.mark.parametrize("bug", ["no 1/sqrt(d)", "softmax over queries", "heads not merged", ""])
    def test_pytorchs_encoder_layer_with_copied_weights_is_a_reference(self, bug):
        torch.manual_seed(0)
        block = page.Block(bug).double().eval()
        layer = nn.TransformerEncoderLayer(32, 4, 128, 0.0, "gelu", norm_first=True, batch_first=True)
        layer = layer.double()
        pairs = (
            (layer.self_attn.in_proj_weight, block.qkv.weight),
            (layer.self_attn.in_proj_bias, block.qkv.bias),
            (layer.self_attn.out_proj.weight, block.out.weight),
            (layer.self_attn.out_proj.bias, block.out.bias),
            *zip(layer.linear1.parameters(), block.up.parameters(), strict=True),
            *zip(layer.linear2.parameters(), block.down.parameters(), strict=True),
        )
        with torch.no_grad():
            for theirs, ours in pairs:
                theirs.copy_(ours)
            x = torch.randn(2, 7, 32, dtype=torch.double)
            future = torch.ones(7, 7, dtype=torch.bool).triu(1)
            assert torch.allclose(block(x), layer(x, src_mask=future)) == (not bug)

    def test_a_bias_of_keys_gets_a_zero_gradient_and_no_other_bias_does(self):
        model, ids = made()
        model.double()
        model.loss_of(model(ids), ids).backward()
        q, k, v = model.blocks[0].qkv.bias.grad.chunk(3)
        assert k.abs().max() < 1e-12 < q.abs().max() < v.abs().max()

    @pytest.mark.parametrize("between", ["nothing", "scale", "rotation", "norm"])
    def test_a_bias_of_keys_counts_if_a_rotation_or_a_norm_follows(self, between):
        def follows(x):
            if between == "rotation":
                angle = torch.arange(5.0, dtype=torch.double)[:, None]
                a, b = x.chunk(2, dim=-1)
                return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], dim=-1)
            return F.rms_norm(x, (4,)) if between == "norm" else x / 2 if between == "scale" else x

        torch.manual_seed(0)
        bias = torch.zeros(3, 4, dtype=torch.double, requires_grad=True)
        q, k, v = torch.randn(3, 5, 4, dtype=torch.double) + bias[:, None]
        ((follows(q) @ follows(k).mT).softmax(dim=-1) @ v).square().sum().backward()
        assert (bias.grad[1].abs().max() < 1e-12) == (between in ("nothing", "scale"))
        assert bias.grad[0].abs().max() > 0.1 < bias.grad[2].abs().max()

    @pytest.mark.parametrize("vocabulary", [1000, 5000])
    def test_768_channels_start_0_15_above_ln_v(self, vocabulary):
        torch.manual_seed(0)
        logits = nn.functional.layer_norm(torch.randn(100, 768), (768,)) @ (0.02 * torch.randn(768, vocabulary))
        assert logits.std().item() == pytest.approx(0.55, abs=0.01)
        loss = F.cross_entropy(logits, torch.randint(vocabulary, (100,)))
        assert loss.item() - math.log(vocabulary) == pytest.approx(0.15, abs=0.1)
        excess = logits.logsumexp(1).mean() - math.log(vocabulary)
        assert excess.item() == pytest.approx(0.15, abs=0.02)

    def test_with_dropout_the_right_model_fails_the_causal_test_unless_the_seed_is_the_same(self):
        model, ids = made()
        changed = ids.clone()
        changed[:, -1] = (ids[:, -1] + 1) % 17
        assert not torch.allclose(model(ids)[:, :-1], model(changed)[:, :-1], atol=1e-5)
        logits = []
        for rows in (ids, changed):
            torch.manual_seed(7)
            logits.append(model(rows)[:, :-1])
        assert torch.allclose(*logits, atol=1e-5)
        model.eval()
        assert torch.allclose(model(ids)[:, :-1], model(changed)[:, :-1], atol=1e-5)
