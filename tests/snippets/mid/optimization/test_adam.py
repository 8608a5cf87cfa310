"""What docs/mid/optimization/adam.md claims, proven beyond the example shown."""

import math

import pytest
import torch
from torch import nn
from torch.optim import SGD

from warmup.testing import load_snippet

adam = load_snippet("mid/optimization/adam_class.py")
adam_streams = load_snippet("mid/optimization/adam_streams.py")
adam_first_gradient = load_snippet("mid/optimization/adam_first_gradient.py")
adam_scale = load_snippet("mid/optimization/adam_scale_broken.py")


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

    def test_noise_makes_a_weight_wander_and_alternation_holds_it(self):
        for seed in range(5):
            noise = torch.randn(100, 200, generator=torch.Generator().manual_seed(seed))
            distance = adam_streams.travel(noise)[-1].abs()
            assert 3 < distance.median() < 15 and distance.max() < 60
            assert adam_streams.travel(noise + 3)[-1].min() > 80
        assert adam_streams.travel(((-1.0) ** torch.arange(300))[:, None]).abs().max() < 3

    def test_a_factor_on_the_loss_cancels_unless_eps_or_an_l2_term_counts(self):
        plain = adam_scale.trained(1.0)
        for scale in (1e6, 1e-2):
            assert (adam_scale.trained(scale) - plain).abs().max() < 1e-4
        assert (adam_scale.trained(1e-10) - plain).abs().max() > 0.1
        assert (adam_scale.trained(1e-10, eps=1e-20) - plain).abs().max() < 1e-4
        decayed = adam_scale.trained(1.0, weight_decay=0.1)
        assert (adam_scale.trained(1e-3, weight_decay=0.1) - decayed).abs().max() > 0.1
        adamw = adam_scale.trained(1.0, torch.optim.AdamW, weight_decay=0.1)
        small = adam_scale.trained(1e-3, torch.optim.AdamW, weight_decay=0.1)
        torch.testing.assert_close(small, adamw, rtol=1e-4, atol=0)

    def test_a_weight_with_large_gradients_is_hardly_decayed_by_adam(self):
        def shrunk(kind: type, size: float) -> float:
            torch.manual_seed(0)
            w = torch.ones(64, dtype=torch.float64, requires_grad=True)
            optimizer = kind([w], lr=0.01, weight_decay=0.1)
            for _ in range(100):
                w.grad = size * torch.randn(64, dtype=torch.float64)
                optimizer.step()
            return 1 - w.mean().item()

        small, large = (shrunk(torch.optim.Adam, size) - shrunk(torch.optim.AdamW, size) for size in (0.01, 100.0))
        assert small > 0.1  # the decay is all that agrees from step to step
        assert abs(shrunk(torch.optim.AdamW, 0.01) - shrunk(torch.optim.AdamW, 100.0)) < 1e-6
        assert large < -0.05

    def test_clipping_makes_the_size_of_the_loss_count(self):
        def trained(scale: float, clip: bool) -> torch.Tensor:
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)).double()
            optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
            for x in torch.randn(100, 32, 4, dtype=torch.float64):
                optimizer.zero_grad()
                (scale * (model(x).squeeze(1) - x[:, 0] * x[:, 1]).square().mean()).backward()
                if clip:
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            return torch.cat([p.detach().flatten() for p in model.parameters()])

        for scale in (1e3, 1e-3):
            assert (trained(scale, clip=True) - trained(1.0, clip=True)).abs().max() > 0.05
        assert (trained(1e3, clip=False) - trained(1.0, clip=False)).abs().max() < 1e-3

    @pytest.mark.parametrize(("growth", "step_at_50"), [(1.05, 1.52), (0.95, 0.31)])
    def test_a_gradient_that_grows_or_shrinks_makes_other_steps_than_one_rate(self, growth, step_at_50):
        distance = adam_streams.travel(growth ** torch.arange(60.0)[:, None])[:, 0]
        assert distance[51] - distance[50] == pytest.approx(step_at_50, abs=0.01)

    @pytest.mark.parametrize("size", [1000.0, 1.0, 0.001])
    def test_a_short_step_on_a_bfloat16_weight_is_rounded_away(self, size):
        w = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)
        optimizer = torch.optim.Adam([w], lr=1e-3)
        for _ in range(100):
            w.grad = torch.full((3,), size, dtype=torch.bfloat16)
            optimizer.step()
        assert torch.equal(w, torch.ones(3, dtype=torch.bfloat16))
        assert (1 - torch.nextafter(w[0], torch.zeros_like(w[0])).item()) / 2 > 1e-3

    @pytest.mark.parametrize("spike", [1e3, 1e5])
    def test_after_a_spike_the_steps_are_short_until_the_second_mean_has_forgotten_it(self, spike):
        def recovered(beta2: float) -> int:
            w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
            optimizer = torch.optim.Adam([w], lr=1.0, betas=(0.9, beta2))
            for step in range(40_000):
                before = w.item()
                w.grad = torch.full_like(w, spike if step == 100 else 1.0)
                optimizer.step()
                if step > 300 and abs(before - w.item()) > 0.5:
                    return step - 100
            raise AssertionError(beta2)

        slow = recovered(0.999)
        assert slow > 5000

        w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([w], lr=1.0, betas=(0.9, 0.95))
        moves = []
        for step in range(600):
            before = w.item()
            w.grad = torch.full_like(w, spike if step == 100 else 1.0)
            optimizer.step()
            moves.append(before - w.item())
        fast = next(i for i in range(150, 600) if moves[i] > 0.5) - 100
        assert 30 < slow / fast < 70

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
