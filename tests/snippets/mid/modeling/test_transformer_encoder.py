"""Every claim of docs/mid/modeling/transformer-encoder.md, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

EncoderLayer = load_snippet("mid/modeling/transformer_encoder_layer.py").EncoderLayer
kept_bytes = load_snippet("mid/modeling/attention_complexity_bytes.py").kept_bytes


def pair(norm_first, *, d=12, heads=3, d_ff=48, dropout=0.0, dtype=torch.float32):
    theirs = nn.TransformerEncoderLayer(d, heads, d_ff, dropout, batch_first=True, norm_first=norm_first, dtype=dtype)
    for p in theirs.parameters():  # norms and biases too, else a swap of equal ones is not seen
        nn.init.normal_(p, std=0.3)
    ours = EncoderLayer(d, heads, d_ff, dropout, norm_first).to(dtype)
    weights = {
        name.replace("self_attn.in_proj_", "qkv.").replace("self_attn.out_proj", "out"): w
        for name, w in theirs.state_dict().items()
    }
    ours.load_state_dict(weights)
    return ours, theirs


def padding_of(lengths, t):
    return torch.arange(t) >= torch.tensor(lengths)[:, None]


class TestTransformerEncoder:
    @pytest.mark.parametrize("norm_first", [False, True])
    @pytest.mark.parametrize("train", [False, True])
    @pytest.mark.parametrize(
        ("d", "heads", "lengths"), [(12, 3, [5, 3]), (8, 1, [7]), (10, 5, [1]), (6, 2, [4, 1, 2, 4])]
    )
    def test_agrees_with_torch_on_shared_weights_and_so_do_the_gradients(self, norm_first, train, d, heads, lengths):
        ours, theirs = pair(norm_first, d=d, heads=heads, d_ff=20, dtype=torch.float64)
        ours.train(train), theirs.train(train)
        t = max(lengths)
        x = torch.randn(len(lengths), t, d, dtype=torch.float64)
        padding = padding_of(lengths, t)
        for mask in (None, padding):
            a, b = ours(x, mask), theirs(x, src_key_padding_mask=mask)
            torch.testing.assert_close(a, b, rtol=0, atol=1e-12)
            a.square().sum().backward(), b.square().sum().backward()
        torch.testing.assert_close(ours.qkv.weight.grad, theirs.self_attn.in_proj_weight.grad, rtol=1e-9, atol=1e-9)
        if not train:
            with torch.no_grad():  # torch's fused path
                torch.testing.assert_close(
                    ours(x, padding), theirs(x, src_key_padding_mask=padding), rtol=0, atol=1e-12
                )

    @pytest.mark.parametrize("norm_first", [False, True])
    def test_in_eval_mode_dropout_is_off_as_in_torch_and_in_train_mode_it_is_on(self, norm_first):
        ours, theirs = pair(norm_first, dropout=0.4)
        x = torch.randn(2, 5, 12)
        assert not torch.allclose(ours(x), ours(x))
        torch.testing.assert_close(ours.eval()(x), theirs.eval()(x), rtol=1e-4, atol=1e-5)

    def test_with_dropout_in_train_mode_one_seed_gives_other_masks_than_torch(self):
        ours, theirs = pair(True, dropout=0.4)
        x = torch.randn(2, 5, 12)
        torch.manual_seed(1)
        a = ours(x)
        torch.manual_seed(1)
        assert not torch.allclose(a, theirs(x), atol=0.1)

    def test_dropout_stands_in_four_places(self):
        ours, _ = pair(True, dropout=0.4)
        shapes = []
        ours.dropout.register_forward_hook(lambda m, args, out: shapes.append(tuple(out.shape)))
        ours(torch.randn(2, 5, 12))
        assert shapes == [(2, 3, 5, 5), (2, 5, 12), (2, 5, 48), (2, 5, 12)]

    def test_multi_head_attention_is_scaled_dot_product_attention_per_head(self):
        ours, _ = pair(True)
        x, padding = torch.randn(2, 5, 12), padding_of([5, 3], 5)
        q, k, v = (t.view(2, 5, 3, 4).transpose(1, 2) for t in ours.qkv(x).chunk(3, dim=-1))
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=~padding[:, None, None, :])
        torch.testing.assert_close(ours.attend(x, padding), ours.out(mixed.transpose(1, 2).reshape(2, 5, 12)))

    def test_defaults_are_pre_norm_with_dropout_a_tenth(self):
        layer = EncoderLayer(8, 2, 16)
        assert layer.norm_first and layer.dropout.p == 0.1
        assert not nn.TransformerEncoderLayer(8, 2, 16).norm_first

    @pytest.mark.parametrize("heads", [5, 0, -3])
    def test_heads_must_divide_the_width(self, heads):
        with pytest.raises(ValueError, match=f"{heads} heads do not divide a width of 12"):
            EncoderLayer(12, heads, 48)

    @pytest.mark.parametrize("shape", [(0, 5), (2, 0), (1, 1)])
    def test_empty_and_single_inputs_keep_their_shape(self, shape):
        ours, _ = pair(True)
        assert ours(torch.randn(*shape, 12)).shape == (*shape, 12)
        assert ours.double()(torch.randn(*shape, 12, dtype=torch.float64)).dtype == torch.float64

    @pytest.mark.parametrize("norm_first", [False, True])
    def test_padded_tokens_change_no_real_output_and_get_a_finite_output_that_is_not_zero(self, norm_first):
        ours, _ = pair(norm_first)
        x, padding = torch.randn(2, 5, 12), padding_of([5, 3], 5)
        other = torch.where(padding[..., None], 100 * torch.randn(2, 5, 12), x)
        torch.testing.assert_close(ours(other, padding)[~padding], ours(x, padding)[~padding])
        assert ours(x, padding)[padding].isfinite().all() and ours(x, padding)[padding].abs().min() > 0
        torch.testing.assert_close(ours(x, padding)[1, :3], ours(x[1:, :3])[0])

    def test_the_nested_tensor_path_of_the_stack_fills_padded_positions_with_zeros(self):
        layer = nn.TransformerEncoderLayer(12, 2, 48, batch_first=True)
        stack = nn.TransformerEncoder(layer, 2).eval()
        x, padding = torch.randn(2, 5, 12), padding_of([5, 3], 5)
        with pytest.warns(UserWarning, match="prototype"), torch.no_grad():
            fast = stack(x, src_key_padding_mask=padding)
        assert not fast[padding].any()
        assert stack(x, src_key_padding_mask=padding)[padding].abs().min() > 0

    @pytest.mark.parametrize("norm_first", [False, True])
    def test_a_permutation_of_the_tokens_permutes_the_outputs(self, norm_first):
        ours, _ = pair(norm_first)
        x, order = torch.randn(2, 5, 12), torch.randperm(5)
        torch.testing.assert_close(ours(x[:, order]), ours(x)[:, order], rtol=1e-4, atol=1e-5)

    @pytest.mark.parametrize(("t", "heads", "differ"), [(5, 3, True), (2, 2, True), (5, 1, False), (1, 3, False)])
    def test_the_wrong_forms_of_the_table_run_and_differ_if_heads_and_length_are_above_one(self, t, heads, differ):
        qkv = torch.randn(2, t, 3 * heads * 4, dtype=torch.float64)
        each = qkv.view(2, t, 3, heads, 4)
        q, k, v = each.permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v)
        right = mixed.transpose(1, 2).reshape(2, t, -1)
        views = (part.reshape(2, heads, t, 4) for part in qkv.chunk(3, dim=-1))
        over_queries = (q @ k.mT / 2).softmax(dim=-2) @ v
        wrong = {
            "view": F.scaled_dot_product_attention(*views).transpose(1, 2).reshape(2, t, -1),
            "unbind": F.scaled_dot_product_attention(*each.unbind(2)).reshape(2, t, -1),
            "reshape": mixed.reshape(2, t, -1),
            "softmax": over_queries.transpose(1, 2).reshape(2, t, -1),
        }
        assert torch.allclose(wrong["view"], right) != differ
        assert torch.allclose(wrong["reshape"], right) != differ
        if differ:
            assert not torch.allclose(wrong["unbind"], right) and not torch.allclose(wrong["softmax"], right)

    def test_a_wrong_view_fails_the_permutation_test(self):
        x, order = torch.randn(2, 6, 12), torch.tensor([1, 0, 2, 3, 4, 5])

        def wrong(x):
            q = x.view(2, 3, 6, 4)  # (B, H, T, D / H) straight from (B, T, D)
            return F.scaled_dot_product_attention(q, q, q).transpose(1, 2).reshape(2, 6, 12)

        assert not torch.allclose(wrong(x[:, order]), wrong(x)[:, order])

    @pytest.mark.parametrize("d", [16, 512])
    def test_heads_change_no_parameter_count_and_matrices_hold_twelve_d_squared(self, d):
        counts = {sum(p.numel() for p in EncoderLayer(d, h, 4 * d).parameters()) for h in (1, 2, 8)}
        assert len(counts) == 1
        assert sum(p.numel() for p in EncoderLayer(d, 2, 4 * d).parameters() if p.dim() == 2) == 12 * d**2

    def test_a_mask_of_batch_by_length_raises_unless_they_agree_or_the_batch_is_one(self):
        for b, t, raises in ((3, 4, True), (3, 1, True), (4, 4, False), (1, 4, False), (1, 1, False)):
            q = torch.randn(b, 2, t, 8)
            mask = torch.ones(b, t, dtype=torch.bool)
            if raises:
                with pytest.raises(RuntimeError, match="must match the size|match the broadcast shape"):
                    F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
            else:
                F.scaled_dot_product_attention(q, q, q, attn_mask=mask)

    @pytest.mark.parametrize(("b", "row"), [(4, 1), (6, 5)])
    def test_row_b_of_a_mask_of_batch_by_length_hides_keys_from_query_b_of_every_sentence(self, b, row):
        q, k, v = torch.randn(3, b, 2, b, 8)
        padding = padding_of([b - 2 if i == row else b for i in range(b)], b)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=~padding)
        changed = (out - F.scaled_dot_product_attention(q, k, v)).abs().amax(dim=(1, 3)) > 1e-5
        assert (changed == (torch.arange(b) == row)).all()
        fewer = F.scaled_dot_product_attention(q[:, :, row : row + 1], k[:, :, :-2], v[:, :, :-2])
        torch.testing.assert_close(out[:, :, row : row + 1], fewer)

    def test_a_row_without_keys_is_nan_here_and_zero_in_the_fused_function(self):
        ours, _ = pair(True)
        x, padding = torch.randn(2, 5, 12), padding_of([5, 0], 5)
        out = ours(x, padding)
        assert out[1].isnan().all() and out[0].isfinite().all()
        out[0].sum().backward()
        assert ours.qkv.weight.grad.isnan().any()
        q = torch.randn(2, 3, 5, 4)
        assert not F.scaled_dot_product_attention(q, q, q, attn_mask=~padding[:, None, None, :])[1].any()

    @pytest.mark.parametrize("norm_first", [False, True])
    def test_a_sequence_of_padding_is_finite_in_torch_with_gradients_and_nan_in_eval_mode_without(self, norm_first):
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=norm_first)
        attention = nn.MultiheadAttention(8, 2, batch_first=True)
        x, padding = torch.randn(2, 3, 8), padding_of([3, 0], 3)
        for train, grad in ((True, True), (True, False), (False, True), (False, False)):
            layer.train(train), attention.train(train)
            with torch.set_grad_enabled(grad):
                outs = (
                    layer(x, src_key_padding_mask=padding),
                    attention(x, x, x, key_padding_mask=padding, need_weights=False)[0],
                )
            for out in outs:
                assert out[0].isfinite().all()
                assert out[1].isnan().all() == (not train and not grad)

    @pytest.mark.parametrize("t", [64, 128])
    def test_the_function_keeps_the_scores_on_the_cpu_only_with_dropout(self, t):
        mask = ~padding_of([t - 9], t)[:, None, None, :]
        scores = 8 * t * t * 4
        inputs = 3 * 8 * t * 64 * 4
        small = kept_bytes(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, mask), t)
        large = kept_bytes(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, mask, dropout_p=0.1), t)
        assert small < inputs * 1.4 and large >= inputs + scores

    def test_true_means_ignore_for_the_modules_and_attend_for_the_function(self):
        mha = nn.MultiheadAttention(8, 1, batch_first=True, bias=False)
        x, hidden = torch.randn(1, 4, 8), torch.tensor([[False, False, True, True]])
        q, k, v = (x @ mha.in_proj_weight.mT).chunk(3, dim=-1)
        expected = mha.out_proj(F.scaled_dot_product_attention(q, k, v, attn_mask=~hidden[:, None, :]))
        torch.testing.assert_close(mha(x, x, x, key_padding_mask=hidden)[0], expected)
        torch.testing.assert_close(mha(x, x, x, attn_mask=hidden.expand(4, 4))[0], expected)

    @pytest.mark.parametrize("d", [9, 256])
    def test_unscaled_scores_have_the_standard_deviation_of_the_root_of_the_width(self, d):
        scores = (torch.randn(20000, d) * torch.randn(20000, d)).sum(dim=1)
        assert scores.std() == pytest.approx(d**0.5, rel=0.05)

    def test_the_stream_of_pre_norm_grows_with_depth_and_a_last_norm_ends_it(self):
        x = torch.randn(4, 10, 32)
        stds = []
        for depth in (2, 8, 32):
            layers = [EncoderLayer(32, 4, 128, 0.0) for _ in range(depth)]
            stds.append(nn.Sequential(*layers)(x).std().item())
        assert stds == sorted(stds) and stds[-1] > 1.3 * stds[0]
        stack = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(8, 1, 8, norm_first=True), 2, enable_nested_tensor=False
        )
        assert stack.norm is None

    def test_dropout_p_of_the_function_acts_without_a_mode(self):
        q = torch.randn(1, 2, 6, 4)
        plain = F.scaled_dot_product_attention(q, q, q)
        assert not torch.allclose(F.scaled_dot_product_attention(q, q, q, dropout_p=0.5), plain)
