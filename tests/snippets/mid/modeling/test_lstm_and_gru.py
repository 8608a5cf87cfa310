"""Every claim of docs/mid/modeling/lstm-and-gru.md, proven beyond the example shown."""

from itertools import permutations

import pytest
import torch
from torch import nn
from torch.nn.functional import linear

from warmup.testing import load_snippet

page = load_snippet("mid/modeling/lstm_and_gru.py")
gradient = load_snippet("mid/modeling/lstm_and_gru_gradient.py")
reset = load_snippet("mid/modeling/lstm_and_gru_reset_broken.py")


def made(kind, inputs, width, seed=1, **options):
    torch.manual_seed(seed)
    return getattr(nn, kind)(inputs, width, batch_first=True, **options).double()


def ratio(layer, seed=0):
    torch.manual_seed(seed)
    return gradient.gradients(layer)[0].item()


class TestTheCell:
    @pytest.mark.parametrize(("batch", "steps", "inputs", "width"), [(1, 1, 2, 3), (3, 12, 5, 4), (2, 6, 4, 4)])
    def test_it_equals_nn_lstm(self, batch, steps, inputs, width):
        layer, x = made("LSTM", inputs, width), torch.randn(batch, steps, inputs).double()
        torch.testing.assert_close(page.lstm(x, layer), layer(x)[0])

    def test_any_other_order_of_the_gates_runs_and_is_wrong(self):
        layer, x = made("LSTM", 4, 3), torch.randn(2, 5, 4).double()
        right = layer(x)[0]
        for order in permutations(range(4)):
            other = made("LSTM", 4, 3)
            with torch.no_grad():
                for p, q in zip(other.parameters(), layer.parameters(), strict=True):
                    p.copy_(torch.cat([q.chunk(4)[k] for k in order]))
            same = torch.allclose(page.lstm(x, other), right)
            assert same == (order == (0, 1, 2, 3))

    def test_the_direct_path_multiplies_the_gradient_by_the_forget_gate(self):
        layer = made("LSTM", 4, 3)
        x, h = torch.randn(2, 4).double(), torch.randn(2, 3).double()
        c = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
        _, (_, new) = layer(x[:, None], (h[None], c[None]))
        gates = linear(x, layer.weight_ih_l0, layer.bias_ih_l0) + linear(h, layer.weight_hh_l0, layer.bias_hh_l0)
        (grad,) = torch.autograd.grad(new.sum(), c)
        torch.testing.assert_close(grad, gates.chunk(4, dim=1)[1].sigmoid())

    def test_the_two_biases_of_an_lstm_are_added(self):
        layer, x = made("LSTM", 4, 3), torch.randn(2, 5, 4).double()
        before = layer(x)[0]
        with torch.no_grad():
            layer.bias_ih_l0 += layer.bias_hh_l0
            layer.bias_hh_l0.zero_()
        torch.testing.assert_close(layer(x)[0], before)

    @pytest.mark.parametrize("width", [16, 256])
    def test_the_forget_gate_starts_near_one_half(self, width):
        layer, x = made("LSTM", 8, width), torch.randn(4, 20, 8).double()
        h = layer(x)[0]
        gates = linear(x[:, 1:], layer.weight_ih_l0, layer.bias_ih_l0)
        gates = gates + linear(h[:, :-1], layer.weight_hh_l0, layer.bias_hh_l0)
        f = gates.chunk(4, dim=2)[1].sigmoid()
        assert 0.47 < f.mean() < 0.53 and layer.bias_ih_l0.abs().max() <= width**-0.5
        assert 0.5**10 < 0.001 < 0.5**9


class TestTheGradient:
    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize("width", [32, 64])
    def test_default_cells_vanish_and_a_forget_bias_keeps_it(self, width, seed):
        assert all(ratio(made(kind, 8, width, seed), seed) < 1e-15 for kind in ("RNN", "LSTM", "GRU"))
        found = []
        for bias in (0, 1, 3):
            layer = made("LSTM", 8, width, seed)
            gradient.set_forget_bias(layer, bias)
            found.append(ratio(layer, seed))
        assert found[0] < 1e-15 < 1e-10 < found[1] < 1e-4 < 0.1 < found[2]
        assert found[0] > 0.5**99 and found[1] > 0.731**99

    def test_with_a_bias_of_3_or_5_it_can_grow(self):
        for bias in (3, 5):
            layer = made("LSTM", 8, 64, 0)
            gradient.set_forget_bias(layer, bias)
            assert ratio(layer) > 2

    def test_the_function_sets_all_layers_and_directions(self):
        layer = made("LSTM", 3, 4, num_layers=2, bidirectional=True)
        gradient.set_forget_bias(layer, 1.5)
        names = {n.split("_", 2)[2] for n, _ in layer.named_parameters()}
        assert names == {"l0", "l0_reverse", "l1", "l1_reverse"}
        for name in names:
            total = getattr(layer, f"bias_ih_{name}") + getattr(layer, f"bias_hh_{name}")
            assert (total[4:8] == 1.5).all() and (total[:4] != 1.5).all()

    def test_without_bias_there_is_none(self):
        layer = made("LSTM", 8, 32, bias=False)
        assert not [n for n, _ in layer.named_parameters() if "bias" in n]
        assert ratio(layer) < 1e-15

    def test_a_large_recurrent_weight_explodes_an_lstm_too(self):
        layer = made("LSTM", 8, 32, 0)
        with torch.no_grad():
            layer.weight_hh_l0 *= 8
        gradient.set_forget_bias(layer, 5)
        assert ratio(layer) > 1e3


class TestGRU:
    @pytest.mark.parametrize(("inputs", "width"), [(2, 3), (6, 16)])
    def test_nn_gru_resets_after_the_product_and_the_paper_before(self, inputs, width):
        layer, x = made("GRU", inputs, width), torch.randn(3, 8, inputs).double()
        torch.testing.assert_close(reset.gru(x, layer, "after"), layer(x)[0])
        assert (reset.gru(x, layer, "before") - layer(x)[0]).abs().max() > 0.02

    def test_its_blocks_are_reset_update_candidate_and_another_order_runs_and_is_wrong(self):
        layer, x = made("GRU", 3, 4), torch.randn(2, 6, 3).double()
        expected = layer(x)[0]
        assert torch.allclose(reset.gru(x, layer, "after"), expected)
        with torch.no_grad():
            for p in layer.parameters():  # update, reset, candidate, as Keras has it
                p.copy_(torch.cat([p.chunk(3)[i] for i in (1, 0, 2)]))
        assert (layer(x)[0] - expected).abs().max() > 0.01

    def test_its_second_bias_is_not_redundant(self):
        layer, x = made("GRU", 4, 6), torch.randn(2, 5, 4).double()
        before = layer(x)[0]
        with torch.no_grad():
            layer.bias_ih_l0 += layer.bias_hh_l0
            layer.bias_hh_l0.zero_()
        assert (layer(x)[0] - before).abs().max() > 0.01

    def test_the_update_gate_is_the_share_that_stays(self):
        layer, h = made("GRU", 4, 6), torch.randn(1, 2, 6).double()
        with torch.no_grad():
            layer.bias_ih_l0[6:12] = 50
        torch.testing.assert_close(layer(torch.randn(2, 3, 4).double(), h)[1], h)


class TestTheModules:
    @pytest.mark.parametrize(("inputs", "width"), [(8, 64), (5, 7)])
    def test_parameters_are_one_to_three_to_four(self, inputs, width):
        sizes = [sum(p.numel() for p in made(k, inputs, width).parameters()) for k in ("RNN", "GRU", "LSTM")]
        assert [s / sizes[0] for s in sizes] == [1, 3, 4]

    def test_shapes_and_ends_of_both_directions(self):
        layer, x = made("LSTM", 3, 4, num_layers=2, bidirectional=True), torch.randn(5, 6, 3).double()
        out, (h, c) = layer(x)
        assert h.shape == c.shape == (4, 5, 4)
        torch.testing.assert_close(out[:, -1, :4], h[2])
        torch.testing.assert_close(out[:, 0, 4:], h[3])
        assert not torch.allclose(out[:, -1, 4:], h[3])

    def test_with_a_projection_the_hidden_state_is_smaller(self):
        _, (h, c) = made("LSTM", 3, 6, proj_size=2)(torch.randn(2, 5, 3).double())
        assert (h.shape[-1], c.shape[-1]) == (2, 6)
