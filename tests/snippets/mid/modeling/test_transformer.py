"""Every claim of docs/mid/modeling/transformer.md, proven beyond the example shown."""

import itertools
import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

depth = load_snippet("mid/modeling/transformer_depth.py")


def ceiling(t, v):
    """The best share right for t of v tokens in reverse, if a token knows the others only as a set."""
    others = itertools.product(range(v), repeat=t - 1)
    best = sum(max(map(o.count, o)) for o in others) / v ** (t - 1) / (t - 1)
    return best if t % 2 == 0 else ((t - 1) * best + 1) / t  # the middle of an odd length is its own target


class TestTransformer:
    @pytest.mark.parametrize(("t", "d"), [(4, 8), (7, 3), (1, 5)])
    def test_attention_needs_the_softmax_over_the_keys(self, t, d):
        q, k, v = torch.randn(3, 2, t, d, dtype=torch.float64)
        scores = q @ k.mT / math.sqrt(d)
        reference = F.scaled_dot_product_attention(q, k, v)
        torch.testing.assert_close(scores.softmax(dim=-1) @ v, reference)
        assert not torch.allclose(scores @ v, reference)
        if t > 1:
            assert not torch.allclose(scores.softmax(dim=-2) @ v, reference)

    @pytest.mark.parametrize("d", [256, 1024])
    def test_the_root_of_d_keeps_the_variance_of_scores_near_1_and_the_gradient_of_the_softmax_alive(self, d):
        q, k = torch.randn(500, d), torch.randn(16, d)
        slopes = []
        for divisor in (1.0, d**0.5):
            scores = (q @ k.mT / divisor).requires_grad_()
            assert scores.var().item() == pytest.approx(d / divisor**2, rel=0.3)
            scores.softmax(dim=-1).amax(dim=-1).sum().backward()
            slopes.append(scores.grad.norm(dim=-1).median())
        assert slopes[0] < slopes[1] / 4

    @pytest.mark.parametrize("norm_first", [False, True])
    @pytest.mark.parametrize("t", [2, 9])
    def test_a_layer_is_equivariant_its_mean_invariant_and_positions_or_a_causal_mask_end_it(self, norm_first, t):
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=norm_first).double()
        x, places = torch.randn(2, t, 8).double(), torch.randn(t, 8).double()
        order = torch.arange(t).flip(0)
        torch.testing.assert_close(layer(x[:, order]), layer(x)[:, order])
        assert not torch.allclose(layer(x[:, order]), layer(x))
        torch.testing.assert_close(layer(x[:, order]).mean(dim=1), layer(x).mean(dim=1))
        assert not torch.allclose(layer(x[:, order] + places), layer(x + places)[:, order])
        assert not torch.allclose(layer(x[:, order] + places).mean(dim=1), layer(x + places).mean(dim=1))
        causal = torch.ones(t, t, dtype=torch.bool).triu(1)
        assert not torch.allclose(layer(x[:, order], src_mask=causal), layer(x, src_mask=causal)[:, order])

    @pytest.mark.parametrize(("t", "v", "norm_first"), [(4, 5, False), (3, 6, True)])
    def test_only_with_positions_a_layer_learns_to_reverse_and_without_there_is_a_ceiling(self, t, v, norm_first):
        every = torch.cartesian_prod(*[torch.arange(v)] * t)
        for places in (True, False):
            torch.manual_seed(0)
            embed, place, head = nn.Embedding(v, 16), nn.Embedding(t, 16), nn.Linear(16, v)
            layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, norm_first=norm_first)
            model = nn.ModuleList([embed, place, layer, head])
            optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
            for step in range(41):
                tokens = torch.randint(v, (32, t)) if step < 40 else every
                logits = head(layer(embed(tokens) + (place.weight if places else 0)))
                if step < 40:
                    optimizer.zero_grad()
                    F.cross_entropy(logits.mT, tokens.flip(1)).backward()
                    optimizer.step()
            accuracy = (logits.argmax(-1) == every.flip(1)).double().mean().item()
            if places:
                assert accuracy > 0.97
            else:
                assert 1.3 / v < accuracy <= ceiling(t, v) + 1e-9

    def test_the_ceiling_of_six_tokens_from_eight_is_38_6_percent(self):
        assert ceiling(6, 8) == pytest.approx(0.386, abs=5e-4)

    @pytest.mark.parametrize("norm_first", [False, True])
    def test_one_causal_layer_shows_its_last_token_a_set_and_two_layers_an_order(self, norm_first):
        causal = torch.ones(5, 5, dtype=torch.bool).triu(1)
        x, order = torch.randn(2, 5, 8).double(), torch.tensor([2, 0, 3, 1, 4])
        layers = [
            nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=norm_first).double()
            for _ in range(2)
        ]
        one = [layers[0](t, src_mask=causal) for t in (x, x[:, order])]
        two = [layers[1](t, src_mask=causal) for t in one]
        torch.testing.assert_close(one[0][:, -1], one[1][:, -1])
        assert not torch.allclose(two[0][:, -1], two[1][:, -1])

    @pytest.mark.parametrize("t", [2, 5, 20])
    def test_the_longest_chain_grows_by_five_per_token_and_that_of_attention_does_not(self, t):
        u, w = torch.randn(2, 4, 4).requires_grad_()
        x = torch.randn(t, 4, requires_grad=True)
        longer = torch.randn(t + 1, 4, requires_grad=True)
        assert depth.longest_path(depth.recurrent(longer, u, w)) - depth.longest_path(depth.recurrent(x, u, w)) == 5
        assert depth.longest_path(depth.attention(longer, u, w)) == depth.longest_path(depth.attention(x, u, w))

    def test_the_longest_chain_is_counted_with_its_leaf_and_through_branches(self):
        x = torch.randn(3, requires_grad=True)
        assert depth.longest_path(x + 1) == 2
        assert depth.longest_path(x.exp().exp() + x) == 4
        assert depth.longest_path(x + x.exp().exp()) == 4

    @pytest.mark.parametrize("t", [3, 11])
    def test_the_seven_nodes_of_attention_are_six_operations_and_a_leaf(self, t):
        u, w, x = nn.Parameter(torch.randn(4, 4)), nn.Parameter(torch.randn(4, 4)), torch.randn(t, 4)
        node, names = depth.attention(x, u, w).grad_fn, []
        while node is not None:
            names.append(node.name())
            node = next((n for n, _ in reversed(node.next_functions) if n is not None), None)
        assert len(names) == depth.longest_path(depth.attention(x, u, w)) == 7
        assert ["AccumulateGrad" in name for name in names] == [False] * 6 + [True]

    def test_the_two_functions_are_a_recurrent_cell_and_attention(self):
        u, w, x = torch.randn(3, 3).double(), torch.randn(3, 3).double(), torch.randn(5, 3).double()
        cell = nn.RNN(3, 3, bias=False).double()
        with torch.no_grad():
            cell.weight_ih_l0.copy_(u.mT), cell.weight_hh_l0.copy_(w.mT)
        torch.testing.assert_close(depth.recurrent(x, u, w), cell(x)[0][-1].detach())
        reference = F.scaled_dot_product_attention((x @ u)[None], (x @ w)[None], x[None], scale=1.0)
        torch.testing.assert_close(depth.attention(x, u, w), reference[0, -1])

    def test_one_projection_for_queries_and_keys_makes_symmetric_scores(self):
        x, w, u = torch.randn(6, 4), torch.randn(4, 4), torch.randn(4, 4)
        torch.testing.assert_close((x @ w) @ (x @ w).mT, ((x @ w) @ (x @ w).mT).mT)
        scores = (x @ w) @ (x @ u).mT
        assert not torch.allclose(scores, scores.mT)

    def test_for_given_weights_attention_is_linear_in_the_values(self):
        q, k, v, other = torch.randn(4, 1, 5, 3, dtype=torch.float64)
        both = F.scaled_dot_product_attention(q, k, 2 * v + other)
        apart = 2 * F.scaled_dot_product_attention(q, k, v) + F.scaled_dot_product_attention(q, k, other)
        torch.testing.assert_close(both, apart)

    @pytest.mark.parametrize("d", [8, 64])
    def test_the_feed_forward_network_holds_two_thirds_of_the_matrices(self, d):
        layer = nn.TransformerEncoderLayer(d, 2, 4 * d)
        matrices = {name: p.numel() for name, p in layer.named_parameters() if p.dim() == 2}
        feed = sum(n for name, n in matrices.items() if name.startswith("linear"))
        assert 3 * feed == 2 * sum(matrices.values())

    def test_a_rotation_by_position_makes_scores_depend_on_the_signed_difference(self):
        def rotated(v, p):
            c, s = math.cos(0.3 * p), math.sin(0.3 * p)
            return torch.stack([c * v[0] - s * v[1], s * v[0] + c * v[1]])

        q, k = torch.randn(2, 2, dtype=torch.float64)
        torch.testing.assert_close(rotated(q, 7) @ rotated(k, 4), rotated(q, 103) @ rotated(k, 100))
        assert not torch.allclose(rotated(q, 7) @ rotated(k, 4), rotated(q, 7) @ rotated(k, 3))
        assert not torch.allclose(rotated(q, 7) @ rotated(k, 4), rotated(q, 4) @ rotated(k, 7))
