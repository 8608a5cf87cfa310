"""What docs/senior/inference/gqa-and-mla.md claims, proven beyond the example shown."""

import pytest
import torch
from torch.nn.functional import normalize, scaled_dot_product_attention

from warmup.testing import load_snippet

main = load_snippet("senior/inference/gqa_and_mla.py")
broken = load_snippet("senior/inference/gqa_and_mla_rope_broken.py")
table = load_snippet("senior/inference/gqa_and_mla_bytes.py")


def sizes(seed, T, H, D, R):
    g = torch.Generator().manual_seed(seed)
    return [torch.randn(s, dtype=torch.double, generator=g) for s in ((H, T, D), (T, R), (H, R, D), (H, R, D))]


class TestGqaAndMla:
    @pytest.mark.parametrize(("T", "H", "D", "R"), [(1, 2, 4, 3), (7, 3, 8, 5), (20, 8, 4, 16)])
    def test_absorption_is_exact_with_and_without_a_causal_mask(self, T, H, D, R):
        q, latent, up_k, up_v = sizes(1, T, H, D, R)
        k, v = latent @ up_k, latent @ up_v
        for allowed in (torch.ones(T, T).bool(), torch.ones(T, T).bool().tril()):
            wanted = scaled_dot_product_attention(q, k, v, attn_mask=allowed)
            scores = (q @ up_k.mT @ latent.T / D**0.5).masked_fill(~allowed, -torch.inf)
            torch.testing.assert_close(scores.softmax(-1) @ latent @ up_v, wanted)

    def test_the_page_s_outputs_are_those_of_attention_and_heads_differ(self):
        k, v = main.latent @ main.up_k, main.latent @ main.up_v
        wanted = scaled_dot_product_attention(main.q, k, v)
        torch.testing.assert_close(main.absorbed, wanted)
        torch.testing.assert_close(main.expanded, wanted)
        for a in range(4):
            for b in range(a):
                assert not torch.allclose(k[a], k[b]) and not torch.allclose(v[a], v[b])

    @pytest.mark.parametrize(("H", "r"), [(2, 4), (8, 2)])
    def test_a_decode_step_is_mqa_whose_values_are_the_first_part_of_the_key(self, H, r):
        q, latent, up_k, up_v = sizes(2, 9, H, 8, 6)
        q_r, k_r = torch.randn(H, 9, r).double(), torch.randn(9, r).double()
        keys = torch.cat([latent @ up_k, broken.rope(k_r).expand(H, 9, r)], -1)
        queries = torch.cat([q, broken.rope(q_r)], -1)[:, -1:]
        wanted = scaled_dot_product_attention(queries, keys, latent @ up_v)
        shared = torch.cat([latent, broken.rope(k_r)], -1)  # all that is cached
        one = torch.cat([q @ up_k.mT, broken.rope(q_r)], -1)[:, -1:]
        values = shared[:, :6]
        mqa = scaled_dot_product_attention(
            one[None], shared[None, None], values[None, None], scale=(8 + r) ** -0.5, enable_gqa=True
        )
        torch.testing.assert_close(mqa[0] @ up_v, wanted)

    @pytest.mark.parametrize("base", [100.0, 10_000.0])
    def test_with_rope_a_score_depends_on_the_distance_so_no_fixed_matrix_fits(self, base):
        q, latent, up, _ = sizes(3, 6, 1, 4, 4)
        same_q, same_k = q[:, :1].expand(1, 6, 4), (latent @ up)[:, :1].expand(1, 6, 4)
        scores = (broken.rope(same_q, base) @ broken.rope(same_k, base).mT)[0]
        for distance in range(5):
            row = scores.diagonal(-distance)
            torch.testing.assert_close(row, row[:1].expand_as(row))
        assert len({round(x, 9) for x in scores[:, 0].tolist()}) == 6

    @pytest.mark.parametrize("T", [1, 6])
    def test_without_rotation_the_diagonal_is_right_and_with_the_query_s_the_first_key(self, T):
        q, latent, up, _ = sizes(4, T, 3, 8, 6)
        wanted = broken.rope(q) @ broken.rope(latent @ up).mT
        plain, turned = q @ up.mT @ latent.T, broken.rope(q) @ up.mT @ latent.T
        latents = broken.rope(q @ up.mT) @ broken.rope(latent).T
        assert [broken.right(s, wanted) for s in (plain, turned, latents)] == [T] * 3
        torch.testing.assert_close(plain.diagonal(dim1=1, dim2=2), wanted.diagonal(dim1=1, dim2=2))
        torch.testing.assert_close(turned[..., 0], wanted[..., 0])

    def test_a_norm_of_the_key_cannot_be_absorbed_and_a_norm_of_the_latent_can(self):
        for seed in (5, 6):
            q, latent, up, _ = sizes(seed, 7, 2, 8, 4)
            normed = q @ normalize(latent @ up, dim=-1).mT
            ratio = normed / (q @ up.mT @ latent.T)
            assert ratio.std() > 0.01  # not even up to one factor
            small = normalize(latent, dim=-1)
            torch.testing.assert_close(q @ (small @ up).mT, q @ up.mT @ small.T)

    def test_the_factors_of_the_table(self):
        mha, gqa, mqa, mla = table.ROWS.values()
        assert mha[0] / gqa[0] == 16 and mha[0] / mqa[0] == 128
        assert round(mha[0] / mla[0]) == 57 and mla[1] / mha[1] == 4.25
        assert gqa[1] == mqa[1] == mha[1]
        assert mla[0] / (2 * table.SIZE) == 2.25  # groups of GQA
        assert 61 * 2 * mla[0] == 70_272 and 126 * 2 * gqa[0] == 516_096
        assert mla[1] / mla[0] < 989e12 / 3.35e12 < 2 * mla[1] / mla[0]
        assert round(660 / 989, 2) == 0.67 and round(3 / 3.35, 1) == 0.9
        assert 660e12 / 3e12 == 220 < mla[1] / mla[0]  # the most that the kernel reaches of both
        assert round(2 * mla[1] / mla[0]) == 484  # two queries per read
        assert gqa[1] / gqa[0] < 0.06 * 989e12 / 3.35e12

    def test_the_absorbed_form_has_3_4_times_the_products_of_the_expanded_one(self):
        absorbed = table.LATENT + table.ROTARY + table.LATENT
        expanded = table.SIZE + table.ROTARY + table.SIZE
        assert (absorbed, expanded) == (576 + 512, 192 + 128)
        assert round(absorbed / expanded, 1) == 3.4

    @pytest.mark.parametrize(("new", "absorb"), [(1, True), (170, True), (171, False), (4000, False)])
    def test_making_keys_and_values_of_cached_tokens_pays_from_171_new_tokens_on(self, new, absorb):
        make = table.LATENT * 2 * table.SIZE  # products per cached token and head
        expanded = make + new * (table.SIZE + table.ROTARY + table.SIZE)
        assert (new * (table.LATENT + table.ROTARY + table.LATENT) < expanded) is absorb

    def test_with_heads_split_over_8_gpus_mla_does_30_flops_per_byte(self):
        numbers, products = table.ROWS["MLA, absorbed"]  # every GPU reads the whole latent
        assert round(products / 8 / numbers) == 30

    @pytest.mark.parametrize("kv", [1, 2])
    def test_fewer_key_value_heads_do_not_change_the_number_of_scores(self, kv):
        q, k = torch.randn(4, 5, 8), torch.randn(kv, 5, 8)
        assert (q @ k.repeat_interleave(4 // kv, 0).mT).numel() == 4 * 5 * 5
        assert k.numel() == kv * 5 * 8

    @pytest.mark.parametrize("gpus", [16, 32])
    def test_more_gpus_than_heads_shrink_the_cache_per_gpu_by_the_heads(self, gpus):
        held = [gpu * 8 // gpus for gpu in range(gpus)]  # the head of each GPU
        assert {held.count(head) for head in range(8)} == {gpus // 8}

    @pytest.mark.parametrize("gpus", [2, 3])
    def test_tokens_can_be_split_over_gpus_and_partial_results_merged_exactly(self, gpus):
        q, latent, _, _ = sizes(7, 9, 4, 6, 6)
        scores = q @ latent.T / 6**0.5
        wanted = scores.softmax(-1) @ latent
        parts = [scores[..., gpu::gpus] for gpu in range(gpus)]  # token t is on GPU t % gpus
        outputs = torch.stack([part.softmax(-1) @ latent[gpu::gpus] for gpu, part in enumerate(parts)])
        shares = torch.stack([part.logsumexp(-1) for part in parts]).softmax(0)
        torch.testing.assert_close((shares[..., None] * outputs).sum(0), wanted)
