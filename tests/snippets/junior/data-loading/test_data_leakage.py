"""What docs/junior/data-loading/data-leakage.md claims, proven beyond the example shown."""

import numpy as np
import pytest
import torch

from warmup.testing import load_snippet

data_leakage_shuffled = load_snippet("junior/data-loading/data_leakage_shuffled.py")


def fit_and_score(x, y, train, test):
    """Accuracy on ``test`` of a nearest-mean classifier fitted on ``train``."""
    means = torch.stack([x[train][y[train] == label].mean(0) for label in (0, 1)])
    return (torch.cdist(x[test], means).argmin(1) == y[test]).float().mean().item()


def best_features(x, y, rows, count=20):
    """Numbers of the columns whose class means differ most in ``rows``."""
    gap = x[rows][y[rows] == 1].mean(0) - x[rows][y[rows] == 0].mean(0)
    return gap.abs().topk(count).indices


def nearest_neighbor_accuracy(x, y, train, test):
    nearest = torch.cdist(x[test], x[train]).argmin(dim=1)
    return (y[train][nearest] == y[test]).float().mean().item()


class TestDataLeakage:
    def coin_flips(self, n=60, features=2000):
        return torch.randn(n, features), torch.randint(2, (n,))

    def test_the_classifier_itself_is_honest(self):
        accuracies = []
        for _ in range(30):
            x, y = self.coin_flips(features=20)
            train, test = torch.randperm(60).split([40, 20])
            accuracies.append(fit_and_score(x, y, train, test))
        assert abs(sum(accuracies) / 30 - 0.5) < 0.08

    @pytest.mark.parametrize("leak", [True, False])
    def test_choosing_features_on_all_rows_is_what_leaks(self, leak):
        accuracies = []
        for _ in range(20):
            x, y = self.coin_flips()
            train, test = torch.randperm(60).split([40, 20])
            chosen = best_features(x, y, torch.arange(60) if leak else train)
            accuracies.append(fit_and_score(x[:, chosen], y, train, test))
        mean = sum(accuracies) / 20
        assert mean > 0.85 if leak else abs(mean - 0.5) < 0.1

    def test_shuffled_labels_uncover_a_leak(self):
        accuracies = []
        for _ in range(10):
            x, y = self.coin_flips()
            x[:, 0] += 2 * y
            shuffled = y[torch.randperm(60)]
            train, test = torch.randperm(60).split([40, 20])
            leaky = best_features(x, shuffled, torch.arange(60))
            accuracies.append(fit_and_score(x[:, leaky], shuffled, train, test))
        assert sum(accuracies) / 10 > 0.75

    def test_copies_of_one_thing_on_both_sides_answer_for_each_other(self):
        things = torch.randn(200, 16)
        labels = torch.randint(2, (200,))
        copies, owner = things.repeat_interleave(2, 0), torch.arange(200).repeat_interleave(2)
        first, second = torch.arange(0, 400, 2), torch.arange(1, 400, 2)
        score = nearest_neighbor_accuracy
        assert score(copies, labels[owner], first, second) == 1.0
        apart = score(copies, labels[owner], torch.arange(200), torch.arange(200, 400))
        assert abs(apart - 0.5) < 0.2

    @pytest.mark.parametrize(("back", "ahead"), [(3, 4), (0, 6), (8, 5)])
    def test_a_gap_as_long_as_the_label_is_enough_even_if_inputs_reach_back_across_it(self, back, ahead):
        noise = torch.randn(2000, 80)  # 2000 series that nobody can forecast

        def label(sample):
            return noise[:, sample + 1 : sample + ahead + 1].sum(1) > 0

        last_train = 40
        for gap, leaks in ((0, True), (ahead, False), (back + ahead, False)):
            first_test = last_train + 1 + gap
            score = (label(first_test) == label(last_train)).float().mean()  # forecast the last label seen
            assert (score > 0.6) == leaks and (leaks or abs(score - 0.5) < 0.05)
        assert (
            back == 0 or last_train + 1 + ahead - back <= last_train + ahead
        )  # test inputs hold hours of train labels

    @pytest.mark.parametrize(("known", "honest"), [(True, True), (False, False)])
    def test_a_random_split_of_photos_is_honest_if_the_model_meets_the_same_patients(self, known, honest):
        def photos(patients, labels, count):
            x = patients.repeat_interleave(count, 0)
            return x + 0.1 * torch.randn_like(x), labels.repeat_interleave(count)

        def study():
            return torch.randn(200, 8), torch.randint(2, (200,))

        here = study()
        x, y = photos(*here, 5)
        train, test = torch.randperm(1000).split([800, 200])

        def accuracy(inputs, labels):
            return (y[train][torch.cdist(inputs, x[train]).argmin(1)] == labels).float().mean()

        in_use = accuracy(*photos(*(here if known else study()), 2))
        assert (abs(accuracy(x[test], y[test]) - in_use) < 0.05) == honest

    @pytest.mark.parametrize(("rows", "shift", "small"), [(1000, 0, True), (20, 0, False), (1000, 5, False)])
    def test_the_mean_moves_with_few_rows_or_with_test_rows_from_elsewhere(self, rows, shift, small):
        x = torch.randn(rows, 500)
        train, test = x.split([rows * 4 // 5, rows // 5])
        moved = (torch.cat([train, test + shift]).mean(0) - train.mean(0)).abs().mean()
        assert bool(moved < 0.03) is small

    def test_the_nearest_training_photo_nearly_always_shows_the_same_patient(self):
        patient = torch.arange(1000).repeat_interleave(5)
        photos = torch.randn(1000, 32)[patient] + 0.3 * torch.randn(5000, 32)
        train, test = torch.randperm(5000).split([4000, 1000])
        same = patient[train][torch.cdist(photos[test], photos[train]).argmin(1)] == patient[test]
        assert same.float().mean() > 0.98

    def test_fitting_the_normalization_on_all_rows_changes_little_here(self):
        x, y = self.coin_flips(1000, 20)
        train, test = torch.randperm(1000).split([800, 200])
        scores = [
            fit_and_score((x - x[rows].mean(0)) / x[rows].std(0), y, train, test)
            for rows in (train, torch.arange(1000))
        ]
        assert abs(scores[0] - scores[1]) < 0.03

    @pytest.mark.parametrize(
        ("leak", "by_row", "by_patient"),
        list(zip(data_leakage_shuffled.LEAKS, (True, False, False), (True, True, False), strict=True)),
    )
    def test_shuffling_labels_by_row_finds_selection_only_and_by_patient_finds_shared_patients(
        self, leak, by_row, by_patient
    ):
        true, rows, patients = [], [], []
        for seed in (1, 2, 3, 4):
            study = data_leakage_shuffled.Study(seed)
            y = study.sick[study.patient]
            true.append(study.score(leak, y))
            rows.append(study.score(leak, y[torch.randperm(1500)]))
            patients.append(study.score(leak, study.sick[torch.randperm(300)][study.patient]))
        assert sum(true) / 4 > 0.6
        for found, expected in ((rows, by_row), (patients, by_patient)):
            assert sum(found) / 4 > 0.6 if expected else abs(sum(found) / 4 - 0.5) < 0.1

    def test_the_study_has_five_alike_photos_of_each_patient(self):
        study = data_leakage_shuffled.Study(5)
        assert study.photos.shape == (1500, 32) and study.patient.bincount().tolist() == [5] * 300
        means = study.photos.view(300, 5, 32).mean(dim=1)
        assert torch.equal(torch.cdist(study.photos, means).argmin(dim=1), study.patient)
        assert study.photos.view(300, 5, 32).std(dim=1).mean() == pytest.approx(0.3, abs=0.03)

    @pytest.mark.parametrize("runs", [30, 100])
    def test_the_best_of_many_runs_on_validation_is_partly_luck(self, runs):
        truth = torch.randint(2, (2, 200))
        correct = (torch.randint(2, (runs, 2, 200)) == truth).float().mean(dim=2)
        validation, test = correct[correct[:, 0].argmax()].tolist()
        assert validation > 0.55 and validation > test

    @pytest.mark.parametrize("spread", [0.01, 0.05])
    def test_the_best_validation_score_is_too_high_on_average_and_not_in_every_study(self, spread):
        truth = (0.7 + spread * torch.randn(2000, 100)).clamp(0.01, 0.99)
        score = torch.distributions.Binomial(1000, truth).sample() / 1000
        best = score.argmax(1, keepdim=True)
        excess = score.gather(1, best) - truth.gather(1, best)
        assert excess.mean() > 0.004
        assert ((excess < 0).float().mean() > 0.1) == (spread == 0.05)

    @pytest.mark.parametrize("augment_first", [True, False])
    def test_augmenting_or_oversampling_before_the_split_puts_copies_on_both_sides(self, augment_first):
        images, labels, order = torch.randn(300, 16), torch.randint(2, (300,)), torch.randperm(300)
        original = torch.arange(300).repeat(2)
        copies = torch.cat([images, images.flip(1)]), labels[original]
        both = torch.cat([copies[0], copies[0].flip(1)])  # the model knows flips, too
        if augment_first:
            train, test = torch.randperm(600).split([480, 120])
        else:
            held_out = torch.isin(original, order[:60])
            train, test = (~held_out).nonzero().flatten(), held_out.nonzero().flatten()
        twice = torch.cat([train, train + 600])
        accuracy = nearest_neighbor_accuracy(both, copies[1].repeat(2), twice, test)
        assert accuracy > 0.75 if augment_first else abs(accuracy - 0.5) < 0.2

    def test_folds_made_from_patients_share_none(self):
        from sklearn.model_selection import GroupKFold

        patient = np.repeat(np.arange(12), 5)
        for train, test in GroupKFold(n_splits=4).split(patient, groups=patient):
            assert not set(patient[train]) & set(patient[test]) and len(test) == 15

    @pytest.mark.parametrize(("rows", "error"), [(1000, 0.0095), (4000, 0.0047)])
    def test_the_noise_of_an_accuracy_is_about_a_point_on_1000_rows_and_half_of_it_on_4000(self, rows, error):
        torch.manual_seed(0)
        accuracies = torch.distributions.Binomial(rows, torch.tensor(0.9)).sample((20000,)) / rows
        assert accuracies.std().item() == pytest.approx(error, rel=0.05)

    @pytest.mark.parametrize("looks", [1, 50])
    def test_a_test_set_that_is_looked_at_often_is_too_kind(self, looks):
        torch.manual_seed(0)
        scores = torch.distributions.Binomial(200, torch.full((500, looks), 0.7)).sample() / 200
        assert (scores.max(dim=1).values.mean() > 0.75) == (looks > 1)
