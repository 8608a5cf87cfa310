"""Every claim of docs/mid/evaluation/imbalanced-ranking-metrics.md, proven beyond the example shown."""

import math

import pytest
import torch
from sklearn import metrics

from warmup.testing import load_snippet

page = load_snippet("mid/evaluation/imbalanced_ranking_metrics.py")
two = load_snippet("mid/evaluation/imbalanced_ranking_metrics_two.py")


def classifier(positives, negatives, gap):
    scores = torch.cat([page.quantiles(positives, gap), page.quantiles(negatives, 0.0)])
    return scores, torch.arange(positives + negatives) < positives


@pytest.fixture(scope="module")
def random_set():
    generator = torch.Generator().manual_seed(1)
    labels = torch.rand(3000, generator=generator) < 0.05
    return torch.randn(3000, generator=generator, dtype=torch.double) + labels, labels


class TestImbalancedRankingMetrics:
    def test_both_metrics_agree_with_scikit_learn(self, random_set):
        scores, labels = random_set
        expected = metrics.roc_auc_score(labels, scores), metrics.average_precision_score(labels, scores)
        for kind in (labels, labels.long(), labels.float()):
            assert page.metrics(scores, kind) == pytest.approx(expected)

    def test_roc_auc_is_the_share_of_pairs_in_the_right_order(self, random_set):
        scores, labels = random_set
        pairs = scores[labels][:, None] > scores[~labels]
        assert page.metrics(scores, labels)[0] == pytest.approx(pairs.double().mean().item())

    @pytest.mark.parametrize("gap", [0.5, 3.0])
    def test_more_negatives_of_the_same_kind_move_average_precision_and_not_the_auc(self, gap):
        found = [page.metrics(*classifier(200, n, gap)) for n in (200, 2_000, 20_000)]
        aucs, (first, second, third) = zip(*found, strict=True)
        assert max(aucs) - min(aucs) < 0.005
        assert first > second + 0.05 > third + 0.1

    @pytest.mark.parametrize(("positives", "negatives"), [(500, 4500), (50, 49_950)])
    def test_precision_follows_from_prevalence_recall_and_false_positive_rate(self, positives, negatives):
        scores, labels = classifier(positives, negatives, 1.5)
        r, f = ((scores[one] > 0.7).double().mean() for one in (labels, ~labels))
        share = positives / (positives + negatives)
        formula = share * r / (share * r + (1 - share) * f)
        assert labels[scores > 0.7].double().mean() == pytest.approx(formula.item())

    def test_a_recall_of_0_84_at_0_16_is_a_precision_of_0_84_balanced_and_of_0_005_at_one_in_a_thousand(self):
        found = [share * 0.84 / (share * 0.84 + (1 - share) * 0.16) for share in (0.5, 0.001)]
        assert [round(x, 3) for x in found] == [0.84, 0.005]

    def test_168_of_200_positives_stand_among_31700_negatives(self):
        scores, labels = classifier(200, 199_800, 2.0)
        assert (scores[labels] > 1).sum() == 168
        assert (scores[~labels] > 1).sum() == pytest.approx(31_700, abs=1)

    @pytest.mark.parametrize("share", [0.02, 0.3])
    def test_without_skill_auc_is_a_half_and_average_precision_the_prevalence(self, share):
        generator = torch.Generator().manual_seed(0)
        labels = torch.arange(20_000) < 20_000 * share
        scores = torch.rand(20_000, generator=generator)
        auc, precision = page.metrics(scores, labels)
        assert auc == pytest.approx(0.5, abs=0.03)
        assert precision == pytest.approx(share, rel=0.2)

    def test_never_is_right_999_times_in_1000(self):
        labels = torch.arange(200_000) < 200
        assert (~labels).double().mean().item() == 0.999

    @pytest.mark.parametrize(("miss", "agree"), [(1, True), (100, False)])
    def test_accuracy_orders_decisions_by_cost_only_if_both_errors_cost_the_same(self, miss, agree):
        scores, labels = classifier(20, 19_980, 2.0)
        costs, accuracies = [], []
        for threshold in (1.0, 3.0, 99.0):
            says = scores > threshold
            costs.append((miss * (labels & ~says).sum() + (~labels & says).sum()).item())
            accuracies.append((says == labels).double().mean().item())
        assert (costs.index(min(costs)) == accuracies.index(max(accuracies))) is agree

    def test_bfloat16_makes_each_probability_above_0_998_a_one(self):
        below, above = torch.tensor([0.998, 0.9981]).bfloat16().tolist()
        assert below < 1 == above
        assert torch.finfo(torch.bfloat16).eps == 2.0**-7  # eight significant bits

    def test_scikit_learn_counts_a_tie_at_once_whatever_the_order(self, random_set):
        scores, labels = random_set
        scores = scores.mul(2).bfloat16().sigmoid().float()
        ahead = labels.int().argsort(descending=True, stable=True)
        one, other = (metrics.average_precision_score(labels[i], scores[i]) for i in (ahead, ahead.flip(0)))
        assert one == pytest.approx(other)

    def test_a_tie_counted_at_once_does_not_bring_the_ranking_back(self):
        generator = torch.Generator().manual_seed(0)
        labels = torch.arange(100_000) < 100
        logits = 3 * torch.randn(100_000, generator=generator, dtype=torch.double) + 6 * labels
        scores = {
            "double": logits.sigmoid(),
            "logits": logits.float(),
            "bfloat16": logits.bfloat16().sigmoid().float(),
        }
        found = {name: metrics.average_precision_score(labels, one) for name, one in scores.items()}
        assert found["logits"] == pytest.approx(found["double"], rel=0.02)
        assert (round(found["bfloat16"], 3), round(found["double"], 2)) == (0.015, 0.07)

    @pytest.mark.parametrize(("dtype", "first"), [(torch.float32, 16.6), (torch.half, 8.3), (torch.bfloat16, 6.25)])
    def test_from_some_logit_on_the_sigmoid_is_one(self, dtype, first):
        logits = torch.linspace(0, 20, 2001).to(dtype)
        assert logits[logits.sigmoid() == 1].min().item() == pytest.approx(first, abs=0.1)

    @pytest.mark.parametrize(("positives", "rows", "factor"), [(1, 1_000, 7.5), (10, 10_000, 1.9), (200, 20_000, 1.05)])
    def test_without_skill_and_with_few_positives_average_precision_is_above_the_prevalence(
        self, positives, rows, factor
    ):
        rest = (positives - 1) / (rows - 1)
        harmonic = (1 / torch.arange(1, rows + 1)).sum().item()
        expected = rest + harmonic / rows * (1 - rest)
        assert expected * rows / positives == pytest.approx(factor, rel=0.02)
        generator, runs = torch.Generator().manual_seed(1), 6_000_000 // max(rows, 10_000)
        labels = torch.arange(rows) < positives
        found = [page.metrics(torch.rand(rows, generator=generator), labels)[1] for _ in range(runs)]
        assert sum(found) / runs == pytest.approx(expected, rel=0.3)
        assert sum(found) / runs > positives / rows

    def test_the_threshold_for_100_a_day_is_the_thousandth_score_of_ten_days(self):
        day, ten = page.quantiles(20_000, 0.0), page.quantiles(200_000, 0.0)
        ordered = ten.sort(descending=True).values
        alerts = [(day >= ordered[place - 1]).sum().item() for place in (100, 1000)]
        assert alerts == pytest.approx([10, 100], abs=1)

    def test_a_tie_counts_one_half_in_the_auc(self):
        assert metrics.roc_auc_score([0, 1, 1, 0], [1, 1, 1, 1]) == 0.5

    @pytest.mark.parametrize(("recall", "positives", "error"), [(0.84, 50, 0.05), (0.5, 100, 0.05)])
    def test_the_error_of_a_recall_is_that_of_its_positives(self, recall, positives, error):
        assert (recall * (1 - recall) / positives) ** 0.5 == pytest.approx(error, abs=0.005)

    def test_an_alert_pays_above_one_over_one_plus_the_ratio_of_costs(self):
        for probability, pays in ((1 / 101 + 0.001, True), (1 / 101 - 0.001, False)):
            assert (100 * probability > 1 - probability) is pays

    def test_harder_negatives_change_the_auc(self):
        scores, labels = classifier(200, 2_000, 2.0)
        harder = torch.where(labels, scores, scores + 1)
        assert page.metrics(harder, labels)[0] < page.metrics(scores, labels)[0] - 0.1

    def test_without_a_positive_nothing_is_defined(self):
        scores, labels = torch.rand(10), torch.zeros(10, dtype=torch.bool)
        assert all(math.isnan(value) for value in page.metrics(scores, labels))

    @pytest.mark.parametrize("negatives", [20_000, 100_000])
    def test_the_lower_auc_can_find_more_in_the_first_hundred(self, negatives):
        a, b = (two.curves(positives, two.quantiles(negatives, 0.0)) for positives in two.MODELS.values())
        areas = [torch.trapezoid(recall, false) for recall, false, _ in (a, b)]
        assert areas[0] > areas[1] + 0.1
        assert b[2][99] > 1.5 * a[2][99]

    def test_what_the_alt_text_says_of_the_two_curves(self):
        a, b = (two.curves(positives, two.quantiles(two.NEGATIVES, 0.0)) for positives in two.MODELS.values())
        assert b[2][(b[0] > 0.05) & (b[0] < 0.33)].min() > 0.8
        assert b[2][b[0] > 0.62].max() < 0.02
        assert a[2][a[0] > 0.2].max() < 0.1
