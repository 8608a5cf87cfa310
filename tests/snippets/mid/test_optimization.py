"""Every claim that the pages of docs/mid/optimization make, proven beyond the example shown."""

import math

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

adam = load_snippet("mid/optimization/adam_class.py")
adam_streams = load_snippet("mid/optimization/adam_streams.py")
adam_first_gradient = load_snippet("mid/optimization/adam_first_gradient.py")
adam_eps = load_snippet("mid/optimization/adam_eps_broken.py")
correction = load_snippet("mid/optimization/adam_bias_correction_factor.py")
correction_tuned = load_snippet("mid/optimization/adam_bias_correction_tuned.py")
momentum = load_snippet("mid/optimization/sgd_adam_adamw_momentum.py")
strength = load_snippet("mid/optimization/sgd_adam_adamw_strength.py")
compared = load_snippet("mid/optimization/sgd_adam_adamw_tuned.py")
lion = load_snippet("mid/optimization/custom_optimizer_lion.py")
floor = load_snippet("mid/optimization/custom_optimizer_floor.py")
rate_curves = load_snippet("mid/optimization/learning_rate_curves.py")
rate_schedule = load_snippet("mid/optimization/learning_rate_schedule.py")
rate_range = load_snippet("mid/optimization/learning_rate_range.py")
rate_warmup = load_snippet("mid/optimization/learning_rate_warmup.py")
batch_rates = load_snippet("mid/optimization/batch_size_rates.py")
batch_broken = load_snippet("mid/optimization/batch_size_broken.py")
custom_resume = load_snippet("mid/optimization/custom_optimizer_resume_broken.py")
resume = load_snippet("mid/optimization/adam_bias_correction_resume_broken.py")


def streams(steps: int = 100, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Gradients for a parameter of shape (3, 4) over some steps."""
    return torch.randn(steps, 3, 4, dtype=dtype, generator=torch.Generator().manual_seed(1))


class TestAdam:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("decoupled", [False, True])
    @pytest.mark.parametrize(("weight_decay", "betas", "eps"), [(0.0, (0.9, 0.999), 1e-8), (0.3, (0.8, 0.99), 1e-3)])
    def test_the_class_is_the_library_to_the_last_bit(self, dtype, decoupled, weight_decay, betas, eps):
        options = {"lr": 0.02, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        ours, late, unused = (torch.ones(3, 4, dtype=dtype, requires_grad=True) for _ in range(3))
        theirs, their_late, their_unused = (torch.ones(3, 4, dtype=dtype, requires_grad=True) for _ in range(3))
        optimizer = adam.Adam([ours, late, unused], decoupled=decoupled, **options)
        build = torch.optim.AdamW if decoupled else torch.optim.Adam
        library = build([theirs, their_late, their_unused], **options)
        for i, gradient in enumerate(streams(dtype=dtype)):
            ours.grad, theirs.grad = gradient.clone(), gradient.clone()
            if i % 3 == 2:
                late.grad, their_late.grad = gradient.clone(), gradient.clone()
            else:
                late.grad = their_late.grad = None
            optimizer.step()
            library.step()
        assert torch.equal(ours, theirs)
        assert torch.equal(late, their_late)
        assert torch.equal(unused, torch.ones_like(unused))
        assert optimizer.steps == [100, 33, 0]
        assert library.state[their_late]["step"] == 33
        assert their_unused not in library.state

    def test_the_defaults_are_those_of_the_library(self):
        ours = adam.Adam([])
        assert torch.optim.Adam([torch.zeros(1)]).defaults["betas"] == ours.betas
        library = torch.optim.Adam([torch.zeros(1)]).defaults
        assert (library["lr"], library["eps"], library["weight_decay"]) == (ours.lr, ours.eps, ours.weight_decay)

    @pytest.mark.parametrize("size", [1e4, 1.0, 1e-3])
    @pytest.mark.parametrize("lr", [0.1, 1e-3])
    def test_a_constant_gradient_moves_its_weight_by_one_learning_rate_per_step(self, size, lr):
        distance = adam_streams.travel(torch.full((50, 2), size), lr=lr)
        torch.testing.assert_close(distance[:, 0], torch.arange(51.0), rtol=1e-3, atol=0)

    def test_gradients_that_change_sign_cancel(self):
        for seed in range(5):
            noise = torch.randn(200, 20, generator=torch.Generator().manual_seed(seed))
            distance = adam_streams.travel(noise - noise.mean(dim=0))
            assert distance[-1].abs().max() < 60
            steady = adam_streams.travel(noise + 3)
            assert steady[-1].min() > 2 * distance[-1].abs().max()

    def test_a_factor_on_the_loss_cancels_unless_eps_or_an_l2_term_counts(self):
        plain = adam_eps.weights_after(1.0)
        for scale in (1e6, 1e-2):
            assert (adam_eps.weights_after(scale) - plain).abs().max() < 1e-4
        assert (adam_eps.weights_after(1e-10) - plain).abs().max() > 0.1
        assert (adam_eps.weights_after(1e-10, eps=1e-20) - plain).abs().max() < 1e-4
        decayed = adam_eps.weights_after(1.0, weight_decay=0.1)
        assert (adam_eps.weights_after(1e-3, weight_decay=0.1) - decayed).abs().max() > 0.1

        def adamw(scale: float) -> torch.Tensor:
            w = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
            optimizer = torch.optim.AdamW([w], lr=0.01, weight_decay=0.1)
            for _ in range(50):
                optimizer.zero_grad()
                (scale * (w - 5).square().sum()).backward()
                optimizer.step()
            return w.detach()

        torch.testing.assert_close(adamw(1e-3), adamw(1.0), rtol=1e-4, atol=0)

    def test_far_below_eps_the_step_is_momentum(self):
        w = torch.zeros(3, 4, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([w], lr=0.1, eps=1.0)
        mean = torch.zeros(3, 4, dtype=torch.float64)
        expected = torch.zeros(3, 4, dtype=torch.float64)
        for t, gradient in enumerate(1e-6 * streams(dtype=torch.float64), start=1):
            w.grad = gradient.clone()
            optimizer.step()
            mean = 0.9 * mean + 0.1 * gradient
            expected -= 0.1 * mean / (1 - 0.9**t)
        torch.testing.assert_close(w.detach(), expected, rtol=1e-4, atol=1e-10)

    def test_after_zero_gradients_the_first_step_is_up_to_3_16_learning_rates(self):
        largest = 0.1 / math.sqrt(0.001)
        assert adam_first_gradient.first_move("zero gradient", 1000) == pytest.approx(
            largest * math.sqrt(1 - 0.999**1001), rel=1e-3
        )
        for steps in (0, 10, 300):
            assert adam_first_gradient.first_move("no gradient", steps) == pytest.approx(1, rel=1e-3)
        assert adam_first_gradient.first_move("zero gradient", 300, lr=0.01) > 1.3

    def test_no_step_is_longer_than_7_27_learning_rates_and_a_second_gradient_exceeds_3_16(self):
        def steps(gradients: list[float]) -> list[float]:
            w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
            optimizer = torch.optim.Adam([w], lr=1.0)
            w.grad = torch.ones(1, dtype=torch.float64)
            optimizer.step()
            optimizer.state[w]["step"].fill_(8000)  # as after 8000 zero gradients
            for key in ("exp_avg", "exp_avg_sq"):
                optimizer.state[w][key].zero_()
            moves = []
            for gradient in gradients:
                before = w.item()
                w.grad.fill_(gradient)
                optimizer.step()
                moves.append(before - w.item())
            return moves

        constant = steps([1.0] * 20)
        assert constant[0] == pytest.approx(3.16, abs=0.01)
        assert max(constant) == constant[11] == pytest.approx(6.57, abs=0.01)
        bound = 0.1 / math.sqrt(0.001) / math.sqrt(1 - 0.81 / 0.999)
        assert bound == pytest.approx(7.27, abs=0.001)
        assert 7.0 < max(steps([(0.999 / 0.9) ** i for i in range(60)])) < bound

    def test_a_zero_gradient_moves_the_weight_and_none_does_not(self):
        w = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.Adam([w])
        w.grad = torch.ones(2)
        optimizer.step()
        before = w.detach().clone()
        w.grad = None
        optimizer.step()
        assert torch.equal(w, before)
        w.grad = torch.zeros(2)
        optimizer.step()
        assert (w < before).all()

    def test_the_state_is_allocated_in_the_first_step_and_has_the_dtype_of_the_parameter(self):
        for dtype in (torch.float32, torch.bfloat16):
            model = nn.Linear(8, 4, dtype=dtype)
            model.bias.requires_grad_(False)
            optimizer = torch.optim.Adam(model.parameters())
            assert not optimizer.state
            model(torch.ones(1, 8, dtype=dtype)).sum().backward()
            optimizer.step()
            state = optimizer.state[model.weight]
            assert state["exp_avg"].dtype == state["exp_avg_sq"].dtype == dtype
            assert state["exp_avg"].shape == model.weight.shape
            assert model.bias not in optimizer.state


def uncorrected(gradients: torch.Tensor, lr: float, beta1: float, beta2: float) -> torch.Tensor:
    """Where Adam without correction and without eps takes weights from zero."""
    w, m, v = (torch.zeros_like(gradients[0]) for _ in range(3))
    for gradient in gradients:
        m, v = beta1 * m + (1 - beta1) * gradient, beta2 * v + (1 - beta2) * gradient**2
        w = w - lr * m / v.sqrt()
    return w


class TestAdamBiasCorrection:
    @pytest.mark.parametrize("betas", [(0.9, 0.999), (0.9, 0.95), (0.5, 0.5), (0.0, 0.99)])
    def test_no_correction_is_a_schedule_on_the_library(self, betas):
        gradients = streams(dtype=torch.float64)
        w = torch.zeros(3, 4, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([w], betas=betas, eps=0.0)
        for factor, gradient in zip(correction.excess(100, *betas), gradients, strict=True):
            optimizer.param_groups[0]["lr"] = 0.03 * factor.item()
            w.grad = gradient.clone()
            optimizer.step()
        torch.testing.assert_close(w.detach(), uncorrected(gradients, 0.03, *betas), rtol=1e-9, atol=1e-12)

    def test_the_sign_of_the_error_depends_on_the_betas(self):
        default = correction.excess(5000)
        assert default[0].item() == pytest.approx(3.162, abs=1e-3)
        assert int(default.argmax()) + 1 == 12
        assert default.max().item() == pytest.approx(6.57, abs=0.01)
        assert (default[:1000] > 1.2).all()
        assert default[-1].item() == pytest.approx(1, abs=0.005)
        assert correction.excess(1, beta2=0.99).item() == pytest.approx(1)
        for beta in (0.9, 0.99, 0.999):
            assert (correction.excess(10, beta1=beta, beta2=beta) < 1).all()

    @pytest.mark.parametrize("beta", [0.9, 0.99])
    def test_dividing_by_the_sum_of_the_weights_makes_a_mean_unbiased(self, beta):
        draws = 2 + torch.randn(20, 20000, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
        mean = torch.zeros(20000, dtype=torch.float64)
        for draw in draws:
            mean = beta * mean + (1 - beta) * draw
        assert mean.mean().item() == pytest.approx(2 * (1 - beta**20), rel=0.02)
        assert (mean / (1 - beta**20)).mean().item() == pytest.approx(2, rel=0.02)

    def test_without_the_counter_the_resumed_steps_are_too_short(self):
        for before in (20, 200):
            assert resume.step_after_resume("nothing", before) == pytest.approx([1, 1, 1], rel=0.01)
            assert resume.step_after_resume("all", before) == pytest.approx([1, 1, 1], rel=0.01)
        for before in (1500, 1800):
            for move, factor in zip(resume.step_after_resume("step", before), (3.16, 6.57, 3.24), strict=True):
                assert 1 / factor <= move < 1.25 / factor

    @pytest.mark.parametrize("alpha", [0.9, 0.99])
    def test_rmsprop_has_no_correction(self, alpha):
        w = torch.zeros(2, requires_grad=True)
        optimizer = torch.optim.RMSprop([w], lr=0.01, alpha=alpha)
        w.grad = torch.tensor([1000.0, 0.1])
        optimizer.step()
        assert w.tolist() == pytest.approx([-0.01 / (1 - alpha) ** 0.5] * 2, rel=1e-4)

    def test_without_the_correction_a_smaller_rate_is_right(self):
        rates = [0.0003, 0.003, 0.03]
        found = {c: correction_tuned.held_out_losses(rates, 2, c, 0.999, 40) for c in (True, False)}
        assert (found[True][0] > found[False][0]).all()
        assert (found[True][2] < found[False][2]).all()


class TestSgdAdamAdamw:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"momentum": 0.9},
            {"momentum": 0.9, "weight_decay": 0.2},
            {"momentum": 0.5, "weight_decay": 0.2, "nesterov": True},
        ],
    )
    def test_sgd_by_hand_is_the_library_to_the_last_bit(self, dtype, options):
        ours, theirs = ([torch.ones(3, 4, dtype=dtype, requires_grad=True) for _ in range(3)] for _ in range(2))
        optimizer = momentum.SGD(ours, lr=0.02, **options)
        library = torch.optim.SGD(theirs, lr=0.02, **options)
        for i, gradient in enumerate(streams(dtype=dtype)):
            for always, late, _ in (ours, theirs):
                always.grad = gradient.clone()
                late.grad = gradient.clone() if i % 3 == 2 else None
            optimizer.step()
            library.step()
        assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))
        assert torch.equal(ours[2], torch.ones_like(ours[2]))

    def test_the_default_rate_is_that_of_the_library(self):
        assert momentum.SGD([]).lr == torch.optim.SGD([torch.zeros(1)]).defaults["lr"]

    @pytest.mark.parametrize("decay", [0.01, 0.5])
    def test_adams_first_step_does_not_notice_an_l2_term_that_keeps_the_sign(self, decay):
        w, plain = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        w.grad, plain.grad = torch.tensor([100.0, 0.01]), torch.tensor([100.0, 0.01])
        torch.optim.Adam([w], lr=0.1, weight_decay=decay).step()
        torch.optim.Adam([plain], lr=0.1).step()
        torch.testing.assert_close(w, plain, rtol=1e-5, atol=0)

    def test_only_adams_decay_depends_on_the_size_of_the_gradients(self):
        steps = strength.STEPS
        try:
            strength.STEPS = 300
            for size in (1e3, 1.0):
                for build in (torch.optim.SGD, torch.optim.AdamW):
                    assert strength.kept(build, 0.005, size) == pytest.approx(0.9995**300, abs=0.03)
            assert strength.kept(torch.optim.Adam, 0.005, 1e3) > 0.99
        finally:
            strength.STEPS = steps

    def test_momentum_amplifies_a_constant_gradient(self):
        for mu in (0.5, 0.9):
            w = torch.zeros(1, requires_grad=True)
            optimizer = torch.optim.SGD([w], lr=1.0, momentum=mu)
            for _ in range(200):
                before = w.item()
                w.grad = torch.ones(1)
                optimizer.step()
            assert before - w.item() == pytest.approx(1 / (1 - mu), rel=1e-3)

    def test_nesterovs_first_step_is_longer_by_the_momentum(self):
        for mu in (0.5, 0.9):
            w = torch.zeros(1, requires_grad=True)
            w.grad = torch.ones(1)
            torch.optim.SGD([w], lr=1.0, momentum=mu, nesterov=True).step()
            assert w.item() == pytest.approx(-1 - mu)
        with pytest.raises(ValueError, match="Nesterov momentum requires"):
            torch.optim.SGD([w], lr=1.0, nesterov=True)

    def test_adamw_is_adam_with_decoupled_decay(self):
        w, v = torch.ones(3, 4, requires_grad=True), torch.ones(3, 4, requires_grad=True)
        first = torch.optim.AdamW([w], lr=0.1, weight_decay=0.3)
        second = torch.optim.Adam([v], lr=0.1, weight_decay=0.3, decoupled_weight_decay=True)
        for gradient in streams(20):
            w.grad, v.grad = gradient.clone(), gradient.clone()
            first.step()
            second.step()
        assert torch.equal(w, v)

    def test_the_grid_trains_with_the_update_of_each_optimizer(self):
        # without decay Adam and AdamW are one optimizer, with decay they part
        def losses(kind: str, decay: float) -> torch.Tensor:
            return compared.held_out_losses(kind, [0.03], [decay], seeds=2, steps=60)

        assert torch.equal(losses("Adam", 0.0), losses("AdamW", 0.0))
        assert (losses("Adam", 0.1) - losses("AdamW", 0.1)).abs().min() > 0.01
        assert losses("SGD", 0.0).max() < 2.6

    def test_tuned_sgd_and_adam_are_level_and_one_common_setting_orders_them(self):
        def losses(kind: str, lr: float, decay: float) -> torch.Tensor:
            return compared.held_out_losses(kind, [lr], [decay], seeds=3, steps=300).flatten()

        sgd, adam, adamw = losses("SGD", 0.03, 0.01), losses("Adam", 0.01, 0.01), losses("AdamW", 0.01, 0.3)
        assert (sgd.median() - adam.median()).abs() < 0.02
        assert adam.max() < adamw.min()
        common = [losses(kind, 0.1, decay) for kind, decay in (("SGD", 0.003), ("Adam", 0.003), ("AdamW", 0.1))]
        assert common[0].max() < common[1].min() < common[1].max() < common[2].min()


class TestCustomOptimizer:
    @pytest.mark.parametrize("weight_decay", [0.0, 0.7])
    @pytest.mark.parametrize("betas", [(0.9, 0.99), (0.5, 0.8)])
    def test_lion_agrees_with_the_formulas_over_100_steps(self, betas, weight_decay):
        w, unused = (torch.ones(3, 4, dtype=torch.float64, requires_grad=True) for _ in range(2))
        optimizer = lion.Lion([w, unused], lr=0.05, betas=betas, weight_decay=weight_decay)
        expected, m = torch.ones(3, 4, dtype=torch.float64), torch.zeros(3, 4, dtype=torch.float64)
        for gradient in streams(dtype=torch.float64):
            w.grad = gradient.clone()
            optimizer.step()
            sign = (betas[0] * m + (1 - betas[0]) * gradient).sign()
            expected = (1 - 0.05 * weight_decay) * expected - 0.05 * sign
            m = betas[1] * m + (1 - betas[1]) * gradient
        torch.testing.assert_close(w.detach(), expected, rtol=0, atol=1e-12)
        assert torch.equal(unused, torch.ones_like(unused))
        assert unused not in optimizer.state

    def test_a_resume_in_the_middle_is_exact(self):
        def train(resume_at: int | None) -> torch.Tensor:
            w = torch.ones(3, 4, requires_grad=True)
            optimizer = lion.Lion([w], lr=0.01, weight_decay=0.1)
            for step, gradient in enumerate(streams()):
                if step == resume_at:
                    saved = optimizer.state_dict()
                    optimizer = lion.Lion([w], lr=1.0)
                    optimizer.load_state_dict(saved)
                w.grad = gradient.clone()
                optimizer.step()
            return w.detach()

        assert torch.equal(train(None), train(40))

    def test_groups_and_schedulers_set_the_rate(self):
        w, v = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
        optimizer = lion.Lion([{"params": [w], "lr": 1.0}, {"params": [v]}], lr=0.5)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        for _ in range(2):
            w.grad, v.grad = torch.ones(1), torch.ones(1)
            optimizer.step()
            scheduler.step()
        assert (w.item(), v.item()) == (-1.5, -0.75)

    def test_a_closure_gets_gradients_and_its_loss_comes_back(self):
        w = torch.ones(1, requires_grad=True)
        optimizer = lion.Lion([w], lr=0.1)

        def closure() -> float:
            optimizer.zero_grad()
            loss = (3 * w).sum()
            loss.backward()
            return loss.item()

        assert optimizer.step(closure) == pytest.approx(3)
        assert w.item() == pytest.approx(0.9)
        assert optimizer.step() is None

    def test_bad_options_and_sparse_gradients_are_refused(self):
        w = torch.ones(3, 2, requires_grad=True)
        for options in ({"lr": -1.0}, {"weight_decay": -1.0}, {"betas": (0.9, 1.0)}, {"betas": (-0.1, 0.9)}):
            with pytest.raises(ValueError, match="must be"):
                lion.Lion([w], **options)
        lion.Lion([w], lr=0.0, betas=(0.0, 0.0))
        w.grad = torch.ones(3, 2).to_sparse()
        with pytest.raises(RuntimeError, match="dense gradients"):
            lion.Lion([w]).step()
        assert lion.Lion([w]).defaults == {"lr": 1e-4, "betas": (0.9, 0.99), "weight_decay": 0.0}

    def test_without_betas_it_is_the_sign_of_the_gradient_whatever_its_scale(self):
        for scale in (1e-12, 1.0, 1e6):
            w = torch.zeros(3, 4, requires_grad=True)
            optimizer = lion.Lion([w], lr=0.1, betas=(0.0, 0.0))
            expected = torch.zeros(3, 4)
            for gradient in streams(20):
                w.grad = scale * gradient
                optimizer.step()
                expected -= 0.1 * gradient.sign()
            torch.testing.assert_close(w.detach(), expected)

    def test_near_a_minimum_the_distance_is_of_the_size_of_the_rate(self):
        for lr in (0.3, 0.1, 0.03):
            points = floor.lion_path(lr, round(30 / lr))
            assert lr / 4 < points[-len(points) // 3 :].norm(dim=1).max() < 2 * lr

    def test_the_path_of_the_picture_is_that_of_the_class(self):
        w = torch.tensor([-4.0, 2.0], requires_grad=True)
        optimizer = lion.Lion([w], lr=0.2)
        for _ in range(50):
            w.grad = floor.CURVATURE * w.detach()
            optimizer.step()
        torch.testing.assert_close(w.detach(), floor.lion_path(0.2, 50)[-1], rtol=0, atol=1e-4)

    def test_what_is_not_in_state_is_lost_on_a_resume(self):
        good, broken = custom_resume.Heavy, custom_resume.HeavyBroken
        for at in (3, 8):
            assert custom_resume.final_weight(good, at) == custom_resume.final_weight(good, None)
            assert abs(custom_resume.final_weight(broken, at) - custom_resume.final_weight(broken, None)) > 0.01

    def test_loading_casts_integer_state_too_unless_its_key_is_step(self):
        for dtype in (torch.bfloat16, torch.float32):
            w = torch.ones(2, dtype=dtype, requires_grad=True)
            optimizer = torch.optim.SGD([w], lr=0.1)
            for key in ("step", "mask", "momentum"):
                optimizer.state[w][key] = torch.ones(2, dtype=torch.int64 if key != "momentum" else torch.float64)
            optimizer.load_state_dict(optimizer.state_dict())
            found = {key: value.dtype for key, value in optimizer.state[w].items()}
            assert found == {"step": torch.int64, "mask": dtype, "momentum": dtype}

    def test_a_rebound_name_trains_nothing(self):
        w = torch.ones(2, requires_grad=True)
        w.grad = torch.ones(2)
        with torch.no_grad():
            for p in [w]:
                p = p - 0.1 * p.grad
        assert torch.equal(w, torch.ones(2))


class TestLearningRate:
    @pytest.mark.parametrize("largest", [100.0, 0.3])
    @pytest.mark.parametrize("others", [[], [0.1], [0.2, 0.01]])
    def test_gradient_descent_diverges_above_two_over_the_largest_curvature(self, largest, others):
        curvatures = torch.tensor([largest, *others], dtype=torch.float64)
        below = rate_curves.losses(1.98 / largest, curvatures, 400)
        above = rate_curves.losses(2.02 / largest, curvatures, 400)
        assert below[-1] < below[0]
        assert above[-1] > above[0]
        assert (below.diff() <= 0).all()

    @pytest.mark.parametrize(("steep_start", "falls_first"), [(1.0, False), (1e-3, True)])
    def test_above_the_limit_the_loss_falls_first_only_from_a_small_steep_error(self, steep_start, falls_first):
        if steep_start == 1.0:
            found = rate_curves.losses(0.0205, torch.tensor([100.0, 2.0], dtype=torch.float64), 300)
        else:
            t = torch.arange(300, dtype=torch.float64)
            found = 50 * (steep_start * 1.05**t) ** 2 + 0.959 ** (2 * t)
        assert (found[1] < found[0]).item() == falls_first
        assert found[-1] > found[0]

    def test_the_loop_of_the_picture_is_sgd(self):
        curvatures = torch.tensor([3.0, 0.5], dtype=torch.float64)
        w = torch.ones(2, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)
        for expected in rate_curves.losses(0.1, curvatures, 20):
            optimizer.zero_grad()
            loss = (curvatures * w**2).sum() / 2
            assert loss.item() == pytest.approx(expected.item())
            loss.backward()
            optimizer.step()

    @pytest.mark.parametrize("momentum", [0.5, 0.9])
    def test_momentum_moves_the_limit(self, momentum):
        def end(factor: float) -> float:
            w = torch.ones(1, dtype=torch.float64, requires_grad=True)
            optimizer = torch.optim.SGD([w], lr=factor * 2 * (1 + momentum) / 10, momentum=momentum)
            for _ in range(400):
                w.grad = 10 * w.detach()
                optimizer.step()
            return abs(w.item())

        assert end(0.97) < 1 < end(1.03)

    def test_a_falling_rate_ends_closer_than_the_best_constant_one(self):
        for steps in (1000, 2000):
            rates = [0.02, 0.05, 0.1]
            constant = rate_schedule.distances(rates, 4, "constant", steps)
            falls = rate_schedule.distances(rates, 4, "falls", steps)
            assert falls.median(dim=1).values.min() < 0.9 * constant.median(dim=1).values.min()
        assert (constant[1:].median(dim=1).values.diff() > 0).all()

    def test_the_range_test_raises_the_rate_and_finds_a_lowest_loss_inside(self):
        losses = rate_range.range_test(torch.optim.SGD)
        assert 20 < losses.index(min(losses)) < len(losses) - 1
        assert losses[-1] > min(losses)

    def test_warmup_shortens_the_first_steps(self):
        one = rate_warmup.final_losses([0.01], 1, warmup=0, steps=3)
        slow = rate_warmup.final_losses([0.01], 1, warmup=1000, steps=3)
        none = rate_warmup.final_losses([0.0], 1, warmup=0, steps=3)
        assert (slow - none).abs() < (one - none).abs() / 5


class TestBatchSize:
    @pytest.mark.parametrize("batch", [4, 32])
    @pytest.mark.parametrize("power", [1, 3])
    def test_the_variance_of_a_mean_falls_as_one_over_the_batch(self, batch, power):
        samples = torch.randn(5000, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) ** power
        drawn = torch.randint(5000, (20_000, batch), generator=torch.Generator().manual_seed(1))
        ratio = samples[drawn].mean(dim=1).var() * batch / samples.var()
        assert ratio.item() == pytest.approx(1, abs=0.1)

    def test_sgds_best_rate_follows_the_batch_until_the_limit_of_stability(self):
        def best(batch: int) -> float:
            needed = batch_rates.steps_needed("SGD", batch, limit=150)
            return batch_rates.RATES[int(needed.median(dim=1).values.argmin())]

        assert best(8) >= 2 * best(2)
        assert best(128) <= 2 * best(32)

    def test_adams_best_rate_grows_less(self):
        def best(batch: int) -> float:
            needed = batch_rates.steps_needed("Adam", batch, limit=150)
            return batch_rates.RATES[int(needed.median(dim=1).values.argmin())]

        assert best(8) <= 2 * best(1)
        assert best(64) >= 2 * best(8)

    def test_the_linear_rule_ends_at_the_limit_of_stability(self):
        for seed in (20, 21):
            assert batch_broken.steps_needed(8 * 0.384, 128, seed) == 0
            assert 0 < batch_broken.steps_needed(0.384, 128, seed) < 10
            assert 0 < batch_broken.steps_needed(8**0.5 * 0.384, 128, seed) < 10

    def test_with_small_batches_the_limit_is_lower(self):
        for seed in (20, 21):
            assert 0 < batch_broken.steps_needed(0.768, 128, seed) < 10
            assert batch_broken.steps_needed(0.768, 4, seed) == 0

    @pytest.mark.parametrize("mixes", [False, True])
    def test_the_expected_gradient_depends_on_the_batch_only_if_a_layer_mixes_samples(self, mixes):
        samples = torch.randn(400, 1, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) ** 3

        def expected(batch: int) -> torch.Tensor:
            drawn = torch.randint(400, (4000, batch), generator=torch.Generator().manual_seed(batch))
            x = samples[drawn].squeeze(2)
            hidden = (x - x.mean(1, keepdim=True)) / (x.var(1, keepdim=True) + 1e-5).sqrt() if mixes else x / 4
            w = torch.ones(3, dtype=torch.float64, requires_grad=True)
            (hidden @ w - x[..., 0]).square().mean().backward()
            return w.grad

        gap = (expected(4) - expected(32)).norm() / expected(32).norm()
        assert gap > 0.2 if mixes else gap < 0.1

    def test_two_small_steps_are_nearly_one_step_with_twice_rate_and_batch(self):
        generator = torch.Generator().manual_seed(0)
        x = torch.randn(32, 20, dtype=torch.float64, generator=generator)
        y = torch.randn(32, dtype=torch.float64, generator=generator)

        def step(w: torch.Tensor, rows: slice, lr: float) -> torch.Tensor:
            return w - lr * x[rows].T @ (x[rows] @ w - y[rows]) / len(x[rows])

        start = torch.ones(20, dtype=torch.float64)
        gaps = []
        for lr in (1e-2, 1e-3):
            two = step(step(start, slice(0, 16), lr), slice(16, 32), lr)
            one = step(start, slice(0, 32), 2 * lr)
            gaps.append(((two - one).norm() / (one - start).norm()).item())
        assert gaps[1] < gaps[0] / 5 < 0.1

    def test_a_summed_loss_is_the_linear_rule_already(self):
        x = torch.randn(16, 3, generator=torch.Generator().manual_seed(0))
        mean, total = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        (x @ mean).square().mean().backward()
        (x @ total).square().sum().backward()
        torch.testing.assert_close(total.grad, 16 * mean.grad)
