"""What docs/mid/optimization/custom-optimizer.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

lion = load_snippet("mid/optimization/custom_optimizer_lion.py")
floor = load_snippet("mid/optimization/custom_optimizer_floor.py")
momentum = load_snippet("mid/optimization/custom_optimizer.py")
broken = load_snippet("mid/optimization/custom_optimizer_resume_broken.py")


def streams(steps: int = 100, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Gradients for a parameter of shape (3, 4) over some steps."""
    return torch.randn(steps, 3, 4, dtype=dtype, generator=torch.Generator().manual_seed(1))


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

    @pytest.mark.parametrize("beta", [0.9, 0.5])
    def test_the_class_is_the_librarys_sgd_with_momentum_and_resumes(self, beta):
        ours, theirs, unused = torch.ones(3, 4), torch.ones(3, 4), torch.ones(2)
        for w in (ours, theirs, unused):
            w.requires_grad_()
        groups = [{"params": [ours]}, {"params": [unused], "lr": 1.0}]
        optimizer = momentum.Momentum(groups, lr=0.05, momentum=beta)
        library = torch.optim.SGD([theirs], lr=0.05, momentum=beta)
        for step, gradient in enumerate(streams(60)):
            if step == 20:
                saved = optimizer.state_dict()
                optimizer = momentum.Momentum(groups, lr=0.05, momentum=beta)
                optimizer.load_state_dict(saved)
            ours.grad, theirs.grad = gradient.clone(), gradient.clone()
            optimizer.step()
            library.step()
        torch.testing.assert_close(ours, theirs)
        assert torch.equal(unused, torch.ones(2)) and unused not in optimizer.state

    @pytest.mark.parametrize("at", [3, 8])
    def test_what_is_not_in_state_is_lost_on_a_resume(self, at):
        def ends(resumed: bool) -> float:
            w = torch.ones(1, requires_grad=True)
            optimizer = broken.Momentum([w])
            for step in range(12):
                if resumed and step == at:
                    saved, optimizer = optimizer.state_dict(), broken.Momentum([w])
                    assert saved["state"] == {}
                    optimizer.load_state_dict(saved)
                w.grad = w.detach().clone()
                optimizer.step()
            return w.item()

        assert abs(ends(True) - ends(False)) > 0.01

    def test_a_tensor_that_is_handed_over_twice_is_updated_twice(self):
        w = torch.ones(1, requires_grad=True)
        with pytest.warns(UserWarning, match="duplicate parameters"):
            optimizer = momentum.Momentum([w, w], lr=0.1, momentum=0.0)
        w.grad = torch.ones(1)
        optimizer.step()
        assert w.item() == pytest.approx(0.8)

    def test_loading_casts_integer_state_too_unless_its_key_is_step(self):
        for dtype in (torch.bfloat16, torch.float32):
            w = torch.ones(2, dtype=dtype, requires_grad=True)
            optimizer = torch.optim.SGD([w], lr=0.1)
            for key in ("step", "mask", "momentum"):
                optimizer.state[w][key] = torch.ones(2, dtype=torch.int64 if key != "momentum" else torch.float64)
            optimizer.load_state_dict(optimizer.state_dict())
            found = {key: value.dtype for key, value in optimizer.state[w].items()}
            assert found == {"step": torch.int64, "mask": dtype, "momentum": dtype}

    def test_lerp_takes_no_sparse_gradient(self):
        gradient = torch.sparse_coo_tensor([[1]], [[1.0, 1.0]], (3, 2), check_invariants=True)
        with pytest.raises(NotImplementedError, match="lerp"):
            torch.zeros(3, 2).lerp(gradient, 0.1)

    def test_a_rebound_name_trains_nothing(self):
        w = torch.ones(2, requires_grad=True)
        w.grad = torch.ones(2)
        with torch.no_grad():
            for p in [w]:
                p = p - 0.1 * p.grad
        assert torch.equal(w, torch.ones(2))
