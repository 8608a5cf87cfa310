"""What docs/senior/behavioral/custom-loss-for-the-business.md claims, proven beyond the example shown."""

import pytest
import torch
from torch.nn import functional as F

from warmup.testing import load_snippet

loss = load_snippet("senior/behavioral/custom_loss_for_the_business.py")
amounts = load_snippet("senior/behavioral/custom_loss_for_the_business_amounts.py")


def scores(model, x):
    return x @ model[1:] + model[0]


def relative_costs(x, labels, test, truth, miss):
    """Cost of the weighted loss at one half over that of plain cross-entropy at its threshold and at one half."""
    plain, weighted = scores(loss.fit(x, labels), test), scores(loss.fit(x, labels, miss), test)
    own = loss.cost(weighted > 0, truth, miss)
    return own / loss.cost(plain.sigmoid() > 1 / (1 + miss), truth, miss), own / loss.cost(plain > 0, truth, miss)


class TestCustomLossForTheBusiness:
    @pytest.mark.parametrize("miss", [1.0, 10.0, 3.5])
    def test_the_loss_is_the_built_in_one_with_pos_weight(self, miss):
        logits, labels = torch.randn(50, dtype=torch.float64), (torch.arange(50) % 3 == 0).double()
        weight = torch.tensor(miss, dtype=torch.float64)
        expected = F.binary_cross_entropy_with_logits(logits, labels, pos_weight=weight)
        torch.testing.assert_close(loss.business_loss(logits, labels, miss), expected)

    def test_one_price_per_case_is_taken_as_well(self):
        logits, labels = torch.zeros(2), torch.tensor([1.0, 0.0])
        found = loss.business_loss(logits, labels, torch.tensor([5.0, 100.0]))
        assert found.item() == pytest.approx(6 * 0.693147 / 2, abs=1e-5)

    @pytest.mark.parametrize(("seed", "miss"), [(1, 10.0), (2, 10.0), (3, 5.0)])
    def test_loss_and_threshold_stay_within_3_percent_and_save_much_more_than_that(self, seed, miss):
        to_threshold, to_half = relative_costs(*loss.draw(seed, 8_000), *loss.draw(seed + 100, 12_000), miss)
        assert 0.97 < to_threshold < 1.03
        assert to_half < (0.65 if miss == 10 else 0.85)

    def test_the_sign_of_the_difference_changes_between_draws(self):
        # The page's own draw has the loss ahead.
        ahead = relative_costs(*loss.draw(0, 10_000), *loss.draw(100, 20_000), 10.0)[0] < 1
        behind = relative_costs(*loss.draw(3, 10_000), *loss.draw(103, 20_000), 10.0)[0] > 1
        assert ahead and behind

    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_plain_scores_match_the_share_of_positives_in_each_fifth_and_weighted_ones_do_not(self, seed):
        (x, labels), (test, truth) = loss.draw(seed, 10_000), loss.draw(seed + 100, 20_000)
        plain, weighted = (scores(loss.fit(x, labels, miss), test).sigmoid() for miss in (1.0, 10.0))
        for fifth in plain.argsort().chunk(5):
            assert plain[fifth].mean().item() == pytest.approx(truth[fifth].mean().item(), abs=0.015)
        assert weighted.mean() > 3 * truth.mean()

    @pytest.mark.parametrize("weight", [4.0, 20.0])
    def test_a_weight_multiplies_the_learned_odds(self, weight):
        x, labels = loss.draw(4, 8_000, bias=-3.0)
        plain, weighted = loss.fit(x, labels), loss.fit(x, labels, weight)
        assert (weighted - plain)[0].exp().item() == pytest.approx(weight, rel=0.15)
        assert (weighted - plain)[1:].abs().max() < 0.2

    @pytest.mark.parametrize("seed", [5, 6])
    def test_both_together_cost_more_than_changing_nothing_and_sampler_with_weights_more_than_flagging_nobody(
        self, seed
    ):
        (x, labels), (test, truth) = loss.draw(seed, 8_000), loss.draw(seed + 100, 12_000)
        nothing = loss.cost(scores(loss.fit(x, labels), test) > 0, truth)
        both = loss.cost(scores(loss.fit(x, labels, 10.0), test).sigmoid() > 1 / 11, truth)
        rows, inverse = loss.balanced(labels, seed), ((1 - labels).sum() / labels.sum()).item()
        stacked = loss.cost(scores(loss.fit(x[rows], labels[rows], inverse), test) > 0, truth)
        assert 1.03 * nothing < both
        assert 1.01 * loss.cost(truth > 1, truth) < stacked

    def test_sampler_and_inverse_weights_count_positives_nineteen_times_too_often_at_five_percent(self):
        labels = (torch.arange(20_000) % 20 == 0).double()
        sampled = labels[loss.balanced(labels, 0)]
        assert sampled.mean().item() == pytest.approx(0.5, abs=0.02)
        inverse = (1 - labels).sum() / labels.sum()
        assert (inverse * sampled.sum() / (1 - sampled).sum()).item() == pytest.approx(19, rel=0.05)

    @pytest.mark.parametrize("bias", [-4.6, -2.0])
    def test_the_mean_score_of_the_plain_model_is_the_share_of_positives(self, bias):
        x, labels = loss.draw(7, 8_000, bias)
        mean = scores(loss.fit(x, labels), x).sigmoid().mean().item()
        assert mean == pytest.approx(labels.mean().item(), abs=1e-4)
        assert scores(loss.fit(x, labels, 10.0), x).sigmoid().mean().item() > 1.5 * mean

    @pytest.mark.parametrize(("square", "low", "high"), [(1.0, 1.01, 1.105), (-1.0, 0.975, 1.0)])
    def test_with_a_missing_square_either_may_win(self, square, low, high):
        def draw(seed, rows):
            generator = torch.Generator().manual_seed(seed)
            x = torch.randn(rows, 5, generator=generator, dtype=torch.float64)
            logits = x @ x.new_tensor([1.5, -1.5, 0.75, 0, 0]) - 4.6 + square * (x[:, 0].square() - 1)
            return x, torch.bernoulli(logits.sigmoid(), generator=generator)

        for seed in (0, 2):
            assert low < relative_costs(*draw(seed, 10_000), *draw(seed + 100, 20_000), 10.0)[0] < high

    @pytest.mark.parametrize("miss", [4.0, 10.0])
    def test_oversampling_multiplies_the_odds_and_dividing_them_restores_the_share(self, miss):
        x, labels = loss.draw(8, 8_000, bias=-3.0)
        rows = torch.multinomial(
            torch.where(labels == 1, miss, 1.0), 8_000, True, generator=torch.Generator().manual_seed(1)
        )
        logits = scores(loss.fit(x[rows], labels[rows]), x)
        share = labels.mean().item()
        assert logits.sigmoid().mean().item() > 1.5 * share
        plain = scores(loss.fit(x, labels), x)  # the ranking hardly changes
        assert torch.corrcoef(torch.stack([plain, logits]))[0, 1] > 0.99
        restored = (logits - torch.tensor(miss).log()).sigmoid().mean().item()
        assert restored == pytest.approx(share, rel=0.1)

    @pytest.mark.parametrize("seed", range(5))
    def test_if_prices_differ_the_loss_saves_10_to_23_percent_and_two_models_as_much(self, seed):
        threshold, priced, two = amounts.costs(seed)
        assert 0.095 < 1 - priced / threshold < 0.235
        assert abs(two / priced - 1) < 0.052

    def test_if_the_inputs_say_nothing_about_the_price_one_threshold_is_enough(self):
        threshold, priced, two = amounts.costs(5, spread=0.0)
        assert priced == pytest.approx(threshold, rel=0.03) and two == pytest.approx(threshold, rel=0.03)

    def test_cost_counts_both_mistakes_at_their_price(self):
        flagged, labels = torch.tensor([True, True, False, False]), torch.tensor([1.0, 0, 1, 0])
        assert loss.cost(flagged, labels) == pytest.approx(1000 * (1 + 10) / 4)
        assert loss.cost(flagged, labels, torch.tensor([1.0, 1, 3, 1])) == pytest.approx(1000 * (1 + 3) / 4)
