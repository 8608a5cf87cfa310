"""What docs/senior/inference/ptq-vs-qat.md claims, proven beyond the example shown."""

import warnings

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

page = load_snippet("senior/inference/ptq_vs_qat.py")


def floats(*shape):
    return torch.randn(*shape, dtype=torch.float64)


class TestRounding:
    @pytest.mark.parametrize("bits", [2, 3, 8])
    def test_the_levels_and_the_largest_error(self, bits):
        torch.manual_seed(bits)
        w = floats(30, 4)
        q = page.rounded(w, bits)
        step = w.abs().amax(0, keepdim=True) / (2 ** (bits - 1) - 1)
        assert (q / step).round().unique().numel() <= 2**bits - 1
        assert ((q - w).abs() / step).max() <= 0.5 + 1e-9

    @pytest.mark.parametrize("bits", [2, 4])
    def test_the_best_clip_has_no_larger_error_than_any_clip(self, bits):
        torch.manual_seed(0)
        w = floats(64, 8)
        least = (page.best_clip(w, bits) - w).square().sum(0)
        for clip in torch.linspace(0.3, 1, 15):
            assert (least <= (page.rounded(w, bits, clip) - w).square().sum(0) + 1e-12).all()
        assert least.sum() < (page.rounded(w, bits) - w).square().sum()

    @pytest.mark.parametrize("bits", [2, 4])
    def test_straight_through_has_the_rounded_value_and_the_plain_gradient(self, bits):
        torch.manual_seed(0)
        w, other = floats(6, 5).requires_grad_(), floats(6, 5)
        q = page.fake_quantize(w, bits)
        torch.testing.assert_close(q, page.rounded(w, bits, clip=0.7))
        (q * other).sum().backward()
        torch.testing.assert_close(w.grad, other)

    def test_the_gradient_of_round_is_zero(self):
        w = floats(20).requires_grad_()
        w.round().square().sum().backward()
        assert not w.grad.any()

    @pytest.mark.parametrize("bits", [2, 4])
    def test_through_the_scale_the_largest_weight_of_each_output_gets_a_gradient(self, bits):
        torch.manual_seed(0)
        w = floats(9, 4).requires_grad_()
        (page.rounded(w, bits) * floats(9, 4)).sum().backward()
        largest = w.detach().abs() == w.detach().abs().amax(0, keepdim=True)
        assert torch.equal(w.grad.abs() > 1e-12, largest)

    def test_a_weight_jumps_after_many_small_steps_and_flips_at_the_end(self):
        """One weight, levels 0 and 1, target 0.3: the gradient at each level points to the other."""

        def run(rate, w):
            values = []
            for _ in range(300):
                values.append(float(round(w)))
                w -= rate * (values[-1] - 0.3)
            return values

        values, slow = run(0.02, 0.0), run(0.002, 0.495)
        assert values[:80] == [0.0] * 80 and 1.0 in values
        late = values[150:]
        assert late.count(1.0) / len(late) == pytest.approx(0.3, abs=0.05)
        flips = sum(a != b for a, b in zip(late, late[1:], strict=False))
        assert flips > 50
        # a tenth of the rate flips as often
        assert sum(a != b for a, b in zip(slow[150:], slow[151:], strict=False)) == pytest.approx(flips, abs=3)

    def test_an_update_smaller_than_half_a_step_is_rounded_away(self):
        stored = torch.tensor([3.0, -1.0])  # on a grid of whole numbers
        for _ in range(100):
            stored = (stored - 0.4 * torch.tensor([1.0, -1.0])).round()
        assert stored.tolist() == [3.0, -1.0]


@pytest.fixture(scope="module")
def nets():
    torch.manual_seed(1)
    half = page.train(page.start(48), 200, 0.1)
    aware, mild = (page.train(half, 100, 0.05, lambda w, b=bits: page.fake_quantize(w, b)) for bits in (2, 3))
    return page.train(half, 100, 0.05), aware, mild


@pytest.fixture(scope="module")
def ao():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torchao.quantization
        import torchao.quantization.qat

        return torchao.quantization


class TestTraining:
    def test_at_8_and_4_bits_nothing_is_lost_by_rounding(self, nets):
        exact = page.accuracy(nets[0]).mean()
        for bits, margin in ((8, 0.005), (4, 0.015)):
            assert abs(page.accuracy(nets[0], lambda w, b=bits: page.rounded(w, b)).mean() - exact) < margin

    @pytest.mark.parametrize("bits", [2, 3])
    def test_a_small_step_leaves_weights_on_their_levels_and_moves_the_scale(self, nets, bits):
        w = nets[0][0]
        torch.manual_seed(0)
        moved = w + 0.002 * torch.randn_like(w)

        def levels(q):
            return (q / q.abs().amax(-2, keepdim=True) * (2 ** (bits - 1) - 1)).round()

        before, after = page.rounded(w, bits, clip=0.7), page.rounded(moved, bits, clip=0.7)
        assert (levels(before) != levels(after)).double().mean() < 0.02
        changed = (before != after)[before != 0]
        assert changed.all()

    def test_at_2_bits_a_clip_helps_and_training_with_rounding_helps_more(self, nets):
        net, aware, _ = nets
        plain = page.accuracy(net, lambda w: page.rounded(w, 2)).mean()
        clipped = page.accuracy(net, lambda w: page.best_clip(w, 2)).mean()
        trained = page.accuracy(aware, lambda w: page.fake_quantize(w, 2)).mean()
        assert plain + 0.05 < clipped < trained - 0.05 and trained > 0.88
        assert page.rounded(net[0], 2)[0, :, 0].unique().numel() == 3

    def test_at_2_bits_the_clip_of_the_training_alone_gets_back_over_ten_points(self, nets):
        plain, alone = (page.accuracy(nets[0], lambda w, c=c: page.rounded(w, 2, c)).mean() for c in (1.0, 0.7))
        trained = page.accuracy(nets[1], lambda w: page.fake_quantize(w, 2)).mean()
        assert plain + 0.1 < alone < trained - 0.04

    def test_at_3_bits_training_with_rounding_wins_a_little(self, nets):
        trained = page.accuracy(nets[2], lambda w: page.fake_quantize(w, 3)).mean()
        for change in (page.rounded, page.best_clip):
            assert 0.002 < trained - page.accuracy(nets[0], lambda w, c=change: c(w, 3)).mean() < 0.05

    def test_after_training_at_2_bits_the_float_copy_is_worse_than_the_rounded_weights(self, nets):
        trained = page.accuracy(nets[1], lambda w: page.fake_quantize(w, 2)).mean()
        assert page.accuracy(nets[1]).mean() < trained - 0.03

    def test_from_an_unfinished_model_the_gain_at_8_bits_is_that_of_the_steps(self):
        torch.manual_seed(2)
        half = page.train(page.start(32), 30, 0.02)
        longer = page.train(half, 60, 0.05)
        aware = page.train(half, 60, 0.05, lambda w: page.fake_quantize(w, 8))

        def at_8_bits(net):
            return page.accuracy(net, lambda w: page.rounded(w, 8)).mean()

        gain = at_8_bits(aware) - at_8_bits(half)
        assert gain > 0.1
        assert abs(at_8_bits(aware) - at_8_bits(longer)) < gain / 5

    def test_without_the_trick_the_weights_keep_their_place_and_the_loss_falls(self):
        torch.manual_seed(3)
        x = floats(200, 3)
        y = x @ torch.tensor([1.0, -1, 2]).double() - 4
        ends = {}
        for trick in (False, True):
            w, b = torch.tensor([0.2, 0.1, 0.3]).double(), torch.zeros(1).double()
            losses = []
            for _ in range(80):
                params = [w.requires_grad_(), b.requires_grad_()]
                q = w + (w.round() - w).detach() if trick else w.round()
                loss = (x @ q + b - y).square().mean()
                losses.append(loss.item())
                w, b = ((p - 0.05 * g).detach() for p, g in zip(params, torch.autograd.grad(loss, params), strict=True))
            ends[trick] = losses[-1]
            assert losses[-1] < losses[0]
            assert (w == torch.tensor([0.2, 0.1, 0.3]).double()).all() == (not trick)
        assert ends[True] < 0.05 * ends[False]


@pytest.mark.torchao
@pytest.mark.filterwarnings("ignore")
class TestTorchao:
    @pytest.mark.parametrize("bits", [2, 4])
    def test_the_converted_model_gives_the_outputs_of_training(self, ao, bits):
        base = ao.IntxWeightOnlyConfig(weight_dtype=getattr(torch, f"int{bits}"), granularity=ao.PerGroup(16))
        torch.manual_seed(bits)
        model, x = nn.Sequential(nn.Linear(48, 32)), torch.randn(7, 48)
        exact = model(x)
        ao.quantize_(model, ao.qat.QATConfig(base, step="prepare"))
        out = model(x)
        assert type(model[0].weight) is nn.Parameter and not torch.allclose(out, exact, atol=1e-3)
        out.sum().backward()
        passed = torch.isclose(model[0].weight.grad, x.sum(0).expand(32, 48), atol=1e-4)
        assert passed.float().mean() > 0.9  # not for the few that are clamped
        assert not model[0].weight.grad[~passed].any()
        ao.quantize_(model, ao.qat.QATConfig(base, step="convert"))
        torch.testing.assert_close(model(x), out)
        assert model[0].weight.qdata.abs().max() <= 2 ** (bits - 1)

    def test_a_config_of_int8_weights_raises_and_intx_with_int8_works(self, ao):
        with pytest.raises(ValueError, match="Unexpected base config"):
            ao.quantize_(nn.Sequential(nn.Linear(4, 4)), ao.qat.QATConfig(ao.Int8WeightOnlyConfig(), step="prepare"))
        torch.manual_seed(0)
        model, x = nn.Sequential(nn.Linear(32, 8)), torch.randn(3, 32)
        base, exact = ao.IntxWeightOnlyConfig(weight_dtype=torch.int8), model(x)
        ao.quantize_(model, ao.qat.QATConfig(base, step="prepare"))
        out = model(x)
        assert not torch.allclose(out, exact, atol=1e-4)
        ao.quantize_(model, ao.qat.QATConfig(base, step="convert"))
        torch.testing.assert_close(model(x), out)
