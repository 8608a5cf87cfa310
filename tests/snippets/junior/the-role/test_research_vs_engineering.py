"""What docs/junior/the-role/research-vs-engineering.md claims, proven beyond the example shown."""

import math
import statistics

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd.gradcheck import GradcheckError, gradcheck

from warmup.testing import load_snippet

research = load_snippet("junior/the-role/research_vs_engineering_seeds.py")
research_loss = load_snippet("junior/the-role/research_vs_engineering_loss.py")


class TestResearchVsEngineering:
    def test_the_interval_is_that_of_student(self):
        mean, half = research.interval([1.0, 2.0, 3.0, 4.0, 5.0])
        assert mean == 3 and half == pytest.approx(2.776 * math.sqrt(2.5) / math.sqrt(5))

    def test_the_t_value_gives_95_percent_coverage_for_five_normal_values(self):
        torch.manual_seed(0)
        values = torch.randn(40_000, 5, dtype=torch.float64)
        half = research.STUDENT_T[5] * values.std(dim=1) / math.sqrt(5)
        assert (values.mean(dim=1).abs() < half).double().mean().item() == pytest.approx(0.95, abs=0.005)

    def test_the_same_seed_is_the_same_run_and_another_seed_is_not(self):
        first = research.accuracies(0, 0.0, 0.1)
        assert research.accuracies(0, 0.0, 0.1) == first != research.accuracies(1, 0.0, 0.1)

    def test_training_validation_and_test_digits_are_disjoint(self):
        parts = research.TRAINING, research.VALIDATION, research.TEST
        assert [int(part.sum()) for part in parts] == [200, 200, 1397]
        assert (sum(part.int() for part in parts) == 1).all()

    @pytest.mark.parametrize("best", [0.05, 0.2])
    def test_the_rate_is_chosen_on_validation_and_not_on_test(self, best, monkeypatch):
        monkeypatch.setattr(
            research, "accuracies", lambda seed, smoothing, rate: (90.0 + (rate == best), 100 * rate + seed + smoothing)
        )
        assert research.tuned(0.5, range(2)) == pytest.approx([100 * best + 0.5, 100 * best + 1.5])

    @pytest.mark.parametrize(("n", "t"), [(3, 4.303), (10, 2.262), (20, 2.093)])
    def test_the_interval_takes_the_t_of_its_number_of_values(self, n, t):
        values = [float(i % 2) for i in range(n)]
        assert research.interval(values)[1] == pytest.approx(t * statistics.stdev(values) / math.sqrt(n))

    @pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0]])
    def test_the_interval_refuses_another_number_of_values(self, values):
        with pytest.raises(KeyError):
            research.interval(values)

    def test_fifteen_seeds_have_less_than_half_the_width_of_five_with_the_same_spread(self):
        t = 2.145  # 14 degrees of freedom
        assert t / math.sqrt(15) < 0.5 * research.STUDENT_T[5] / math.sqrt(5)

    def test_gradcheck_passes_a_gradient_that_is_wrong_elsewhere(self):
        class Clipped(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x**2

            @staticmethod
            def backward(ctx, grad):
                (x,) = ctx.saved_tensors
                return grad * 2 * x.clamp(-3, 3)

        moderate = torch.tensor([-1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
        assert gradcheck(Clipped.apply, moderate)
        with pytest.raises(GradcheckError):
            gradcheck(Clipped.apply, torch.tensor([5.0], dtype=torch.float64, requires_grad=True))

    @pytest.mark.parametrize("power", [1, 3])
    def test_gradcheck_passes_a_loss_with_the_wrong_formula(self, power):
        logits = torch.randn(6, dtype=torch.float64, requires_grad=True)
        targets = torch.tensor([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], dtype=torch.float64)

        def wrong(logits):  # the sign of the logits is flipped
            return research_loss.focal_loss(-logits, targets, power)

        assert gradcheck(wrong, logits)
        assert not torch.allclose(wrong(logits), research_loss.focal_loss(logits, targets, power))

    @pytest.mark.parametrize(("logit", "finite"), [(1e4, True), (-1e4, True), (6e4, False), (-6e4, False)])
    def test_focal_loss_is_finite_unless_gamma_times_a_logit_overflows(self, logit, finite):
        x = torch.tensor([logit], dtype=torch.float16, requires_grad=True)
        research_loss.focal_loss(x, torch.tensor([float(logit < 0)], dtype=torch.float16), 2.0).backward()
        assert x.grad.isfinite().all().item() is finite

    def test_adding_seeds_until_zero_is_excluded_finds_an_effect_in_noise(self):
        torch.manual_seed(0)
        t = torch.tensor([12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262], dtype=torch.float64)
        runs = torch.randn(4000, 10, dtype=torch.float64)
        found = torch.zeros(4000, dtype=torch.bool)
        for n in range(2, 11):
            found |= runs[:, :n].mean(dim=1).abs() > t[n - 2] * runs[:, :n].std(dim=1) / math.sqrt(n)
        assert found.double().mean() > 0.12  # instead of 0.05

    @pytest.mark.parametrize("gamma", [0.0, 1.0, 2.0, 5.0])
    def test_both_focal_losses_are_one_function(self, gamma):
        logits, targets = torch.randn(50, dtype=torch.float64) * 3, torch.randint(2, (50,)).double()
        torch.testing.assert_close(
            research_loss.focal_loss(logits, targets, gamma),
            research_loss.focal_loss_as_published(logits, targets, gamma),
        )

    def test_gamma_zero_is_binary_cross_entropy(self):
        logits, targets = torch.randn(50), torch.randint(2, (50,)).float()
        torch.testing.assert_close(
            research_loss.focal_loss(logits, targets, gamma=0.0), F.binary_cross_entropy_with_logits(logits, targets)
        )

    @pytest.mark.parametrize(("logit", "target"), [(20.0, 0.0), (80.0, 0.0), (-120.0, 1.0)])
    def test_one_confident_mistake_ruins_the_published_form_and_not_the_other(self, logit, target):
        for loss, finite in ((research_loss.focal_loss_as_published, False), (research_loss.focal_loss, True)):
            x = torch.tensor([logit, 0.5], requires_grad=True)
            loss(x, torch.tensor([target, 1.0])).backward()
            assert x.grad.isfinite().all().item() is finite

    def test_a_nan_gradient_turns_the_weights_into_nan(self):
        layer = nn.Linear(1, 1, bias=False)
        with torch.no_grad():
            layer.weight.fill_(20.0)
        research_loss.focal_loss_as_published(layer(torch.ones(1, 1)).squeeze(1), torch.zeros(1)).backward()
        torch.optim.SGD(layer.parameters(), lr=0.1).step()
        assert layer.weight.isnan().all()

    @pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 2.0])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    def test_loss_and_gradient_from_logits_are_finite_for_any_finite_logit(self, gamma, dtype):
        logits = torch.tensor([-1000.0, -200.0, -20.0, 0.0, 20.0, 200.0, 1000.0], dtype=dtype, requires_grad=True)
        for target in (0.0, 1.0):
            loss = research_loss.focal_loss(logits, torch.full_like(logits, target), gamma)
            (gradient,) = torch.autograd.grad(loss, logits)
            assert loss.isfinite() and gradient.isfinite().all()

    def test_the_sigmoid_rounds_to_one_at_20_in_float32_and_at_40_in_float64(self):
        assert torch.sigmoid(torch.tensor(20.0)) == 1
        assert torch.sigmoid(torch.tensor(20.0, dtype=torch.float64)) < 1
        x = torch.tensor([40.0], dtype=torch.float64, requires_grad=True)
        assert torch.sigmoid(x) == 1
        research_loss.focal_loss_as_published(x, torch.zeros(1, dtype=torch.float64)).backward()
        assert x.grad.isnan().all()
