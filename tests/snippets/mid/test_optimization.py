"""Every claim that the pages of docs/mid/optimization make, proven beyond the example shown."""

import contextlib
import math
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_
from torch.optim import SGD, lr_scheduler

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
accumulation = load_snippet("mid/optimization/gradient_accumulation_step.py")
accumulation_layers = load_snippet("mid/optimization/gradient_accumulation_layers.py")
accumulation_leftover = load_snippet("mid/optimization/gradient_accumulation_leftover_broken.py")
accumulation_memory = load_snippet("mid/optimization/gradient_accumulation_memory.py")
clipping = load_snippet("mid/optimization/gradient_clipping_broken.py")
clipping_adam = load_snippet("mid/optimization/gradient_clipping_adam.py")
clipping_tuned = load_snippet("mid/optimization/gradient_clipping_tuned.py")
order = load_snippet("mid/optimization/lr_schedulers_order_broken.py")
schedule_resume = load_snippet("mid/optimization/lr_schedulers_resume_broken.py")
shapes = load_snippet("mid/optimization/lr_schedulers_shapes.py")
warmup_cosine = load_snippet("mid/optimization/warmup_cosine_scheduler.py").warmup_cosine
warmup_broken = load_snippet("mid/optimization/warmup_cosine_broken.py")
warmup_sequential = load_snippet("mid/optimization/warmup_cosine_sequential.py")
sparse_clip = load_snippet("mid/optimization/sparse_gradients_clip.py").clip_with_sparse_
sparse_lazy = load_snippet("mid/optimization/sparse_gradients_lazy.py")
sparse_optimizers = load_snippet("mid/optimization/sparse_gradients_optimizers.py")


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

    def test_far_below_eps_only_the_bias_correction_parts_it_from_sgd_with_momentum(self):
        for eps in (1e6, 1e8):
            w, v = (torch.zeros(1, dtype=torch.float64, requires_grad=True) for _ in range(2))
            adam_, sgd = torch.optim.Adam([w], lr=eps, eps=eps), SGD([v], lr=0.1, momentum=0.9)
            ratios = []
            for _ in range(60):
                before = w.item(), v.item()
                w.grad, v.grad = torch.ones_like(w), torch.ones_like(v)
                adam_.step()
                sgd.step()
                ratios.append((w.item() - before[0]) / (v.item() - before[1]))
            assert ratios[0] == pytest.approx(10, rel=1e-3)
            assert ratios[-1] == pytest.approx(1, abs=0.01)

    @pytest.mark.parametrize("c", [1.0, 100.0])
    def test_on_a_quadratic_the_steps_are_one_rate_long_at_first_and_short_near_the_minimum(self, c):
        w = torch.ones(1, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([w], lr=0.01)
        moves = []
        while True:
            optimizer.zero_grad()
            (c * w.square()).sum().backward()
            if w.grad <= 0 or w < 1e-3:
                break
            before = w.item()
            optimizer.step()
            moves.append((before - w.item()) / 0.01)
        assert min(moves[:10]) > 0.98
        assert len(moves) > 150
        assert 0 < moves[-1] < 0.1

    def test_after_zero_gradients_the_first_step_is_up_to_3_16_learning_rates(self):
        largest = 0.1 / math.sqrt(0.001)
        assert adam_first_gradient.first_move("zero gradient", 1000) == pytest.approx(
            largest * math.sqrt(1 - 0.999**1001), rel=1e-3
        )
        for steps in (0, 10, 300):
            assert adam_first_gradient.first_move("no gradient", steps) == pytest.approx(1, rel=1e-3)
        assert adam_first_gradient.first_move("zero gradient", 300, lr=0.01) > 1.3

    def test_no_step_is_longer_than_7_27_learning_rates_and_further_gradients_can_exceed_3_16(self):
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
        assert steps([1.0, 0.01])[1] < 3.16
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

    @pytest.mark.parametrize("mu", [0.5, 0.9])
    def test_with_a_very_large_eps_and_a_schedule_against_the_correction_adam_is_momentum(self, mu):
        w, v = (torch.zeros(3, 4, dtype=torch.float64, requires_grad=True) for _ in range(2))
        ours = torch.optim.Adam([w], betas=(mu, 0.999), eps=1e8)
        sgd = torch.optim.SGD([v], lr=0.1, momentum=mu)
        for t, gradient in enumerate(streams(dtype=torch.float64), start=1):
            ours.param_groups[0]["lr"] = 0.1 * 1e8 * (1 - mu**t) / (1 - mu)
            w.grad, v.grad = gradient.clone(), gradient.clone()
            ours.step()
            sgd.step()
            torch.testing.assert_close(w, v, rtol=1e-5, atol=1e-5)

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
        assert max(sgd.min(), adam.min()) < min(sgd.max(), adam.max())
        assert adam.max() < adamw.min()
        assert (adamw.median() - adam.median()).item() == pytest.approx(0.06, abs=0.01)
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
    @pytest.mark.parametrize("nesterov", [False, True])
    def test_momentum_raises_the_limit_and_with_nesterov_lowers_it(self, momentum, nesterov):
        limit = 2 * (1 + momentum) / (1 + 2 * momentum if nesterov else 1)
        assert (limit < 2) == nesterov
        assert limit == pytest.approx(1.36, abs=0.01) or (momentum, nesterov) != (0.9, True)

        def end(factor: float) -> float:
            w = torch.ones(1, dtype=torch.float64, requires_grad=True)
            optimizer = torch.optim.SGD([w], lr=factor * limit / 10, momentum=momentum, nesterov=nesterov)
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

    @pytest.mark.parametrize("weight_decay", [0.0, 0.1])
    @pytest.mark.parametrize("max_norm", [math.inf, 0.5])
    def test_a_summed_loss_multiplies_neither_weight_decay_nor_a_clipping_limit(self, weight_decay, max_norm):
        batches = torch.randn(20, 8, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        trained = []
        for reduction, lr in (("mean", 8 * 0.005), ("sum", 0.005)):
            w = torch.ones(3, dtype=torch.float64, requires_grad=True)
            optimizer = SGD([w], lr=lr, weight_decay=weight_decay)
            for x in batches:
                optimizer.zero_grad()
                F.mse_loss(x @ w, 2 * x[:, 0], reduction=reduction).backward()
                clip_grad_norm_([w], max_norm)
                optimizer.step()
            trained.append(w.detach())
        alike = weight_decay == 0 and max_norm == math.inf
        assert ((trained[0] - trained[1]).abs().max() < 1e-9) == alike

    @pytest.mark.parametrize("batch", [2, 32, 64])
    def test_without_replacement_the_variance_is_smaller_by_a_known_factor(self, batch):
        samples = torch.randn(64, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        keys = torch.rand(20_000, 64, generator=torch.Generator().manual_seed(1))
        means = samples[keys.argsort(dim=1)[:, :batch]].mean(dim=1)
        expected = samples.var(unbiased=False) / batch * (64 - batch) / 63
        torch.testing.assert_close(means.var(), expected, rtol=0.05, atol=1e-12)


def with_gradients(scale: float, dtype: torch.dtype = torch.float32) -> list[nn.Parameter]:
    """Three parameters of different shapes whose gradients are normal numbers times a scale."""
    generator = torch.Generator().manual_seed(0)
    parameters = [nn.Parameter(torch.zeros(shape, dtype=dtype)) for shape in [(3, 4), (5,), (2, 2, 2)]]
    for parameter in parameters:
        parameter.grad = scale * torch.randn(parameter.shape, generator=generator, dtype=dtype)
    return parameters


def flat(parameters: list[nn.Parameter]) -> torch.Tensor:
    return torch.cat([parameter.grad.flatten() for parameter in parameters])


class TestGradientClipping:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("norm_type", [2.0, 1.0, torch.inf])
    @pytest.mark.parametrize("scale", [0.001, 1.0, 100.0])
    def test_by_norm_scales_all_by_one_factor_and_returns_the_norm_before(self, dtype, norm_type, scale):
        parameters = with_gradients(scale, dtype)
        raw = flat(parameters)
        returned = clip_grad_norm_(parameters, 0.5, norm_type=norm_type)
        norm = torch.linalg.vector_norm(raw, norm_type)
        torch.testing.assert_close(returned, norm)
        torch.testing.assert_close(flat(parameters), raw * min(1.0, 0.5 / (norm.item() + 1e-6)))
        torch.testing.assert_close(
            clip_grad_norm_(parameters, 9.9, norm_type=norm_type), norm.clamp(max=0.5), rtol=1e-5, atol=0
        )

    @pytest.mark.parametrize("scale", [1.0, 100.0])
    def test_by_value_cuts_each_element_turns_the_direction_and_returns_nothing(self, scale):
        parameters = with_gradients(scale)
        raw = flat(parameters)
        assert clip_grad_value_(parameters, 0.5) is None
        assert torch.equal(flat(parameters), raw.clamp(-0.5, 0.5))
        assert torch.cosine_similarity(raw, flat(parameters), dim=0) < 0.99

    def test_a_gradient_below_the_limit_stays_as_it_is(self):
        for clip in (clip_grad_norm_, clip_grad_value_):
            parameters = with_gradients(0.01)
            raw = flat(parameters)
            clip(parameters, 1.0)
            assert torch.equal(flat(parameters), raw)

    @pytest.mark.parametrize("limit", [0.5, 2.0, 4.9])
    def test_only_between_backward_and_step_over_all_parameters_it_bounds_the_step(self, limit):
        expected = {
            "none": limit,
            "before backward()": 5.0,
            "after step()": 5.0,
            "each parameter alone": (min(3, limit) ** 2 + min(4, limit) ** 2) ** 0.5,
            "before unscale_()": limit / 65536,
        }
        assert list(expected) == clipping.MISTAKES
        for mistake, length in expected.items():
            assert clipping.step_length(mistake, limit) == pytest.approx(length, rel=1e-5)

    def test_a_limit_above_the_norm_changes_no_step(self):
        for mistake in clipping.MISTAKES[:4]:
            assert clipping.step_length(mistake, 6.0) == pytest.approx(5.0)

    @pytest.mark.parametrize("bad", [torch.inf, -torch.inf, torch.nan])
    def test_one_non_finite_element_spoils_the_norm_and_the_error_comes_before_any_change(self, bad):
        parameters = with_gradients(1.0)
        parameters[1].grad[0] = bad
        before = flat(parameters)
        with pytest.raises(RuntimeError, match="non-finite, so it cannot be clipped"):
            clip_grad_norm_(parameters, 1.0, error_if_nonfinite=True)
        torch.testing.assert_close(flat(parameters), before, rtol=0, atol=0, equal_nan=True)
        assert not clip_grad_norm_(parameters, 1.0).isfinite()
        assert flat(parameters)[12].isnan()
        assert (flat(parameters)[:12] == 0).all() == (bad == bad)

    def test_without_outliers_the_search_prefers_no_limit_and_with_them_it_wins(self):
        clean, dirty = clipping_tuned.errors(0.0), clipping_tuned.errors(0.02)
        assert clean.mean(2).min() == clean[-1].mean(1).min()
        assert clipping_tuned.NORMS[-2] == 10.0
        assert clean[-2].mean(1).min() < 1.01 * clean[-1].mean(1).min()
        best = dirty.mean(2).argmin().item()
        norm, rate = divmod(best, len(clipping_tuned.RATES))
        assert 0 < norm < len(clipping_tuned.NORMS) - 1 and 0 < rate < len(clipping_tuned.RATES) - 1
        unclipped = dirty[-1].mean(1).argmin().item()
        assert 0 < unclipped < len(clipping_tuned.RATES) - 1
        assert unclipped < clean[-1].mean(1).argmin().item() < rate
        assert dirty[norm, rate].max() < dirty[-1, unclipped].min()

    def test_if_every_step_is_clipped_only_limit_times_rate_matters(self):
        for outliers in (0.0, 0.02):
            table = clipping_tuned.errors(outliers)
            assert clipping_tuned.NORMS[:2] == [0.1, 0.3] and clipping_tuned.RATES[-2:] == [0.1, 0.3]
            torch.testing.assert_close(table[0, -1], table[1, -2], rtol=0.01, atol=0)
        for options, same in (({}, True), ({"momentum": 0.9}, True), ({"weight_decay": 0.1}, False)):
            ends = []
            for lr, limit in ((0.125, 0.01), (0.01, 0.125)):
                w = nn.Parameter(torch.tensor([5.0, -6.0], dtype=torch.float64))
                optimizer = SGD([w], lr=lr, **options)
                for _ in range(10):
                    optimizer.zero_grad()
                    (w**4).sum().backward()
                    clip_grad_norm_([w], limit)
                    optimizer.step()
                ends.append(w.detach())
            assert torch.allclose(*ends, rtol=0, atol=1e-6) is same

    @pytest.mark.parametrize("spike", [100.0, 1000.0])
    def test_a_spike_shortens_adams_later_steps_unless_it_is_clipped(self, spike):
        raw, clipped = clipping_adam.steps(spike, torch.inf), clipping_adam.steps(spike, 1.0)
        assert raw[100] < 0.15 and raw[19] == pytest.approx(1.0)
        assert spike < 1000 or all(0.01 < length < 0.015 for length in raw[70:])
        assert all(length == pytest.approx(1.0, abs=1e-3) for length in clipped)
        sooner = clipping_adam.steps(spike, torch.inf, beta2=0.8)
        assert sooner[-1] > 0.9 > raw[-1]

    def test_a_summed_loss_has_a_norm_64_times_as_large(self):
        x, w = torch.randn(64, 3), nn.Parameter(torch.ones(3))
        norms = []
        for reduce in (torch.mean, torch.sum):
            w.grad = None
            reduce((x @ w - 1) ** 2).backward()
            norms.append(clip_grad_norm_([w], 1.0))
        torch.testing.assert_close(norms[1], 64 * norms[0])

    def test_the_scaler_finds_the_infinity_before_the_clipping_and_skips_the_step(self):
        w = nn.Parameter(torch.ones(2))
        optimizer, scaler = torch.optim.SGD([w], lr=1.0), torch.amp.GradScaler("cpu")
        scaler.scale((w * torch.tensor([torch.inf, 1.0])).sum()).backward()
        scaler.unscale_(optimizer)
        clip_grad_norm_([w], 1.0)
        scaler.step(optimizer)
        assert torch.equal(w, torch.ones(2))

    def test_the_error_stops_a_run_whose_step_the_scaler_would_skip(self):
        for scale, raises in ((2.0**16, True), (1.0, False)):
            w = nn.Parameter(torch.ones(1))
            optimizer, scaler = SGD([w], lr=1.0), torch.amp.GradScaler("cpu", init_scale=scale)
            scaler.scale((1e35 * w).sum()).backward()
            scaler.unscale_(optimizer)
            with pytest.raises(RuntimeError, match="non-finite") if raises else contextlib.nullcontext():
                clip_grad_norm_([w], 1.0, error_if_nonfinite=True)
            scaler.step(optimizer)
            assert (w.item() == 1.0) is raises


CUTS = [[20], [5] * 4, [8, 8, 4], [1] * 20, [19, 1]]


class TestGradientAccumulation:
    @pytest.mark.parametrize("ignored", [[], [3, 4, 5, 19], list(range(8, 16))])
    @pytest.mark.parametrize("weight", [None, torch.tensor([1.0, 0.1, 10.0])])
    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
    def test_every_cut_of_the_batch_trains_the_same_weights(self, ignored, weight, optimizer):
        generator = torch.Generator().manual_seed(0)
        x = torch.randn(20, 4, generator=generator, dtype=torch.float64)
        y = torch.randint(3, (20,), generator=generator)
        y[ignored] = -100
        weight = weight if weight is None else weight.double()
        trained = []
        for sizes in CUTS:
            torch.manual_seed(1)
            model = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3)).double()
            steps = optimizer(model.parameters(), lr=0.1)
            window = list(zip(x.split(sizes), y.split(sizes), strict=True))
            for _ in range(3):
                expected = F.cross_entropy(model(x), y, weight=weight).item()
                loss = accumulation.accumulated_step(model, steps, window, weight, max_norm=0.5)
                assert loss == pytest.approx(expected)
            trained.append(nn.utils.parameters_to_vector(model.parameters()))
        for weights in trained[1:]:
            torch.testing.assert_close(weights, trained[0])

    def test_the_step_clears_old_gradients_and_clips_the_sum(self):
        model = nn.Linear(4, 3)
        for parameter in model.parameters():
            parameter.grad = torch.full_like(parameter, 1e6)
        window = [(100 * torch.randn(4, 4), torch.randint(3, (4,))) for _ in range(3)]
        before = nn.utils.parameters_to_vector(model.parameters()).clone()
        accumulation.accumulated_step(model, torch.optim.SGD(model.parameters(), lr=1.0), window, max_norm=0.1)
        after = nn.utils.parameters_to_vector(model.parameters())
        assert (after - before).norm().item() == pytest.approx(0.1, rel=1e-3)

    @pytest.mark.parametrize("frozen", [False, True])
    def test_what_the_optimizer_does_not_hold_enters_the_norm_unless_it_is_frozen(self, frozen):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
        model[0].requires_grad_(not frozen)
        optimizer = torch.optim.SGD(model[2].parameters(), lr=0.0)
        x, y = torch.randn(20, 4), torch.randint(3, (20,))
        norms = []
        for _ in range(5):
            accumulation.accumulated_step(model, optimizer, list(zip(x.split(5), y.split(5), strict=True)))
            norms.append(clip_grad_norm_(model.parameters(), math.inf).item())
        assert (norms[4] == pytest.approx(norms[0])) == frozen

    def test_a_window_without_labels_changes_nothing(self):
        model = nn.Linear(4, 3)
        before = model.weight.clone()
        window = [(torch.randn(2, 4), torch.full((2,), -100))]
        optimizer = torch.optim.AdamW(model.parameters(), lr=1.0)
        assert accumulation.accumulated_step(model, optimizer, window) == 0.0
        assert torch.equal(model.weight, before)

    @pytest.mark.parametrize(
        ("count", "size", "lengths"), [(20, 8, [8, 8, 4]), (16, 8, [8, 8]), (3, 8, [3]), (0, 8, [])]
    )
    def test_windows_lose_no_micro_batch(self, count, size, lengths):
        found = list(accumulation.windows(range(count), size))
        assert [len(window) for window in found] == lengths
        assert sum(found, []) == list(range(count))

    @pytest.mark.parametrize(("batches", "window"), [(20, 8), (7, 3), (16, 8)])
    def test_a_leftover_window_leaks_is_lost_or_is_divided_by_too_much(self, batches, window):
        full, rest = divmod(batches, window)
        gradients = {
            fix: accumulation_leftover.gradients_of_steps(fix, batches, window)
            for fix in ("none", "clear per epoch", "step", "step, divide by rest")
        }
        flushed = [rest / window] * (rest > 0)
        assert gradients["none"][full] == pytest.approx(1 + rest / window)
        assert gradients["clear per epoch"] == pytest.approx([1.0] * 2 * full)
        assert gradients["step"] == pytest.approx(([1.0] * full + flushed) * 2)
        assert gradients["step, divide by rest"] == pytest.approx([1.0] * len(gradients["step"]))

    @pytest.mark.parametrize(("layers", "width"), [(6, 64), (3, 32)])
    def test_the_kept_activations_are_divided_by_the_number_of_micro_batches(self, layers, width):
        one = accumulation_memory.kept(1, layers, width)
        for micro_batches in (2, 4, 8):
            several = accumulation_memory.kept(micro_batches, layers, width)
            assert max(several) * micro_batches == max(one)
            assert several.count(0) == micro_batches + 1 and several[-1] == 0
        assert max(one) == 64 * width * 4 * (layers + 1)

    def test_batch_norm_in_training_differs_and_layers_per_sample_do_not(self):
        for layer in (nn.Tanh(), nn.GELU(), nn.LayerNorm(8), nn.GroupNorm(2, 8), nn.BatchNorm1d(8).eval()):
            assert accumulation_layers.difference(layer) < 1e-5
        for parts in (2, 4, 8):
            assert accumulation_layers.difference(nn.BatchNorm1d(8), parts) > 0.05

    def test_dropout_may_draw_other_masks(self):
        two = nn.Sequential(nn.Dropout(0.5), nn.Linear(8, 8), nn.Dropout(0.5))
        assert accumulation_layers.difference(two) > 0.05
        assert accumulation_layers.difference(two.eval()) < 1e-5

    def test_a_loss_that_mixes_samples_differs_and_its_gradient_can_be_divided_afterwards(self):
        def contrastive(x, y):
            return F.cross_entropy(F.normalize(x) @ F.normalize(y).T, torch.arange(len(x)))

        def relative(loss):
            torch.manual_seed(0)
            w, x, y = torch.randn(4, 5, requires_grad=True), torch.randn(32, 4), torch.randn(32, 5)
            loss(x @ w, y).backward()
            whole, w.grad = w.grad, None
            for xs, ys in zip(x.chunk(4), y.chunk(4), strict=True):
                loss(xs @ w, ys).backward()
            w.grad /= 4
            return (w.grad - whole).norm() / whole.norm()

        assert relative(F.mse_loss) < 1e-5 < 0.05 < relative(contrastive)

    @pytest.mark.parametrize(("parts", "share"), [(1, 0.1), (4, 0.3439)])
    def test_running_statistics_move_once_per_micro_batch(self, parts, share):
        layer, x = nn.BatchNorm1d(3), torch.randn(8, 3) + 5
        for _ in range(parts):
            layer(x)
        torch.testing.assert_close(layer.running_mean, share * x.mean(dim=0))

    def test_summing_the_losses_keeps_every_graph(self):
        def kept(sum_first):
            bytes_kept, peak = 0, 0

            def pack(tensor):
                nonlocal bytes_kept, peak
                bytes_kept += tensor.nbytes
                peak = max(peak, bytes_kept)
                return tensor

            def unpack(tensor):
                nonlocal bytes_kept
                bytes_kept -= tensor.nbytes
                return tensor

            w, losses = nn.Parameter(torch.ones(8)), []
            with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
                for x in torch.randn(4, 16, 8):
                    loss = (x * w).tanh().sum()
                    losses.append(loss) if sum_first else loss.backward()
                if sum_first:
                    sum(losses).backward()
            return peak

        assert kept(True) == 4 * kept(False)

    def test_without_the_division_sgd_steps_four_times_as_far_and_adam_as_far(self):
        for make, factor in ((torch.optim.SGD, 4.0), (torch.optim.Adam, 1.0), (torch.optim.AdamW, 1.0)):
            moved = []
            for divide in (4, 1):
                w = nn.Parameter(torch.tensor([1.0, -2.0]))
                optimizer = make([w], lr=0.01)
                before = w.detach().clone()
                for _ in range(5):
                    optimizer.zero_grad()
                    for g in ((1.0, 2.0), (0.5, 1.0), (2.0, 3.0), (1.0, 1.0)):
                        ((w * torch.tensor(g)).sum() / divide).backward()
                    optimizer.step()
                moved.append(w.detach() - before)
            torch.testing.assert_close(moved[1], factor * moved[0], rtol=1e-4, atol=0)

    @pytest.mark.parametrize("scale", [4.0, 1024.0])
    @pytest.mark.parametrize("parts", [2, 5])
    def test_the_loss_of_every_micro_batch_is_scaled_and_the_rest_comes_once(self, scale, parts):
        x = torch.randn(20, 3, generator=torch.Generator().manual_seed(0))

        def trained(scaled_parts: range) -> torch.Tensor:
            w = torch.ones(3, requires_grad=True)
            optimizer = SGD([w], lr=0.1)
            scaler = torch.amp.GradScaler("cpu", init_scale=scale)
            for k, part in enumerate(x.chunk(parts)):
                loss = (part @ w).square().mean() / parts
                (scaler.scale(loss) if k in scaled_parts else loss).backward()
            scaler.unscale_(optimizer)
            clip_grad_norm_([w], 1.0)
            scaler.step(optimizer)
            scaler.update()
            return w.detach()

        w = torch.ones(3, requires_grad=True)
        (x @ w).square().mean().backward()
        clip_grad_norm_([w], 1.0)
        expected = (w - 0.1 * w.grad).detach()
        torch.testing.assert_close(trained(range(parts)), expected)
        assert (trained(range(parts - 1, parts)) - expected).abs().max() > 1e-3

    def test_clipping_after_each_micro_batch_turns_the_step(self):
        for every, expected in ((False, [0.6, 0.8]), (True, [0.2425, 0.9701])):
            w = nn.Parameter(torch.zeros(2))
            for g in ((6.0, 0.0), (0.0, 8.0)):
                ((w * torch.tensor(g)).sum() / 2).backward()
                if every:
                    clip_grad_norm_([w], 1.0)
            clip_grad_norm_([w], 1.0)
            torch.testing.assert_close(w.grad, torch.tensor(expected), atol=1e-4, rtol=0)

    def test_a_bfloat16_gradient_stops_growing_and_a_float32_one_under_autocast_does_not(self):
        for dtype, total in ((torch.bfloat16, 256.0), (torch.float32, 300.0)):
            w = nn.Parameter(torch.zeros(1, 1, dtype=dtype))
            for _ in range(300):
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=dtype == torch.float32):
                    loss = F.linear(torch.ones(1, 1, dtype=dtype), w)
                loss.sum().backward()
            assert w.grad.dtype == dtype and w.grad.item() == total


FROM_THE_PRESENT_RATE = {
    "StepLR": {"step_size": 1, "gamma": 0.5},
    "ExponentialLR": {"gamma": 0.5},
    "MultiStepLR": {"milestones": [3, 4], "gamma": 0.5},
    "LinearLR": {"start_factor": 1.0, "end_factor": 0.1, "total_iters": 9},
    "CosineAnnealingLR": {"T_max": 9},
}
FROM_THE_COUNTER = {
    "LambdaLR": {"lr_lambda": lambda step: 0.5**step},
    "OneCycleLR": {"max_lr": 1.0, "total_steps": 9},
}


def with_scheduler(name, options, rate=1.0):
    optimizer = SGD([nn.Parameter(torch.zeros(1))], lr=rate, momentum=0.9)
    return optimizer, getattr(lr_scheduler, name)(optimizer, **options)


def run(optimizer, scheduler, steps, by_hand=None):
    """The rate of each step; ``by_hand`` is written before step 2."""
    used = []
    for step in range(steps):
        if step == 2 and by_hand is not None:
            optimizer.param_groups[0]["lr"] = by_hand
        used.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return used


class TestLrSchedulers:
    @pytest.mark.parametrize("name", FROM_THE_PRESENT_RATE)
    def test_a_recursive_formula_goes_on_from_a_rate_set_by_hand(self, name):
        options = FROM_THE_PRESENT_RATE[name]
        plain = run(*with_scheduler(name, options), 6)
        edited = run(*with_scheduler(name, options), 6, by_hand=10.0)
        assert edited[3:] == pytest.approx([rate * 10.0 / plain[2] for rate in plain[3:]])

    @pytest.mark.parametrize("name", FROM_THE_COUNTER)
    def test_a_formula_of_the_counter_writes_over_it(self, name):
        options = FROM_THE_COUNTER[name]
        plain = run(*with_scheduler(name, options), 6)
        assert run(*with_scheduler(name, options), 6, by_hand=10.0)[3:] == plain[3:]

    def test_the_constructor_writes_the_first_rate(self):
        assert with_scheduler("OneCycleLR", {"max_lr": 2.0, "total_steps": 9})[0].param_groups[0][
            "lr"
        ] == pytest.approx(0.08)
        assert with_scheduler("LinearLR", {"start_factor": 0.25})[0].param_groups[0]["lr"] == 0.25
        assert with_scheduler("LambdaLR", {"lr_lambda": lambda step: 0.0})[0].param_groups[0]["lr"] == 0.0
        assert with_scheduler("StepLR", {"step_size": 9})[0].param_groups[0]["initial_lr"] == 1.0
        assert "initial_lr" not in with_scheduler("ReduceLROnPlateau", {})[0].param_groups[0]

    @pytest.mark.parametrize(("epochs", "batches"), [(3, 3), (4, 2), (2, 5)])
    def test_it_counts_calls_and_the_wrong_place_skips_the_first_rate_or_decays_per_batch(self, epochs, batches):
        per_epoch = [0.5**epoch for epoch in range(epochs + 1) for _ in range(batches)]
        assert order.used("after the epoch", epochs, batches) == per_epoch[: epochs * batches]
        assert order.used("after each batch", epochs, batches) == [0.5**i for i in range(epochs * batches)]
        with pytest.warns(UserWarning, match="before `optimizer.step") as caught:
            assert order.used("before the epoch", epochs, batches) == per_epoch[batches:]
        assert len(caught) == 1

    @pytest.mark.parametrize("name", ["StepLR", "ExponentialLR", "CosineAnnealingLR", "LinearLR"])
    def test_only_both_states_together_resume_the_rates(self, name):
        options = FROM_THE_PRESENT_RATE[name]
        expected = run(*with_scheduler(name, options), 8)[4:]
        for loaded in ("both", "scheduler", "optimizer"):
            optimizer, scheduler = with_scheduler(name, options)
            run(optimizer, scheduler, 4)
            states = optimizer.state_dict(), scheduler.state_dict()
            optimizer, scheduler = with_scheduler(name, options)
            if loaded != "scheduler":
                optimizer.load_state_dict(states[0])
            if loaded != "optimizer":
                scheduler.load_state_dict(states[1])
            found = run(optimizer, scheduler, 4)
            if loaded == "scheduler":
                assert found[0] == 1.0 and found == pytest.approx([rate / expected[0] for rate in expected])
            elif loaded == "both":
                assert found == expected
            else:
                assert found[0] == expected[0]

    @pytest.mark.parametrize(
        ("name", "overwrites"),
        [("LambdaLR", True), ("OneCycleLR", True), ("LinearLR", True), ("StepLR", False), ("CosineAnnealingLR", False)],
    )
    def test_built_after_the_optimizer_is_loaded_some_constructors_overwrite_its_rate(self, name, overwrites):
        options = {**FROM_THE_PRESENT_RATE, **FROM_THE_COUNTER, "LinearLR": {"start_factor": 0.5}}[name]
        optimizer, scheduler = with_scheduler(name, options)
        run(optimizer, scheduler, 3)
        expected = optimizer.param_groups[0]["lr"]
        for build_first in (True, False):
            fresh = SGD([nn.Parameter(torch.zeros(1))], lr=1.0, momentum=0.9)
            again = getattr(lr_scheduler, name)(fresh, **options) if build_first else None
            fresh.load_state_dict(optimizer.state_dict())
            again = again or getattr(lr_scheduler, name)(fresh, **options)
            again.load_state_dict(scheduler.state_dict())
            assert (fresh.param_groups[0]["lr"] == expected) is (build_first or not overwrites)

    def test_a_second_scheduler_keeps_the_first_initial_rate(self):
        optimizer, _ = with_scheduler("StepLR", {"step_size": 1})
        optimizer.param_groups[0]["lr"] = 0.25
        assert lr_scheduler.LambdaLR(optimizer, lambda step: 1.0).base_lrs == [1.0]
        assert optimizer.param_groups[0]["initial_lr"] == optimizer.param_groups[0]["lr"] == 1.0

    @pytest.mark.parametrize(("name", "length"), [("CosineAnnealingLR", "T_max"), ("LinearLR", "total_iters")])
    def test_a_length_in_batches_with_a_step_per_epoch_hardly_changes_the_rate(self, name, length):
        first, *_, last = run(*with_scheduler(name, {length: 1000}), 10)
        assert last == pytest.approx(first, rel=0.02)

    def test_one_cycle_overwrites_the_rates_of_the_groups_unless_it_gets_a_list(self):
        for max_lr, ratio in ((1.0, 1.0), ([1.0, 0.1], 0.1)):
            groups = [{"params": [nn.Parameter(torch.zeros(1))], "lr": lr} for lr in (1.0, 0.1)]
            optimizer = SGD(groups)
            lr_scheduler.OneCycleLR(optimizer, max_lr, total_steps=9)
            high, low = (group["lr"] for group in optimizer.param_groups)
            assert low == pytest.approx(ratio * high)

    def test_the_program_shows_that_for_the_cosine(self):
        expected = schedule_resume.used(*schedule_resume.build(), 8)[4:]
        assert schedule_resume.resumed("both") == expected
        assert schedule_resume.resumed("scheduler") == pytest.approx([2 * rate for rate in expected])
        wrong = schedule_resume.resumed("optimizer")
        assert wrong[0] == expected[0] and all(a > b for a, b in zip(wrong[1:], expected[1:], strict=True))

    def test_the_four_shapes(self):
        used = {name: shapes.rates(make) for name, make in shapes.MAKE.items()}
        assert used["StepLR"] == pytest.approx([1.0] * 20 + [0.3] * 20 + [0.09] * 20)
        assert used["CosineAnnealingLR"] == pytest.approx([(1 + math.cos(math.pi * t / 60)) / 2 for t in range(60)])
        warmup = [0.1 + 0.09 * t for t in range(10)]
        cosine = [(1 + math.cos(math.pi * t / 50)) / 2 for t in range(50)]
        assert used["SequentialLR"] == pytest.approx(warmup + cosine)
        highest = used["OneCycleLR"].index(max(used["OneCycleLR"]))
        assert used["OneCycleLR"][0] == pytest.approx(0.04) and highest in (17, 18)
        assert used["OneCycleLR"][-1] < 1e-4

    def test_what_happens_after_the_end(self):
        cosine = run(*with_scheduler("CosineAnnealingLR", {"T_max": 4}), 9)
        assert cosine[4] == pytest.approx(0.0) and cosine[8] == pytest.approx(1.0)
        linear = run(*with_scheduler("LinearLR", {"start_factor": 0.5, "total_iters": 4}), 9)
        assert linear[4:] == [1.0] * 5
        step = run(*with_scheduler("StepLR", {"step_size": 2}), 9)
        assert step[8] < step[6] < step[4]
        optimizer, scheduler = with_scheduler("OneCycleLR", {"max_lr": 1.0, "total_steps": 4})
        run(optimizer, scheduler, 4)
        with pytest.raises(ValueError, match="Tried to step"):
            scheduler.step()

    def test_the_scheduler_goes_on_when_the_scaler_skips(self):
        optimizer, scheduler = with_scheduler("StepLR", {"step_size": 1, "gamma": 0.5})
        scaler, w = torch.amp.GradScaler("cpu"), optimizer.param_groups[0]["params"][0]
        for factor, rate, falls in ((1.0, 0.5, False), (torch.inf, 0.25, True), (1.0, 0.125, False)):
            optimizer.zero_grad()
            scaler.scale((w * factor).sum()).backward()
            before = scaler.get_scale()
            scaler.step(optimizer)
            scaler.update()
            scheduler.step()
            assert scheduler.get_last_lr() == [rate] and (scaler.get_scale() < before) is falls

    def test_the_plateau_needs_the_mode_of_its_metric(self):
        for mode, rate in (("min", 0.1), ("max", 1.0)):
            optimizer, scheduler = with_scheduler("ReduceLROnPlateau", {"mode": mode, "patience": 2, "factor": 0.1})
            for accuracy in (0.5, 0.6, 0.7):
                scheduler.step(accuracy)
                assert optimizer.param_groups[0]["lr"] == 1.0
            scheduler.step(0.8)
            assert optimizer.param_groups[0]["lr"] == pytest.approx(rate)
        with pytest.raises(TypeError):
            scheduler.step()

    def test_one_cycle_moves_the_momentum_too(self):
        for make, key in ((SGD, "momentum"), (torch.optim.AdamW, "betas")):
            optimizer = make([nn.Parameter(torch.zeros(1))], lr=1.0)
            scheduler = lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=11)
            seen = []
            for _ in range(10):
                value = optimizer.param_groups[0][key]
                seen.append(value if key == "momentum" else value[0])
                optimizer.step()
                scheduler.step()
            assert min(seen) == pytest.approx(0.85, abs=0.02) and max(seen) == pytest.approx(0.95)
        quiet = SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
        lr_scheduler.OneCycleLR(quiet, 1.0, total_steps=11, cycle_momentum=False)
        assert quiet.param_groups[0]["momentum"] == 0

    def test_get_last_lr_is_what_the_scheduler_wrote_last(self):
        optimizer, scheduler = with_scheduler("StepLR", {"step_size": 1, "gamma": 0.5})
        run(optimizer, scheduler, 1)
        optimizer.param_groups[0]["lr"] = 7.0
        assert scheduler.get_last_lr() == [0.5]
        other, loaded = with_scheduler("CosineAnnealingLR", {"T_max": 9})
        run(other, loaded, 3)
        fresh, again = with_scheduler("CosineAnnealingLR", {"T_max": 9})
        again.load_state_dict(loaded.state_dict())
        assert again.get_last_lr() == loaded.get_last_lr() != [fresh.param_groups[0]["lr"]]

    def test_groups_keep_their_ratio_and_get_lr_warns(self):
        groups = [{"params": [nn.Parameter(torch.zeros(1))], "lr": lr} for lr in (1.0, 0.1)]
        optimizer = SGD(groups)
        scheduler = lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
        for _ in range(5):
            optimizer.step()
            scheduler.step()
            high, low = scheduler.get_last_lr()
            assert [group["lr"] for group in optimizer.param_groups] == [high, low]
            assert low == pytest.approx(high / 10)
        with pytest.warns(UserWarning, match="get_last_lr"):
            scheduler.get_lr()
        scheduler = lr_scheduler.LambdaLR(SGD(groups), [lambda step: 1.0, lambda step: 0.5**step])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scheduler.step()
        assert scheduler.get_last_lr()[0] > scheduler.get_last_lr()[1]


def warmed(warmup, total, min_lr, bases=(1.0,), make=SGD):
    """An optimizer with a group for each base rate, and its schedule."""
    optimizer = make([{"params": [nn.Parameter(torch.ones(1))], "lr": base} for base in bases])
    return optimizer, warmup_cosine(optimizer, warmup, total, min_lr)


def group_rates(optimizer, scheduler, steps):
    found = []
    for _ in range(steps):
        found.append([group["lr"] for group in optimizer.param_groups])
        optimizer.step()
        scheduler.step()
    return found


class TestWarmupCosine:
    @pytest.mark.parametrize("bases", [(1.0,), (3e-4, 1e-2)])
    @pytest.mark.parametrize("min_lr", [0.0, 1e-6, 3e-4])
    @pytest.mark.parametrize(("warmup", "total"), [(0, 2), (0, 50), (1, 3), (5, 7), (20, 100)])
    def test_first_peak_last_and_beyond(self, bases, min_lr, warmup, total):
        rows = group_rates(*warmed(warmup, total, min_lr, bases), total + 30)
        for base, rates in zip(bases, zip(*rows, strict=True), strict=True):
            assert rates[0] == pytest.approx(base / (warmup + 1)) and rates[0] > 0
            assert rates[warmup] == pytest.approx(base) and max(rates) == pytest.approx(base)
            assert rates[total - 1 :] == pytest.approx([min_lr] * 31, abs=1e-15)
            rises = [after - before for before, after in zip(rates, rates[1:], strict=False)]
            assert rises[:warmup] == pytest.approx([base / (warmup + 1)] * warmup)
            assert all(rise <= 1e-15 for rise in rises[warmup:])
            assert sum(rates[warmup:total]) == pytest.approx((total - warmup) * (base + min_lr) / 2)

    @pytest.mark.parametrize(
        ("warmup", "total", "min_lr"), [(-1, 9, 0.0), (8, 9, 0.0), (9, 9, 0.0), (0, 1, 0.0), (2, 9, 1.1), (2, 9, -0.1)]
    )
    def test_numbers_that_do_not_fit_raise(self, warmup, total, min_lr):
        with pytest.raises(ValueError, match="must be at least 0") as error:
            warmed(warmup, total, min_lr)
        assert (f"below {total - 1}" in str(error.value)) is not (0 <= warmup < total - 1)

    def test_without_a_minimum_it_ends_at_zero(self):
        optimizer = SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        assert group_rates(optimizer, warmup_cosine(optimizer, 2, 9), 12)[8:] == [[0.0]] * 4

    def test_a_group_with_rate_zero_raises(self):
        with pytest.raises(ValueError, match="> 0"):
            warmed(2, 9, 0.0, (1.0, 0.0))

    @pytest.mark.parametrize("stop", [1, 3, 8, 20])
    def test_built_anew_and_loaded_it_goes_on_as_if_not_stopped(self, stop):
        expected = group_rates(*warmed(4, 16, 0.01, (1.0, 0.1)), 25)
        optimizer, scheduler = warmed(4, 16, 0.01, (1.0, 0.1))
        group_rates(optimizer, scheduler, stop)
        states = optimizer.state_dict(), scheduler.state_dict()
        optimizer, scheduler = warmed(4, 16, 0.01, (1.0, 0.1))
        optimizer.load_state_dict(states[0])
        scheduler.load_state_dict(states[1])
        assert group_rates(optimizer, scheduler, 25 - stop) == expected[stop:]

    def test_built_after_the_optimizer_is_loaded_it_starts_with_the_rate_of_step_0(self):
        optimizer, scheduler = warmed(4, 16, 0.01)
        group_rates(optimizer, scheduler, 8)
        states = optimizer.state_dict(), scheduler.state_dict()
        optimizer = SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        optimizer.load_state_dict(states[0])
        scheduler = warmup_cosine(optimizer, 4, 16, 0.01)
        scheduler.load_state_dict(states[1])
        assert group_rates(optimizer, scheduler, 1) == [[0.2]]

    def test_a_longer_total_makes_the_rate_jump(self):
        optimizer, scheduler = warmed(50, 1000, 1e-3)
        for total, first, second in ((1000, 0.001, 0.001), (2000, 0.001, 0.5194)):
            group_rates(optimizer, scheduler, 1000 if total == 1000 else 0)
            other, again = warmed(50, total, 1e-3)
            other.load_state_dict(optimizer.state_dict())
            again.load_state_dict(scheduler.state_dict())
            assert group_rates(other, again, 2) == [[pytest.approx(first)], [pytest.approx(second, abs=1e-4)]]

    def test_the_broken_version_starts_at_zero_takes_the_minimum_as_a_factor_and_rises_again(self):
        broken, mended = warmup_broken.broken, warmup_broken.mended
        base, total, warmup = warmup_broken.BASE, warmup_broken.TOTAL, warmup_broken.WARMUP
        assert broken(0) == 0 and base * broken(total) == pytest.approx(3e-10)
        assert broken(total + 200) > 1000 * broken(total)
        assert broken(2 * total - warmup) == pytest.approx(1.0)
        optimizer, scheduler = warmed(warmup, total, warmup_broken.MIN_LR, (base,))
        for step, (rate,) in enumerate(group_rates(optimizer, scheduler, total + 200)):
            assert rate == pytest.approx(base * mended(step))

    @pytest.mark.parametrize(("warmup", "total"), [(10, 100), (4, 30)])
    def test_the_librarys_parts_agree_until_the_last_step_and_then_rise(self, warmup, total):
        parts = warmup_sequential.rates(1 / (warmup + 1), total - 1 - warmup, warmup, total + 20)
        own = [rate for (rate,) in group_rates(*warmed(warmup, total, 0.1), total + 20)]
        assert parts[:total] == pytest.approx(own[:total])
        assert parts[-1] > 1.5 * own[-1]
        late = warmup_sequential.rates(1 / (warmup + 1), total, warmup, total)
        assert late[-1] > 1.2 * own[total - 1]
        assert warmup_sequential.rates(1 / 3, total - 1 - warmup, warmup)[0] == pytest.approx(1 / 3)

    def test_a_step_with_rate_zero_fills_adams_means_and_moves_nothing(self):
        w = nn.Parameter(torch.ones(2))
        optimizer = torch.optim.AdamW([w], lr=0.0)
        (3 * w).sum().backward()
        optimizer.step()
        assert torch.equal(w, torch.ones(2)) and (optimizer.state[w]["exp_avg"] > 0).all()

    def test_the_warmup_of_one_cycle_is_half_a_cosine(self):
        optimizer, scheduler = with_scheduler("OneCycleLR", {"max_lr": 1.0, "total_steps": 101, "pct_start": 0.2})
        rates = run(optimizer, scheduler, 20)
        middle, start = rates[10] - rates[9], rates[1] - rates[0]
        assert middle > 5 * start


@pytest.fixture
def checked_sparse_tensors():
    with torch.sparse.check_sparse_tensor_invariants():
        yield


def trained_table(make, sparse, ids, **options):
    """Weights of a table of 20 rows after one step for each row of ``ids``."""
    torch.manual_seed(0)
    table, target = nn.Embedding(20, 3, sparse=sparse).double(), torch.randn(20, 3).double()
    optimizer = make(table.parameters(), **options)
    for rows in ids:
        optimizer.zero_grad()
        ((table(rows) - target[rows]) ** 2).mean().backward()
        optimizer.step()
    return table.weight.detach()


@pytest.mark.usefixtures("checked_sparse_tensors")
class TestSparseGradients:
    @pytest.mark.parametrize("make", [nn.Embedding, nn.EmbeddingBag])
    @pytest.mark.parametrize(("rows", "lookups"), [(1000, 5), (1000, 5000)])
    def test_the_gradient_has_one_entry_for_each_lookup_and_the_weight_stays_dense(self, make, rows, lookups):
        table = make(rows, 4, sparse=True)
        ids = torch.randint(rows, (1, lookups))
        table(ids).sum().backward()
        gradient = table.weight.grad
        assert gradient.layout == torch.sparse_coo and table.weight.layout == torch.strided
        assert gradient._nnz() == lookups and gradient.coalesce()._nnz() == ids.unique().numel()
        stored = gradient._indices().nbytes + gradient._values().nbytes
        assert (stored > table.weight.nbytes) is (lookups > rows)

    @pytest.mark.parametrize("padding", [0, 2])
    def test_lookups_of_the_padding_row_have_no_entry(self, padding):
        table = nn.Embedding(6, 2, padding_idx=padding, sparse=True)
        table(torch.tensor([padding, 4, padding, 4, 1])).sum().backward()
        assert sorted(table.weight.grad._indices()[0].tolist()) == [1, 4, 4]

    def test_exactly_these_optimizers_accept_it(self):
        accepting = [name for name in sparse_optimizers.OPTIMIZERS if sparse_optimizers.accepts(name)]
        assert accepting == ["SGD", "SparseAdam", "Adagrad", "LBFGS"]
        known = [name for name, value in vars(torch.optim).items() if isinstance(value, type)]
        assert {*sparse_optimizers.OPTIMIZERS} | {"Optimizer"} == {*known}
        assert sparse_optimizers.accepts("SGD", momentum=0.9, nesterov=True)
        for name in ("SGD", "Adagrad"):
            for option in ({"weight_decay": 0.1}, {"fused": True}):
                assert not sparse_optimizers.accepts(name, **option)

    @pytest.mark.parametrize(
        ("make", "options"),
        [
            (SGD, {"lr": 0.5}),
            (SGD, {"lr": 0.5, "momentum": 0.9}),
            (SGD, {"lr": 0.5, "momentum": 0.9, "nesterov": True}),
            (torch.optim.Adagrad, {"lr": 0.1}),
        ],
    )
    def test_sgd_and_adagrad_train_the_same_weights_as_with_a_dense_gradient(self, make, options):
        ids = torch.randint(20, (60, 4), generator=torch.Generator().manual_seed(1))
        trained = [trained_table(make, sparse, ids, **options) for sparse in (True, False)]
        torch.testing.assert_close(*trained)

    def test_sparse_adam_is_adam_if_every_row_is_in_each_batch_and_another_rule_if_not(self):
        generator = torch.Generator().manual_seed(1)
        for ids, same in (
            (torch.arange(20).repeat(60, 1), True),
            (torch.randint(20, (60, 4), generator=generator), False),
        ):
            lazy = trained_table(torch.optim.SparseAdam, True, ids, lr=0.01, eps=1e-12)
            dense = trained_table(torch.optim.Adam, False, ids, lr=0.01, eps=1e-12)
            assert ((lazy - dense).abs().max().item() < 1e-5) is same

    @pytest.mark.parametrize("touched", [[10, 50], [0], [3, 4, 30]])
    def test_sparse_adam_moves_a_row_only_in_its_own_steps_and_adam_goes_on(self, touched):
        lazy = sparse_lazy.positions(torch.optim.SparseAdam, touched)
        dense = sparse_lazy.positions(torch.optim.Adam, touched)
        moved = [step for step in range(120) if lazy[step] != ([0.0, *lazy])[step]]
        assert moved == touched
        assert lazy[touched[0]] == pytest.approx(dense[touched[0]], rel=1e-6)
        assert dense[-1] > 3 * lazy[-1]

    def test_a_late_first_step_is_3_2_times_the_rate_and_adams_tail_ten_times_as_much(self):
        expected = 0.1 / 0.001**0.5
        for make, total in ((torch.optim.SparseAdam, expected), (torch.optim.Adam, 10 * expected)):
            table = nn.Parameter(torch.zeros(2, 1, dtype=torch.float64))
            optimizer, first = make([table], lr=1.0), None
            for rows in ([1], [0, 1], *[[1]] * 80):
                gradient = torch.sparse_coo_tensor([rows], -torch.ones(len(rows), 1, dtype=torch.float64), (2, 1))
                table.grad = gradient if make is torch.optim.SparseAdam else gradient.to_dense()
                optimizer.step()
                if first is None:  # as after 5000 steps with the other row
                    optimizer.state[table]["step"] += 4999
                    first = 0.0
                first = first or table[0].item()
            assert first == pytest.approx(expected, rel=0.01)
            assert table[0].item() == pytest.approx(total, rel=0.02)

    def test_the_state_of_sparse_adam_is_dense(self):
        table = nn.Embedding(6, 2, sparse=True)
        optimizer = torch.optim.SparseAdam(table.parameters())
        table(torch.tensor([1])).sum().backward()
        optimizer.step()
        for name in ("exp_avg", "exp_avg_sq"):
            mean = optimizer.state[table.weight][name]
            assert mean.layout == torch.strided and mean.shape == (6, 2)

    def test_a_tied_table_and_a_dense_penalty_make_the_gradient_dense_and_a_penalty_on_rows_does_not(self):
        for loss, layout in (
            (lambda table: (table(torch.tensor([1])) @ table.weight.T).sum(), torch.strided),
            (lambda table: table(torch.tensor([1])).sum() + table.weight.pow(2).sum(), torch.strided),
            (lambda table: table(torch.tensor([1])).pow(2).sum(), torch.sparse_coo),
        ):
            table = nn.Embedding(6, 2, sparse=True)
            loss(table).backward()
            assert table.weight.grad.layout == layout
            if layout == torch.strided:
                with pytest.raises(RuntimeError, match="does not support dense gradients"):
                    torch.optim.SparseAdam(table.parameters()).step()

    @pytest.mark.parametrize(("rows", "lookups", "steps"), [(100, 8, 300), (50, 20, 80)])
    def test_the_momentum_buffer_grows_unless_each_gradient_is_coalesced(self, rows, lookups, steps):
        for clip in (False, True):
            torch.manual_seed(0)
            table, entries = nn.Embedding(rows, 4, sparse=True), []
            optimizer = SGD(table.parameters(), lr=0.01, momentum=0.9)
            for _ in range(steps):
                optimizer.zero_grad()
                table(torch.randint(rows, (lookups,))).sum().backward()
                if clip:
                    sparse_clip(table.parameters(), 100.0)
                optimizer.step()
                entries.append(optimizer.state[table.weight]["momentum_buffer"]._nnz())
            assert entries[-1] == rows if clip else entries[-1] > 1.5 * entries[steps // 2] > 10 * rows
            if (rows, clip) == (100, False):
                assert 1500 < entries[-1] < 1700

    @pytest.mark.parametrize("make", [SGD, torch.optim.Adagrad])
    def test_plain_sgd_and_adagrad_take_both_kinds(self, make):
        table, linear = nn.Embedding(6, 2, sparse=True), nn.Linear(2, 1)
        parameters = [*table.parameters(), *linear.parameters()]
        before = [parameter.clone() for parameter in parameters]
        linear(table(torch.tensor([1, 4, 1]))).sum().backward()
        make(parameters, lr=0.1).step()
        assert not any(torch.equal(a, b) for a, b in zip(before, parameters, strict=True))

    @pytest.mark.parametrize("lr", [0.01, 0.05])
    def test_a_penalty_on_looked_up_rows_shrinks_a_row_at_each_of_its_lookups(self, lr):
        table = nn.Embedding(3, 1, sparse=True).double()
        nn.init.ones_(table.weight)
        optimizer = SGD(table.parameters(), lr=lr)
        for step in range(40):
            optimizer.zero_grad()
            table(torch.tensor([0, 1] if step % 4 == 0 else [0])).pow(2).sum().backward()
            optimizer.step()
        expected = torch.tensor([[(1 - 2 * lr) ** 40], [(1 - 2 * lr) ** 10], [1.0]], dtype=torch.float64)
        torch.testing.assert_close(table.weight.detach(), expected)

    def test_a_bag_of_maxima_has_no_sparse_gradient(self):
        for mode in ("sum", "mean"):
            bag = nn.EmbeddingBag(6, 2, sparse=True, mode=mode)
            bag(torch.tensor([[1, 4, 1]])).sum().backward()
            assert bag.weight.grad.layout == torch.sparse_coo
        with pytest.raises(ValueError, match="does not support sparse"):
            nn.EmbeddingBag(6, 2, sparse=True, mode="max")(torch.tensor([[1, 4, 1]]))

    @pytest.mark.parametrize("max_norm", [0.0, 0.5, 100.0])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_the_common_clipping_agrees_with_the_librarys_on_dense_gradients(self, max_norm, dtype):
        found = []
        for sparse, clip in ((True, sparse_clip), (False, sparse_clip), (False, clip_grad_norm_)):
            torch.manual_seed(0)
            table, linear, unused = nn.Embedding(6, 2, sparse=sparse, dtype=dtype), nn.Linear(2, 1), nn.Linear(1, 1)
            linear.to(dtype)
            linear(table(torch.tensor([1, 4, 1, 1]))).sum().backward()
            parameters = [*table.parameters(), *linear.parameters(), *unused.parameters()]
            norm = clip((parameter for parameter in parameters), max_norm)
            gradient = table.weight.grad
            found.append((norm, gradient.to_dense() if sparse else gradient, linear.weight.grad))
        for other in found[1:]:
            torch.testing.assert_close(found[0], other)

    def test_without_coalescing_the_norm_is_too_small_and_without_gradients_it_is_0(self):
        table = nn.Embedding(6, 2, sparse=True)
        table(torch.tensor([1, 4, 1])).sum().backward()
        parts = table.weight.grad._values().norm()
        assert sparse_clip(table.parameters(), 100.0) == pytest.approx(10**0.5) and parts == pytest.approx(6**0.5)
        assert sparse_clip(nn.Linear(2, 2).parameters(), 1.0) == 0

    def test_the_common_clipping_has_the_librarys_small_constant(self):
        found = []
        for clip in (sparse_clip, clip_grad_norm_):
            w = nn.Parameter(torch.zeros(1))
            w.grad = torch.full((1,), 2e-6)
            clip([w], 1e-6)
            found.append(w.grad)
        torch.testing.assert_close(*found, rtol=1e-4, atol=0)
