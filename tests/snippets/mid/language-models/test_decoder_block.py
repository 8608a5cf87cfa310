"""Every claim of docs/mid/language-models/decoder-block.md, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.nn.functional import rms_norm, silu

from warmup.testing import load_snippet

count = load_snippet("mid/language-models/decoder_block.py")
module = load_snippet("mid/language-models/decoder_block_module.py")


def size(m):
    return sum(p.numel() for p in m.parameters())


class TestDecoderBlock:
    @pytest.mark.parametrize("shape", [(4096, 11_008, 32, 32), (64, 96, 8, 2), (48, 40, 6, 1)])
    def test_the_formula_counts_the_module(self, shape):
        with torch.device("meta"):
            assert sum(count.block(*shape)) == size(module.Block(*shape))

    @pytest.mark.parametrize(
        ("name", "published"),
        [("Llama 2 7B", 6_738_415_616), ("Llama 3 8B", 8_030_261_248), ("Llama 3 70B", 70_553_706_496)],
    )
    def test_the_counts_are_the_published_ones(self, name, published):
        vocabulary, layers, *shape = count.MODELS[name]
        assert 2 * vocabulary * shape[0] + layers * sum(count.block(*shape)) + shape[0] == published

    def test_the_block_grew_by_half_a_percent(self):
        old = size(nn.TransformerEncoderLayer(4096, 32, 4 * 4096, device="meta"))
        assert 0.0045 < sum(count.block(4096, 11_008, 32, 32)) / old - 1 < 0.0055
        assert 1.08 < sum(count.block(4096, 14_336, 32, 8)) / old < 1.085
        assert -(-(8 * 4096 // 3) // 256) * 256 == 11_008 and round(8 / 3 * 4096) == 10_923

    @pytest.mark.parametrize("d", [48, 768])
    def test_three_matrices_of_eight_thirds_weigh_as_much_as_two_of_four(self, d):
        assert count.block(d, 8 * d // 3, 6, 6)[1] == 2 * d * 4 * d

    def test_where_the_parameters_of_llama_3_8b_sit(self):
        vocabulary, layers, *shape = count.MODELS["Llama 3 8B"]
        attention, network, norms = (layers * n for n in count.block(*shape))
        embeddings = 2 * vocabulary * 4096
        total = attention + network + norms + embeddings + 4096
        assert [round(100 * n / total) for n in (network, attention, embeddings)] == [70, 17, 13]
        assert norms + 4096 == 266_240 and shape[1] / shape[0] == 3.5
        assert [round(n / 1e6, 1) for n in count.block(*shape)[:2]] == [41.9, 176.2]
        llama_2 = count.block(*count.MODELS["Llama 2 7B"][2:])
        assert round((llama_2[0] - count.block(*shape)[0]) / 1e6) == 25
        assert round((count.block(*shape)[1] - llama_2[1]) / 1e6) == 41

    @pytest.mark.parametrize(("name", "kib", "gib"), [("Llama 2 7B", 512, 4), ("Llama 3 8B", 128, 1)])
    def test_the_cache_per_token(self, name, kib, gib):
        _, layers, width, _, heads, kv_heads = count.MODELS[name]
        per_token = layers * 2 * kv_heads * (width // heads) * torch.bfloat16.itemsize
        assert per_token == kib * 1024 and per_token * 8192 == gib * 2**30

    @pytest.mark.parametrize("kv_heads", [1, 2, 4])
    @pytest.mark.parametrize("qk_norm", [False, True])
    def test_the_block_is_causal(self, kv_heads, qk_norm):
        torch.manual_seed(1)
        block, x = module.Block(32, 40, 4, kv_heads, qk_norm).double(), torch.randn(2, 7, 32).double()
        other = x.clone()
        other[:, 3] -= 1
        same = torch.isclose(block(x), block(other), atol=1e-9, rtol=0).all(dim=-1)
        assert same[:, :3].all() and not same[:, 3:].any()

    @pytest.mark.parametrize("dtype", [torch.bfloat16, torch.double])
    def test_the_block_runs_in_its_own_dtype(self, dtype):
        block, x = module.Block(32, 40, 4, 2).to(dtype), torch.randn(1, 5, 32).to(dtype)
        assert block(x).dtype == dtype

    @pytest.mark.parametrize("seed", [0, 1])
    def test_learned_norms_multiply_the_bound_by_their_largest_weights(self, seed):
        torch.manual_seed(seed)
        (a, b), (q, k) = torch.randn(2, 16).double(), torch.randn(2, 500, 16).double()
        scores = rms_norm(q, (16,), a) @ rms_norm(k, (16,), b).T / 16**0.5
        assert scores.abs().max() <= 16**0.5 * a.abs().max() * b.abs().max()
        one = torch.zeros(1, 16).double()
        one[0, 3] = 1.0
        a[3], b[3] = 5.0, 7.0
        reached = rms_norm(one, (16,), a) @ rms_norm(one, (16,), b).T / 16**0.5
        assert abs(reached.item() - 16**0.5 * 35) < 1e-6

    def test_positions_matter_and_only_their_distance_does(self):
        torch.manual_seed(2)
        q, k = torch.randn(2, 1, 8).double()
        rows = lambda x, at: module.rotate(x.expand(at + 1, 8))[at]  # noqa: E731
        score = lambda m, n: rows(q, m) @ rows(k, n)  # noqa: E731
        torch.testing.assert_close(score(5, 2), score(65, 62), rtol=0, atol=1e-4)
        assert (score(5, 2) - score(5, 1)).abs() > 1e-2

    @pytest.mark.parametrize(("a", "b"), [(-100.0, 1.0), (-50.0, 3.0)])
    def test_a_swap_of_gate_and_up_loads_and_changes_the_output(self, a, b):
        block = module.Block(8, 12, 2, 1)
        state = block.state_dict()
        swapped = dict(state, **{"gate.weight": state["up.weight"], "up.weight": state["gate.weight"]})
        x = torch.randn(1, 3, 8)
        before = block(x)
        assert not any(block.load_state_dict(swapped))
        assert not torch.allclose(block(x), before)
        a, b = torch.tensor([a, b])
        assert abs(silu(a) * b) < 1e-6 and silu(b) * a < -70

    @pytest.mark.parametrize("width", [64, 128])
    @pytest.mark.parametrize("scale", [1.0, 1e3])
    def test_qk_norm_bounds_the_score_by_the_root_of_the_head_width(self, width, scale):
        torch.manual_seed(3)
        q, k = scale * torch.randn(2, 50, width, dtype=torch.double)
        k[0] = 7 * q[0]  # parallel: the bound is reached
        scores = rms_norm(q, (width,)) @ rms_norm(k, (width,)).T / width**0.5
        assert scores.abs().max() <= width**0.5 + 1e-9
        assert abs(scores[0, 0] - width**0.5) < 1e-5
        assert 11.3 < 128**0.5 < 11.35

    @pytest.mark.parametrize("by", [10.0, 3.0])
    def test_scores_grow_with_the_square_of_the_weights(self, by):
        x, Wq, Wk = (torch.randn(6, 6, dtype=torch.double) for _ in range(3))
        torch.testing.assert_close((x @ (by * Wq)) @ (x @ (by * Wk)).T, by**2 * (x @ Wq) @ (x @ Wk).T)
