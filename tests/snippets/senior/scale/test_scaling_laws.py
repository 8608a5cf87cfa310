"""What docs/senior/scale/scaling-laws.md claims, proven beyond the example shown."""

import math

import pytest

from warmup.testing import load_snippet

main = load_snippet("senior/scale/scaling_laws.py")
rounded = load_snippet("senior/scale/scaling_laws_rounded_broken.py")
serving = load_snippet("senior/scale/scaling_laws_serving.py")


class TestOptimum:
    @pytest.mark.parametrize("flops", [1e21, 1e24, 3e25])
    def test_no_other_size_has_a_lower_loss_at_the_same_compute(self, flops):
        n = main.best(flops)
        lowest = main.loss(n, flops / 6 / n)
        for k in range(-40, 41):
            m = n * 1.1**k
            assert main.loss(m, flops / 6 / m) >= lowest

    @pytest.mark.parametrize("flops", [1e22, 1e24])
    def test_it_is_flat_half_or_twice_the_size_changes_less_than_a_hundredth(self, flops):
        n = main.best(flops)
        for m in (n / 2, 2 * n):
            change = main.loss(m, flops / 6 / m) - main.loss(n, flops / 6 / n)
            assert 0 < change < 0.01

    def test_at_1e24_the_fits_say_18_and_98(self):
        ratios = [1e24 / 6 / rounded.best(1e24, *fit) ** 2 for fit in rounded.FITS.values()]
        assert (round(min(ratios)), round(max(ratios))) == (18, 98)

    def test_twenty_tokens_per_parameter_is_91_billion_and_1_8_trillion(self):
        n = math.sqrt(1e24 / 120)
        assert round(n / 1e9) == 91 and round(20 * n / 1e12, 1) == 1.8
        assert 6 * n * 20 * n == pytest.approx(1e24)

    @pytest.mark.parametrize("fit", list(rounded.FITS.values()))
    def test_the_derivatives_by_log_size_and_log_tokens_are_equal_at_the_optimum(self, fit):
        a, b, alpha, beta = fit
        for flops in (1e22, 1e25):
            n = main.best(flops, *fit)
            assert n == pytest.approx(rounded.best(flops, *fit))
            d = flops / 6 / n
            assert alpha * a / n**alpha == pytest.approx(beta * b / d**beta)

    def test_equal_exponents_give_the_same_ratio_at_any_compute(self):
        ratios = [f / 6 / main.best(f, 400, 1600, 0.35, 0.35) ** 2 for f in (1e20, 1e24, 1e28)]
        assert ratios == pytest.approx([ratios[0]] * 3)
        printed = [f / 6 / main.best(f, *rounded.FITS["printed in the paper"]) ** 2 for f in (1e20, 1e24)]
        assert printed[1] > 1.4 * printed[0]

    @pytest.mark.parametrize("start", [1e21, 3e21])
    def test_an_exponent_off_by_0_04_moves_the_ratio_1_6_to_1_7_fold(self, start):
        moved = (1e24 / start) ** (2 * 0.04)
        assert 1.55 < moved < 1.75


class TestServing:
    @pytest.mark.parametrize("flops", [1e23, 1e24])
    def test_half_the_size_reaches_the_loss_with_a_quarter_more_compute(self, flops):
        n = serving.best(flops)
        target = serving.loss(n, flops / 6 / n)
        assert serving.total(target, n) == pytest.approx(flops)
        assert 1.2 < serving.total(target, n / 2) / flops < 1.3
        assert 4 < serving.total(target, n / 4) / flops < 5
        assert serving.tokens_for(target, n / 10) == math.inf  # no number of tokens is enough

    def test_the_more_is_served_the_smaller_the_cheapest_model(self):
        for flops in (1e23, 1e24):
            n0 = serving.best(flops)
            target = serving.loss(n0, flops / 6 / n0)
            sizes = [n0 * 1.02**k for k in range(-100, 20)]
            seen = flops / 6 / n0  # training tokens of the best model
            cheapest = []
            for times in (0, 1, 10, 100):
                costs = {n: serving.total(target, n, times * seen) for n in sizes}
                cheapest.append(min(costs, key=costs.get))
            assert cheapest == sorted(set(cheapest), reverse=True)
            assert cheapest[0] == pytest.approx(n0, rel=0.03)

    def test_llama_3_8b_has_1875_tokens_per_parameter(self):
        assert 15e12 / 8e9 == 1875
        assert math.isclose(6 * 8e9 * 15e12, 7.2e23)
        # The fit gives the compute-optimal model of these FLOPs a lower loss.
        n = main.best(7.2e23)
        assert main.loss(n, 7.2e23 / 6 / n) < main.loss(8e9, 15e12) - 0.03
