"""What docs/senior/behavioral/accuracy-vs-latency.md claims, proven beyond the example shown."""

import functools
import random
from math import sqrt

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

trade = load_snippet("senior/behavioral/accuracy_vs_latency.py")


@pytest.fixture(autouse=True)
def one_thread():
    """More do not pay for models this small."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@functools.cache
def models(seed):
    """Test rows, labels, and the large, the small and the wider model of another split."""
    images, labels, test, truth = trade.digits(seed)
    large = trade.train(images, labels, [128, 128], steps=300, lr=0.003, seed=seed)
    small, wider = (trade.train(images, labels, [width], steps=400, lr=0.01, seed=seed) for width in (8, 16))
    return test, truth, large, small, wider


def right(model, test, truth):
    return model(test).argmax(1) == truth


def points_lost(seed, model):
    test, truth, large, small, wider = models(seed)
    chosen = {"small": small, "wider": wider}[model]
    return trade.lost(right(large, test, truth), right(chosen, test, truth))


class TestModels:
    @pytest.mark.parametrize(
        ("seed", "least", "most"),
        [(2, 9.0, 9.6), (3, 1.1, 1.6)],
    )
    def test_the_small_model_loses_points_and_the_interval_excludes_zero(self, seed, least, most):
        points, low, high = points_lost(seed, "small")
        assert least < points < most
        assert low > 0 < 1 < high

    @pytest.mark.parametrize("seed", [2, 3])
    def test_the_wider_model_loses_less_than_a_point(self, seed):
        points, low, high = points_lost(seed, "wider")
        assert points < 0.65
        assert low < 0 < high < 1.55

    @pytest.mark.parametrize("seed", [2, 3])
    def test_the_cascade_loses_at_most_0_6_points_and_costs_less_than_half(self, seed):
        test, truth, large, small, _ = models(seed)
        answers, passed_on = trade.cascade(small, large, test, 0.9)
        points, _, high = trade.lost(right(large, test, truth), answers == truth)
        assert points < 0.65
        assert high < 1.25
        mean = trade.flops(small) + passed_on.double().mean() * trade.flops(large)
        assert mean < trade.flops(large) / 2

    def test_a_badly_trained_small_model_shows_in_the_share_that_goes_on(self):
        shares = []
        for seed in (3, 2):
            test, _, large, small, _ = models(seed)
            shares.append(float(trade.cascade(small, large, test, 0.9)[1].double().mean()))
        assert shares[0] < 0.2 < 0.4 < shares[1] < 0.5

    @pytest.mark.parametrize("seed", [2, 3])
    def test_eight_bits_keep_the_accuracy_and_two_bits_do_not(self, seed):
        test, truth, large, small, _ = models(seed)
        for model in (large, small):
            before = right(model, test, truth)
            assert abs(trade.lost(before, right(trade.rounded(model, 8), test, truth))[0]) < 0.4
        assert trade.lost(before, right(trade.rounded(small, 2), test, truth))[0] > 15

    @pytest.mark.parametrize("seed", [2, 3])
    def test_more_than_one_percent_go_on_so_p99_is_the_cost_of_both(self, seed):
        test, _, large, small, _ = models(seed)
        _, passed_on = trade.cascade(small, large, test, 0.9)
        costs = trade.flops(small) + passed_on * trade.flops(large)
        assert costs.double().quantile(0.99) == trade.flops(small) + trade.flops(large) > trade.flops(large)

    def test_a_small_model_that_is_trained_longer_is_surer_and_the_cascade_loses_more(self):
        test, truth, large, small, _ = models(2)
        images, labels, *_ = trade.digits(2)
        longer = trade.train(images, labels, [8], steps=1200, lr=0.01, seed=2)
        shares, losses = [], []
        for model in (small, longer):
            answers, passed_on = trade.cascade(model, large, test, 0.9)
            shares.append(float(passed_on.double().mean()))
            losses.append(trade.lost(right(large, test, truth), answers == truth)[0])
        assert shares == pytest.approx([0.46, 0.24], abs=0.02) and losses == pytest.approx([0.6, 1.0], abs=0.15)

    @pytest.mark.parametrize("seed", [2, 3])
    def test_a_higher_threshold_costs_more(self, seed):
        test, _, large, small, _ = models(seed)
        shares = [int(trade.cascade(small, large, test, sure)[1].sum()) for sure in (0.5, 0.7, 0.9, 0.99)]
        assert shares == sorted(set(shares))


class TestCascade:
    def test_the_large_model_sees_only_the_rows_that_are_not_sure(self):
        seen = []

        class Large(nn.Module):
            def forward(self, rows):
                seen.append(len(rows))
                return torch.tensor([[0.0, 9.0]]).expand(len(rows), 2)

        logits = torch.tensor([[9.0, 0.0], [0.1, 0.0], [0.0, 0.0]])
        answers, passed_on = trade.cascade(nn.Identity(), Large(), logits, 0.9)
        assert seen == [2]
        assert answers.tolist() == [0, 1, 1]
        assert passed_on.tolist() == [False, True, True]

    def test_a_row_that_is_not_a_number_goes_on(self):
        rows = torch.tensor([[float("nan"), 0.0], [9.0, 0.0]])
        assert trade.cascade(nn.Identity(), nn.Identity(), rows, 0.9)[1].tolist() == [True, False]

    @pytest.mark.parametrize(("busy", "before", "after"), [(0.5, 4.3, 1.6), (0.2, 2.4, 1.02)])
    def test_in_a_queue_the_cascade_improves_p99(self, busy, before, after):
        found = []
        for first, share in ((0.0, 1.0), (0.023, 0.195)):  # the large model takes a time of 1
            chance, now, free, waits = random.Random(0), 0.0, 0.0, []
            for _ in range(20_000):
                now += chance.expovariate(busy)
                free = max(now, free) + first + (chance.random() < share)
                waits.append(free - now)
            found.append(sorted(waits)[19_800])
        assert found == pytest.approx([before, after], rel=0.1) and found[1] < found[0]

    def test_a_row_that_is_sure_and_wrong_never_reaches_the_large_model(self):
        always_right = nn.Linear(2, 2, bias=False)
        answers, passed_on = trade.cascade(nn.Identity(), always_right, torch.tensor([[9.0, 0.0]]), 0.9)
        assert answers.tolist() == [0]
        assert not passed_on.any()


class TestCosts:
    @pytest.mark.parametrize("hidden", [[8], [16], [128, 128]])
    def test_flops_are_two_per_weight(self, hidden):
        widths = [64, *hidden, 10]
        layers = [nn.Linear(a, b, dtype=torch.float64) for a, b in zip(widths, widths[1:], strict=False)]
        assert trade.flops(nn.Sequential(*layers)) == 2 * sum(layer.weight.numel() for layer in layers)

    def test_the_shares_of_the_page(self):
        large, small, wider = (
            sum(a * b for a, b in zip(widths, widths[1:], strict=False))
            for widths in ([64, 128, 128, 10], [64, 8, 10], [64, 16, 10])
        )
        assert [round(100 * share / large, 1) for share in (small, wider, small + large)] == [2.3, 4.6, 102.3]

    @pytest.mark.parametrize(("hidden", "share"), [([8], 0.30), ([128, 128], 0.27)])
    def test_8_bits_are_a_quarter_and_the_scales_and_biases(self, hidden, share):
        widths = [64, *hidden, 10]
        model = nn.Sequential(*(nn.Linear(a, b) for a, b in zip(widths, widths[1:], strict=False)))
        assert trade.size(model) == sum(p.nbytes for p in model.parameters())
        assert trade.size(model, 8) / trade.size(model) == pytest.approx(share, abs=0.005)

    @pytest.mark.parametrize("bits", [8, 2])
    def test_a_row_of_zeros_stays_one(self, bits):
        model = nn.Sequential(nn.Linear(5, 3, dtype=torch.float64)).requires_grad_(False)
        model[0].weight[1] = 0
        assert not trade.rounded(model, bits)[0].weight[1].any()

    @pytest.mark.parametrize(("bits", "values"), [(8, 255), (4, 15), (2, 3)])
    def test_rounded_weights_have_few_values_and_the_largest_stays(self, bits, values):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(500, 3, dtype=torch.float64), nn.ReLU()).requires_grad_(False)
        weight = trade.rounded(model, bits)[0].weight
        assert all(len(row.unique()) <= values for row in weight)
        torch.testing.assert_close(weight.abs().amax(1), model[0].weight.abs().amax(1))


class TestInterval:
    @pytest.mark.parametrize(("worse", "better", "rows"), [(25, 12, 897), (3, 0, 200)])
    def test_only_rows_on_which_one_is_right_count(self, worse, better, rows):
        before, after = torch.zeros(2, rows, dtype=torch.bool)
        before[:worse] = after[worse : worse + better] = True
        points, low, high = trade.lost(before, after)
        assert points == pytest.approx(100 * (worse - better) / rows)
        before[worse + better :] = after[worse + better :] = True  # both are right, not both wrong
        assert trade.lost(before, after) == pytest.approx((points, low, high))
        assert low < points < high

    def test_23_rows_lost_and_10_won_are_1_4_points(self):
        before, after = torch.zeros(2, 897, dtype=torch.bool)
        before[:23] = after[23:33] = True
        assert [round(points, 1) for points in trade.lost(before, after)] == [1.4, 0.2, 2.7]

    @pytest.mark.parametrize("rows", [100, 897])
    def test_two_models_that_never_disagree_get_an_interval(self, rows):
        same = torch.ones(rows, dtype=torch.bool)
        points, low, high = trade.lost(same, same)
        assert points == 0
        assert -low == pytest.approx(high)
        assert high == pytest.approx(196 * sqrt(2) / (rows + 2))

    @pytest.mark.parametrize(("worse", "better"), [(0.03, 0.015), (0.01, 0.01), (0.05, 0.0)])
    def test_it_covers_the_true_difference_in_about_95_of_100_samples(self, worse, better):
        chance = torch.Generator().manual_seed(0)
        hits = 0
        for _ in range(600):
            draw = torch.rand(897, generator=chance)
            before, after = draw >= better, (draw < better) | (draw >= better + worse)
            _, low, high = trade.lost(before, after)
            hits += low <= 100 * (worse - better) <= high
        assert 0.92 < hits / 600 < 0.99

    def test_four_times_the_rows_halve_it(self):
        torch.manual_seed(0)
        before, after = torch.rand(2, 900) < 0.95
        widths = [high - low for _, low, high in (trade.lost(before.repeat(n), after.repeat(n)) for n in (1, 4))]
        assert widths[1] == pytest.approx(widths[0] / 2, rel=0.03)

    def test_models_that_agree_on_more_rows_get_a_narrower_interval(self):
        before = torch.ones(897, dtype=torch.bool)
        widths = []
        for apart in (2, 20):
            other = before.clone()
            other[:apart] = False
            first = before.clone()
            first[apart : 2 * apart] = False
            widths.append(trade.lost(first, other)[2])
        assert widths[0] < widths[1]
