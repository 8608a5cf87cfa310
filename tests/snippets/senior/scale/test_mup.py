"""What docs/senior/scale/mup.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

main = load_snippet("senior/scale/mup.py")
sweep = load_snippet("senior/scale/mup_transfer_broken.py")


def growth(rules, seed, low=64, high=512):
    """Factors by which the changes of hidden units and logits grow with the width."""
    small, large = main.change(low, rules, seed), main.change(high, rules, seed)
    return [b / a for a, b in zip(small, large, strict=True)]


@pytest.mark.parametrize("seed", [1, 2])
class TestCoordinateCheck:
    def test_in_mup_the_changes_do_not_depend_on_the_width(self, seed):
        assert growth(main.RULES, seed) == pytest.approx([1, 1], abs=0.25)

    def test_standard_hidden_changes_grow_nearly_as_the_width_and_logits_faster(self, seed):
        hidden, logits = growth(set(), seed)
        assert 4 < hidden < 9 and logits > 10

    def test_without_the_hidden_rate_hidden_units_grow_with_the_width(self, seed):
        hidden, logits = growth(main.RULES - {"hidden rate"}, seed)
        assert 4 < hidden < 9 and logits > 2.5

    def test_without_the_output_rate_the_logits_alone_grow_with_the_width(self, seed):
        hidden, logits = growth(main.RULES - {"output rate"}, seed)
        assert hidden == pytest.approx(1, abs=0.2) and logits > 3

    def test_without_the_output_start_the_logits_grow_as_the_root(self, seed):
        hidden, logits = growth(main.RULES - {"output start"}, seed)
        assert hidden == pytest.approx(1, abs=0.2) and 1.7 < logits < 3.5

    def test_at_the_base_width_both_setups_are_the_same(self, seed):
        assert main.change(64, set(), seed) == main.change(64, main.RULES, seed)
        assert sweep.train(64, 0.03, False, seed) == sweep.train(64, 0.03, True, seed)


class TestMechanism:
    @pytest.mark.parametrize("width", [10, 1000])
    def test_a_sign_step_moves_a_unit_by_the_rate_times_the_sum_of_its_inputs(self, width):
        torch.manual_seed(0)
        inputs = torch.rand(width, dtype=torch.double)
        weight = torch.randn(width, dtype=torch.double, requires_grad=True)
        (gradient,) = torch.autograd.grad((inputs @ weight - 3).square(), weight)
        moved = weight - 0.01 * gradient.sign()
        assert (inputs @ moved - inputs @ weight).abs().item() == pytest.approx(0.01 * inputs.sum().item())

    @pytest.mark.parametrize("width", [64, 1024])
    def test_dividing_the_logits_is_the_same_as_the_output_rules(self, width):
        torch.manual_seed(0)
        hidden, noise, push = torch.randn(width).relu(), torch.randn(10, width), torch.randn(10, 1)
        shrink, sign = 64 / width, (push * hidden).sign()  # a positive factor keeps the sign
        ruled = (8 / width * noise - 0.01 * shrink * sign) @ hidden
        tied = shrink * ((noise / 8 - 0.01 * sign) @ hidden)
        torch.testing.assert_close(tied, ruled)

    @pytest.mark.parametrize("width", [64, 1024])
    def test_query_times_key_grows_with_the_width_once_they_are_aligned(self, width):
        torch.manual_seed(0)
        q, k = torch.randn(2, 200, width)
        apart = (q * k).sum(1).square().mean().sqrt()
        aligned = (q * (k + 0.5 * q)).sum(1).mean()
        assert apart == pytest.approx(width**0.5, rel=0.2)
        assert aligned == pytest.approx(0.5 * width, rel=0.2)


class TestTransfer:
    @pytest.mark.parametrize(("task", "seed"), [(7, 0), (100, 1)])
    def test_the_best_rate_moves_in_the_standard_setup_and_at_most_one_step_in_mup(self, task, seed):
        exponents = range(-8, -3)
        best, lowest = {}, {}
        for name, width, mup in (("small", 64, False), ("standard", 256, False), ("muP", 256, True)):
            losses = {e: sweep.train(width, 2.0**e, mup, seed, task) for e in exponents}
            best[name], lowest[name] = min(losses, key=losses.get), min(losses.values())
        assert best["standard"] <= best["small"] - 2
        assert abs(best["muP"] - best["small"]) <= 1
        assert lowest["muP"] < 0.5 * lowest["standard"]  # at the best rate of each
