"""Every claim of docs/mid/evaluation/calibration.md, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F

from warmup.testing import load_snippet

page = load_snippet("mid/evaluation/calibration.py")
fitted = load_snippet("mid/evaluation/calibration_temperature.py")


def by_loops(probs, y, bins):
    confidence, guess = probs.max(dim=1)
    total = 0.0
    for i in range(bins):
        inside = (confidence > i / bins) & (confidence <= (i + 1) / bins)
        if inside.any():
            gap = (guess == y)[inside].double().mean() - confidence[inside].mean()
            total += inside.double().mean().item() * abs(gap.item())
    return total


def by_equal_counts(probs, y, bins):
    confidence, guess = probs.max(dim=1)
    gap = ((guess == y).double() - confidence)[confidence.argsort()]
    return sum(abs(one.sum().item()) for one in gap.tensor_split(bins)) / len(y)


def stated(n, scale):
    """The probabilities (n, 10) of a perfectly calibrated model, and labels drawn from them."""
    probs = (scale * torch.randn(n, 10, dtype=torch.double)).softmax(dim=1)
    return probs, probs.multinomial(1)[:, 0]


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(7)
    model, rows = fitted.overfitted()
    return model, rows, fitted.data(500), fitted.data(5000)


class TestCalibration:
    @pytest.mark.parametrize("bins", [7, 15])
    def test_the_error_is_that_of_its_definition(self, bins):
        torch.manual_seed(1)
        probs = torch.randn(500, 4).double().softmax(dim=1)
        y = torch.randint(4, (500,))
        assert page.ece(probs, y, bins) == pytest.approx(by_loops(probs, y, bins))

    @pytest.mark.parametrize("classes", [3, 10])
    def test_a_perfectly_calibrated_model_has_an_error_that_falls_with_the_rows(self, classes):
        torch.manual_seed(2)
        means = []
        for n in (100, 1000, 10_000):
            found = []
            for _ in range(10):
                probs = (2 * torch.randn(n, classes)).double().softmax(dim=1)
                found.append(page.ece(probs, probs.multinomial(1)[:, 0]))
            assert min(found) > 0
            means.append(sum(found) / 10)
        assert means[0] > 2 * means[1] > 4 * means[2]

    @pytest.mark.parametrize("scale", [1, 2, 8])
    def test_fewer_bins_lower_the_error_of_luck_and_bins_with_equally_many_rows_do_not(self, scale):
        torch.manual_seed(9)
        wide, fewer, equal = 0.0, 0.0, 0.0
        for _ in range(100):
            probs, y = stated(300, scale)
            wide += page.ece(probs, y)
            fewer += page.ece(probs, y, bins=5)
            equal += by_equal_counts(probs, y, 15)
        assert fewer < 0.75 * wide
        assert equal > 0.85 * wide

    def test_nine_of_ten_draws_of_1000_rows_lie_between_0_025_and_0_055(self):
        torch.manual_seed(10)
        found = torch.tensor([page.ece(*stated(1000, 2)) for _ in range(400)])
        low, high = found.quantile(torch.tensor([0.05, 0.95])).tolist()
        assert (low, high) == pytest.approx((0.025, 0.055), abs=0.003)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_resampled_rows_call_two_calibrated_models_different(self, seed):
        torch.manual_seed(seed)
        probs, y = stated(1000, 2)
        base = torch.full_like(probs, 0.1)
        gaps = [page.ece(probs[i], y[i]) - page.ece(base[i], y[i]) for i in torch.randint(1000, (100, 1000))]
        assert torch.tensor(gaps).quantile(0.025) > 0
        many, answers = stated(100_000, 2)
        assert max(page.ece(many, answers), page.ece(torch.full_like(many, 0.1), answers)) < 0.006

    def test_with_ten_classes_a_temperature_changes_the_order_by_one_class_and_with_two_it_does_not(self):
        torch.manual_seed(11)
        for classes, same in ((2, True), (10, False)):
            logits = 3 * torch.randn(100, classes).double()
            orders = [(logits / t).softmax(dim=1)[:, 0].argsort() for t in (1.0, 4.0)]
            assert torch.equal(*orders) is same

    def test_the_frequency_of_the_classes_is_calibrated_and_useless(self):
        torch.manual_seed(3)
        y = torch.multinomial(torch.tensor([0.5, 0.3, 0.2]), 20_000, replacement=True)
        probs = torch.tensor([0.5, 0.3, 0.2], dtype=torch.double).expand(20_000, 3)
        assert page.ece(probs, y) < 0.01
        assert F.nll_loss(probs.log(), y) > 1

    @pytest.mark.parametrize("seed", [0, 1])
    @pytest.mark.parametrize("score", ["log", "brier"])
    def test_the_true_probabilities_have_the_lowest_expected_proper_score(self, seed, score):
        torch.manual_seed(seed)
        true = torch.randn(5).double().softmax(dim=0)
        target = torch.eye(5, dtype=torch.double)

        def expected(p):
            losses = -p.log() if score == "log" else (p - target).square().sum(dim=1)
            return (true * losses).sum()

        others = [torch.randn(5).double().softmax(dim=0) for _ in range(50)]
        assert all(expected(true) < expected(other) for other in others)

    @pytest.mark.parametrize("t", [0.1, 4.0])
    def test_a_temperature_changes_no_prediction(self, network, t):
        model, _, _, (x, _) = network
        logits = model(x)
        assert torch.equal((logits / t).argmax(dim=1), logits.argmax(dim=1))

    def test_on_training_rows_the_loss_falls_with_the_temperature_and_on_held_out_rows_it_has_a_minimum(self, network):
        model, (x, y), (x_held, y_held), _ = network
        assert (model(x).argmax(dim=1) == y).all()
        assert fitted.fit(model(x), y) == pytest.approx(0.1)
        assert 2 < fitted.fit(model(x_held), y_held) < 8

    def test_held_out_rows_repair_the_error_and_training_rows_make_it_worse(self, network):
        model, rows, held, (x, y) = network
        logits = model(x)
        errors, losses = [], []
        for t in (fitted.fit(model(rows[0]), rows[1]), 1.0, fitted.fit(model(held[0]), held[1])):
            errors.append(page.ece((logits / t).softmax(dim=1), y))
            losses.append(F.cross_entropy(logits / t, y).item())
        assert errors[0] > errors[1] > 5 * errors[2]
        assert losses[0] > losses[1] > losses[2]

    def test_the_bars_of_the_plot_give_the_error_of_ten_bins(self, network):
        model, _, _, (x, y) = network
        probs = model(x).softmax(dim=1)
        assert fitted.bars(probs, y)[2] == pytest.approx(by_loops(probs, y, 10))

    @pytest.mark.parametrize("factor", [0.5, 3.0])
    def test_a_common_factor_is_what_one_number_repairs(self, factor):
        torch.manual_seed(4)
        true = torch.randn(20_000, 5).double()
        y = true.softmax(dim=1).multinomial(1)[:, 0]
        assert fitted.fit(factor * true, y) == pytest.approx(factor, rel=0.06)

    @pytest.mark.parametrize("factor", [0.05, 4.0])
    def test_lbfgs_finds_the_temperature_with_a_line_search_and_can_end_below_zero_without_one(self, factor):
        torch.manual_seed(0)
        true = torch.randn(1000, 10).double()
        y = true.softmax(dim=1).multinomial(1)[:, 0]
        found = {}
        for search in (None, "strong_wolfe"):
            t = torch.ones((), dtype=torch.double, requires_grad=True)
            optimizer = torch.optim.LBFGS([t], max_iter=100, line_search_fn=search)

            def loss(t=t, optimizer=optimizer):
                optimizer.zero_grad()
                value = F.cross_entropy(factor * true / t, y)
                value.backward()
                return value

            optimizer.step(loss)
            found[search] = t.item()
        assert found["strong_wolfe"] == pytest.approx(factor, rel=0.1)
        if factor < 1:  # too unsure, so the way to the minimum is steep
            assert found[None] < 0
            assert not torch.equal((true / found[None]).argmax(dim=1), true.argmax(dim=1))

    @pytest.mark.parametrize(
        ("factor", "begin", "search"), [(2.0, 1.0, None), (4.0, 1.5, None), (10.0, 1.0, "strong_wolfe")]
    )
    def test_lbfgs_with_a_small_rate_stops_far_from_the_minimum(self, factor, begin, search):
        torch.manual_seed(0)
        true = torch.randn(1000, 10).double()
        y = true.softmax(dim=1).multinomial(1)[:, 0]
        t = torch.tensor(begin, dtype=torch.double, requires_grad=True)
        optimizer = torch.optim.LBFGS([t], lr=0.01, max_iter=50, line_search_fn=search)

        def loss():
            optimizer.zero_grad()
            value = F.cross_entropy(factor * true / t, y)
            value.backward()
            return value

        optimizer.step(loss)
        assert t.item() < 0.75 * factor
        assert fitted.fit(factor * true, y) == pytest.approx(factor, rel=0.15)

    def test_one_number_leaves_two_groups_with_opposite_faults(self):
        torch.manual_seed(5)
        true = torch.randn(20_000, 5).double()
        y = true.softmax(dim=1).multinomial(1)[:, 0]
        factor = torch.where(torch.arange(20_000) < 10_000, 3.0, 0.4)[:, None]
        shown = factor * true
        joint = F.cross_entropy(shown / fitted.fit(shown, y), y)
        assert joint > F.cross_entropy(true, y) + 0.02

    def test_a_temperature_can_change_which_row_is_surer(self):
        rows = torch.tensor([[3.0, 2.5, -9.0, -9.0], [1.9, 1.0, 1.0, 1.0]])
        surer = [(rows / t).softmax(dim=1).amax(dim=1).argmax().item() for t in (1.0, 0.2)]
        assert surer[0] != surer[1]

    def test_with_two_classes_the_surer_row_stays(self):
        torch.manual_seed(6)
        rows = torch.randn(100, 2).double()
        orders = [(rows / t).softmax(dim=1).amax(dim=1).argsort() for t in (0.5, 1.0, 4.0)]
        assert torch.equal(orders[0], orders[1]) and torch.equal(orders[1], orders[2])

    def test_the_mean_of_calibrated_models_says_too_little(self):
        torch.manual_seed(8)
        a, b = torch.randn(2, 200_000).double()  # each model sees one of two independent signs
        y = (torch.rand(200_000) < torch.sigmoid(2 * (a + b))).long()
        side = torch.linspace(-3, 3, 61, dtype=torch.double)
        own = torch.stack([torch.sigmoid(2 * (s + torch.randn(20_000).double())).mean() for s in side])
        means = [own[((one + 3) * 10).round().long().clamp(0, 60)] for one in (a, b)]
        probs = [torch.stack([1 - p, p], dim=1) for p in (*means, sum(means) / 2)]
        errors = [page.ece(one, y) for one in probs]
        assert errors[2] > 3 * max(errors[:2])
        confidence, guess = probs[2].max(dim=1)
        assert (guess == y).double().mean() > confidence.mean() + 0.03

    def test_in_a_wide_bin_too_much_and_too_little_cancel(self):
        said = torch.tensor([0.55, 0.95]).double().repeat_interleave(1000)
        probs = torch.stack([said, 1 - said], dim=1)
        y = (torch.arange(2000) % 1000 >= 750).long()  # right in three of four, whatever it says
        assert page.ece(probs, y, bins=1) < 1e-9
        assert page.ece(probs, y, bins=15) == pytest.approx(0.2)

    @pytest.mark.parametrize("factors", [[1.0, 0.5], [3.0, 1.0]])
    def test_a_factor_for_each_class_can_change_which_is_first(self, factors):
        logits = torch.tensor([[1.0, 1.5], [2.0, 4.0], [-1.0, -2.0]]).double()
        scaled = logits * torch.tensor(factors).double()
        assert not torch.equal(scaled.argmax(dim=1), logits.argmax(dim=1))

    def test_what_the_alt_text_says_of_the_points(self):
        torch.manual_seed(0)
        model, _ = fitted.overfitted()
        fitted.data(500)
        x, y = fitted.data(5000)
        said, was, _ = fitted.bars(model(x).softmax(dim=1), y)
        assert (round(said[-1], 2), round(was[-1], 2)) == (0.98, 0.68)
