"""What docs/junior/training-loop/accuracy.md claims, proven beyond the example shown."""

from collections import Counter

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    confusion_matrix,
    f1_score,
    precision_recall_fscore_support,
    precision_score,
)
from torch import nn

from warmup.testing import load_snippet

write_a_loop = load_snippet("junior/training-loop/write_a_loop.py")
accuracy = load_snippet("junior/training-loop/accuracy.py")


def counts(predicted, labels):
    """True and false positives, false and true negatives; both bool, shape (n,)."""
    found = accuracy.Confusion(2)
    found.update(predicted, labels)
    (tn, fp), (fn, tp) = found.counts.tolist()
    return tp, fp, fn, tn


class TestConfusion:
    @pytest.mark.parametrize("sizes", [[300], [64] * 4 + [44], [1] * 300, [299, 0, 1]])
    @pytest.mark.parametrize("classes", [2, 3, 10])
    @pytest.mark.parametrize("dtype", [torch.int64, torch.uint8])
    def test_every_cut_of_a_pass_has_the_numbers_of_scikit_learn(self, sizes, classes, dtype):
        torch.manual_seed(classes)
        truth = torch.randint(classes, (300,), dtype=dtype)
        guess = torch.where(torch.rand(300) < 0.6, truth, torch.randint(classes - 1, (300,), dtype=dtype))
        found = accuracy.Confusion(classes)
        for p, y in zip(guess.split(sizes), truth.split(sizes), strict=True):
            found.update(p, y)
        precision, recall, f1, _ = precision_recall_fscore_support(
            truth, guess, labels=range(classes), zero_division=np.nan
        )
        assert found.counts.tolist() == confusion_matrix(truth, guess, labels=range(classes)).tolist()
        assert found.accuracy() == pytest.approx(accuracy_score(truth, guess))
        for mine, theirs in ((found.precision(), precision), (found.recall(), recall), (found.f1(), f1)):
            assert mine.tolist() == pytest.approx(theirs.tolist(), nan_ok=True)

    @pytest.mark.parametrize("shape", [(60,), (5, 12), (5, 3, 4), ()])
    def test_labels_to_ignore_do_not_count_whatever_was_predicted_there(self, shape):
        torch.manual_seed(0)
        truth, guess = torch.randint(3, shape), torch.randint(3, shape)
        found = accuracy.Confusion(3, ignore=-100)
        dropped = torch.rand(shape) < 0.4
        found.update(torch.where(dropped, -7, guess), torch.where(dropped, -100, truth))
        kept = ~dropped.flatten()
        wanted = torch.zeros(3, 3, dtype=torch.int64)
        for y, p in zip(truth.flatten()[kept].tolist(), guess.flatten()[kept].tolist(), strict=True):
            wanted[y, p] += 1
        assert torch.equal(found.counts, wanted)

    def test_ratios_without_a_denominator_are_nan_and_not_zero(self):
        found = accuracy.Confusion(3)
        assert all(torch.tensor(n).isnan() for n in (found.accuracy(), *found.recall().tolist()))
        found.update(torch.tensor([0, 0, 1]), torch.tensor([0, 2, 2]))
        assert found.precision().tolist() == pytest.approx([0.5, 0.0, float("nan")], nan_ok=True)
        assert found.recall().tolist() == pytest.approx([1.0, float("nan"), 0.0], nan_ok=True)
        assert found.f1().tolist() == pytest.approx([2 / 3, 0.0, 0.0])

    @pytest.mark.parametrize(
        ("predicted", "labels", "error"),
        [
            (torch.rand(4), torch.ones(4, dtype=torch.int64), TypeError),
            (torch.ones(4, dtype=torch.int64), torch.ones(4), TypeError),
            (torch.ones(4, 1, dtype=torch.int64), torch.ones(4, dtype=torch.int64), ValueError),
            (torch.tensor([0, 2]), torch.tensor([0, 1]), ValueError),
            (torch.tensor([0, 1]), torch.tensor([0, -1]), ValueError),
            (torch.tensor([0, 1]), torch.tensor([0, -100]), ValueError),
        ],
    )
    def test_what_is_no_class_is_refused_and_counts_nothing(self, predicted, labels, error):
        found = accuracy.Confusion(2)
        with pytest.raises(error):
            found.update(predicted, labels)
        assert found.counts.sum() == 0

    @pytest.mark.parametrize("size", [20, 30])
    def test_means_over_equal_batches_are_right_for_accuracy_and_wrong_for_recall(self, size):
        torch.manual_seed(0)
        truth = torch.rand(600) < 0.1
        guess = torch.where(torch.rand(600) < 0.7, truth, ~truth)
        whole, single = accuracy.Confusion(2), []
        whole.update(guess, truth)
        for batch in zip(guess.split(size), truth.split(size), strict=True):
            single.append(accuracy.Confusion(2))
            single[-1].update(*batch)
        assert sum(one.accuracy() for one in single) / len(single) == pytest.approx(whole.accuracy())
        recalls = torch.stack([one.recall()[1] for one in single])
        assert abs(recalls.nanmean() - whole.recall()[1]) > 0.003

    def test_batches_of_one_size_differ_in_the_samples_that_count(self):
        whole, single = accuracy.Confusion(2, ignore=-100), []
        for guess, truth in (([1, 1], [0, 0]), ([1, 0], [-100, 0])):
            single.append(accuracy.Confusion(2, ignore=-100))
            for found in (whole, single[-1]):
                found.update(torch.tensor(guess), torch.tensor(truth))
        assert [one.accuracy() for one in single] == [0.0, 1.0] and whole.accuracy() == pytest.approx(1 / 3)

    def test_the_counts_are_on_the_cpu_whatever_the_default_device(self):
        with torch.device("meta"):
            found = accuracy.Confusion(2)
        found.update(torch.tensor([1]), torch.tensor([1]))
        assert found.counts.tolist() == [[0, 0], [0, 1]]

    def test_counts_of_processes_add_up(self):
        truth, guess = torch.randint(4, (90,)), torch.randint(4, (90,))
        one, two, both = (accuracy.Confusion(4) for _ in range(3))
        one.update(guess[:31], truth[:31])
        two.update(guess[31:], truth[31:])
        both.update(guess, truth)
        one.counts += two.counts
        assert torch.equal(one.recall(), both.recall()) and one.accuracy() == both.accuracy()


class TestAccuracy:
    labels = torch.tensor([True] * 10 + [False] * 90)

    def test_confusion_counts_the_four_cases(self):
        predicted = torch.zeros(100, dtype=torch.bool)
        predicted[[0, 1, 2, 50, 51]] = True
        assert counts(predicted, self.labels) == (3, 2, 7, 88)

    def test_the_constant_answer_has_the_accuracy_of_the_class_balance(self):
        found = accuracy.Confusion(2)
        found.update(torch.zeros(100, dtype=torch.bool), self.labels)
        assert found.accuracy() == pytest.approx(0.9)
        assert found.precision()[1].isnan() and found.recall()[1] == 0

    def test_recall_and_precision_are_the_ratios_of_the_table(self):
        predicted = torch.zeros(100, dtype=torch.bool)
        predicted[:8] = True
        predicted[90:] = True
        found = accuracy.Confusion(2)
        found.update(predicted, self.labels)
        assert found.precision()[1].item() == pytest.approx(8 / 18)
        assert found.recall()[1].item() == pytest.approx(0.8) and found.accuracy() == pytest.approx(0.88)

    def test_the_roc_hides_false_alarms_among_many_negatives(self):
        sick, alarm = torch.arange(100_000) < 100, torch.arange(100_000) < 1000
        tp, fp, fn, tn = counts(alarm, sick)
        assert tp / (tp + fn) == 1 and fp / (fp + tn) < 0.01 and tp / (tp + fp) == 0.1

    def test_micro_f1_with_one_label_per_example_is_the_accuracy(self):
        truth, guess = torch.randint(4, (200,)), torch.randint(4, (200,))
        found = torch.tensor([counts(guess == c, truth == c) for c in range(4)]).sum(dim=0)
        tp, fp, fn, _ = found.tolist()
        assert 2 * tp / (2 * tp + fp + fn) == pytest.approx((guess == truth).float().mean().item())

    @pytest.mark.parametrize("labels", [[1, 2, 3], [0]])
    def test_micro_f1_over_some_classes_only_is_not_the_accuracy(self, labels):
        truth, guess = torch.arange(200) % 4, torch.arange(200) % 3
        score = f1_score(truth, guess, average="micro", labels=labels)
        assert abs(score - (guess == truth).float().mean().item()) > 0.005
        assert f1_score(truth, guess, average="micro") == pytest.approx((guess == truth).float().mean().item())

    @pytest.mark.parametrize("ratios", [(0.2, 0.8), (0.5, 0.6)])
    def test_f1_does_not_say_which_of_the_two_is_low(self, ratios):
        def f1(precision, recall):
            return 2 * precision * recall / (precision + recall)

        assert f1(*ratios) == f1(*reversed(ratios)) and ratios[0] != ratios[1]

    @pytest.mark.parametrize("positives", [200, 2000, 10_000])
    def test_a_random_ranking_has_the_share_of_positives_as_area(self, positives):
        score = average_precision_score(torch.arange(20_000) < positives, torch.rand(20_000))
        assert score == pytest.approx(positives / 20_000, rel=0.25)

    @pytest.mark.parametrize("samples", [100, 1000])
    def test_with_ten_positives_a_random_ranking_gets_more_than_their_share_on_average(self, samples):
        labels = torch.arange(samples) < 10
        scores = [average_precision_score(labels, torch.rand(samples)) for _ in range(300)]
        assert sum(scores) / 300 > 1.2 * 10 / samples

    @pytest.mark.parametrize("rank", [0, 3])
    def test_a_false_alarm_near_the_top_costs_area(self, rank):
        clean = torch.arange(100, 0, -1).float()
        worse = clean.clone()
        worse[50] = clean[rank] + 0.5
        assert average_precision_score(self.labels, worse) < average_precision_score(self.labels, clean) - 0.05

    @pytest.mark.parametrize("seed", [0, 1])
    def test_rare_positives_all_get_a_no_for_hundreds_of_steps(self, seed):
        torch.manual_seed(seed)
        train, test = write_a_loop.digits()
        x, y = train.tensors[0], train.tensors[1] == 8
        model = nn.Linear(64, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        losses = []
        for step in range(251):
            logits = model(x).squeeze(1)
            losses.append(F.binary_cross_entropy_with_logits(logits, y.float()))
            if step >= 10:
                assert (model(test.tensors[0]) < (-1 if step == 10 else 0)).all()
            optimizer.zero_grad()
            losses[-1].backward()
            optimizer.step()
        assert losses[250] < 0.75 * losses[10]

    def test_loss_can_fall_while_no_decision_changes(self):
        losses = [F.binary_cross_entropy(torch.where(self.labels, p, 0.02), self.labels.float()) for p in (0.05, 0.4)]
        assert losses[1] < losses[0]

    def test_a_lower_threshold_never_loses_a_positive_and_never_a_false_alarm(self):
        p = torch.rand(100)
        each = [counts(p > threshold, self.labels) for threshold in (0.8, 0.5, 0.2, 0.0)]
        found, alarms = [c[0] for c in each], [c[1] for c in each]
        assert found == sorted(found)
        assert alarms == sorted(alarms)

    def test_precision_depends_on_how_rare_positives_are_and_recall_does_not(self):
        p_given = {True: torch.rand(10_000) ** 0.5, False: torch.rand(10_000) ** 2}
        ratios = []
        for positives in (5000, 500):
            p = torch.cat([p_given[True][:positives], p_given[False]])
            labels = torch.arange(len(p)) < positives
            tp, fp, fn, _ = counts(p > 0.5, labels)
            ratios.append((tp / (tp + fp), tp / (tp + fn)))
        assert ratios[0][0] - ratios[1][0] > 0.2
        assert abs(ratios[0][1] - ratios[1][1]) < 0.05

    def test_accuracy_per_class(self):
        labels, right, n = torch.tensor([0, 1, 1]), torch.tensor([True, False, True]), 3
        by_count = torch.bincount(labels[right], minlength=n) / torch.bincount(labels, minlength=n)
        assert by_count[:2].tolist() == [1, 0.5] and by_count[2].isnan()
        start = torch.zeros(n)
        assert start.scatter_reduce(0, labels, right.float(), "mean")[:2].tolist() != [1, 0.5]
        own = start.scatter_reduce(0, labels, right.float(), "mean", include_self=False)
        assert own[:2].tolist() == [1, 0.5]

    def test_a_counter_does_not_find_the_elements_of_a_tensor(self):
        labels = torch.tensor([0, 1, 1])
        assert len(Counter(labels)) == 3 and Counter(labels)[torch.tensor(1)] == 0
        assert Counter(labels.tolist()) == {1: 2, 0: 1}

    def test_the_precision_of_a_class_that_was_never_predicted_is_0_with_a_warning_in_scikit_learn(self):
        with pytest.warns(UndefinedMetricWarning, match="ill-defined"):
            assert precision_score(self.labels, torch.zeros(100)) == 0
