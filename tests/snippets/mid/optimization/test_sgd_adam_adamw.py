"""What docs/mid/optimization/sgd-adam-adamw.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

momentum = load_snippet("mid/optimization/sgd_adam_adamw_momentum.py")
strength = load_snippet("mid/optimization/sgd_adam_adamw_strength.py")
compared = load_snippet("mid/optimization/sgd_adam_adamw_tuned.py")


def streams(steps: int = 100, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Gradients for a parameter of shape (3, 4) over some steps."""
    return torch.randn(steps, 3, 4, dtype=dtype, generator=torch.Generator().manual_seed(1))


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

    @pytest.mark.parametrize(("gradient", "decay"), [(0.01, 0.5), (0.003, 0.1)])
    def test_where_the_l2_term_is_larger_than_the_gradient_it_decides(self, gradient, decay):
        w = torch.ones(1, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([w], lr=0.01, weight_decay=decay)
        for _ in range(3000):
            w.grad = torch.full_like(w, gradient)
            optimizer.step()
        assert w.item() == pytest.approx(-gradient / decay, rel=0.05)

    @pytest.mark.parametrize("mu", [0.5, 0.9])
    def test_momentum_amplifies_the_decay(self, mu):
        w = torch.ones(1, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=1e-4, momentum=mu, weight_decay=0.1)
        for _ in range(500):
            before = w.item()
            w.grad = torch.zeros_like(w)
            optimizer.step()
        assert (before - w.item()) / before == pytest.approx(1e-5 / (1 - mu), rel=0.01)

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

    @pytest.mark.parametrize("beta", [0.9, 0.5])
    @pytest.mark.parametrize("size", [1.0, 1e-3])
    def test_under_pure_noise_adams_step_is_much_shorter_than_its_rate(self, beta, size):
        weights = torch.zeros(2000, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.Adam([weights], lr=0.1, betas=(beta, 0.999), eps=0)
        generator = torch.Generator().manual_seed(2)
        for _ in range(100):
            before = weights.detach().clone()
            weights.grad = size * (2.0 * torch.randint(2, (2000,), generator=generator) - 1).double()
            optimizer.step()
        step = (weights.detach() - before).square().mean().sqrt().item() / 0.1
        assert step == pytest.approx(((1 - beta) / (1 + beta)) ** 0.5, rel=0.05)
