"""What docs/senior/mixed-precision/grad-scaler.md claims, proven beyond the example shown."""

import warnings

import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader

from warmup.testing import load_snippet

grad_scaler = load_snippet("senior/mixed-precision/grad_scaler_range.py")
mixed = load_snippet("senior/mixed-precision/grad_scaler_step.py")
clip = load_snippet("senior/mixed-precision/grad_scaler_clip_broken.py")


def scaler(**options):
    return torch.amp.GradScaler("cpu", **options)


def train_step(model, optimizer, loss_scaler, x):
    """A step on the sum of the outputs, with the scaler of the caller."""
    training = mixed.MixedPrecision(model, lambda model, x: model(x).float().sum(), optimizer)
    training.scaler = loss_scaler
    return training.step(x)


def linear_setup(**options):
    model = nn.Linear(4, 1)
    return model, torch.optim.Adam(model.parameters(), lr=0.01), scaler(**options), torch.ones(1, 4)


def digits(dtype, seed=0, steps=60, rate=0.5, **options):
    """A network of other layers, trained on scans of digits in dicts; loss and weights after each step."""
    pixels, labels = load_digits(return_X_y=True)
    data = [{"x": torch.tensor(x / 16).float(), "y": int(y)} for x, y in zip(pixels[:512], labels, strict=False)]
    torch.manual_seed(seed)
    model = nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, 8, 3), nn.GELU(), nn.Flatten(), nn.LayerNorm(288), nn.Linear(288, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.99)

    def loss(model, batch):
        return nn.functional.cross_entropy(model(batch["x"]), batch["y"])

    training = mixed.MixedPrecision(model, loss, optimizer, schedule, dtype, **options)
    losses, batches = [], iter(())
    loader = DataLoader(data, 64, shuffle=True, generator=torch.Generator().manual_seed(1))
    while len(losses) < steps:
        for batch in batches:
            training.step(batch)
            losses.append(training.loss.item())
        batches = loader
    return training, losses


class TestMixedPrecision:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
    def test_digits_are_learned_in_each_dtype_and_scheduler_and_optimizer_stay_together(self, dtype):
        training, losses = digits(dtype, max_norm=1.0, **({"init_scale": 2.0**24} if dtype == torch.float16 else {}))
        assert losses[0] > 2.0 and losses[-1] < 0.5
        assert (training.skipped > 0) is (dtype == torch.float16)
        assert training.steps + training.skipped == len(losses)
        assert training.scheduler.last_epoch == training.steps
        assert {parameter.dtype for parameter in training.model.parameters()} == {torch.float32}

    @pytest.mark.parametrize("max_norm", [None, 0.01, 1e9])
    def test_in_float32_it_is_a_plain_loop(self, max_norm):
        training, _ = digits(torch.float32, steps=8, max_norm=max_norm)
        assert not training.scaler.is_enabled() and training.skipped == 0
        other, _ = digits(torch.float32, steps=0)
        pixels, labels = load_digits(return_X_y=True)
        pairs = [(torch.tensor(x / 16).float(), int(y)) for x, y in zip(pixels[:512], labels, strict=False)]
        for x, y in DataLoader(pairs, 64, shuffle=True, generator=torch.Generator().manual_seed(1)):
            other.optimizer.zero_grad()
            nn.functional.cross_entropy(other.model(x), y).backward()
            if max_norm is not None:
                nn.utils.clip_grad_norm_(other.model.parameters(), max_norm)
            other.optimizer.step()
            other.scheduler.step()
        for mine, plain in zip(training.model.parameters(), other.model.parameters(), strict=True):
            assert torch.equal(mine, plain)

    @pytest.mark.parametrize(("dtype", "used"), [(torch.float16, torch.float16), (torch.bfloat16, torch.bfloat16)])
    def test_the_model_and_the_loss_run_under_autocast(self, dtype, used):
        seen = []

        def loss(model, x):
            seen.extend([model(x).dtype, torch.is_autocast_enabled("cpu")])
            return (x @ model.weight.T).sum()

        model = nn.Linear(3, 1)
        mixed.MixedPrecision(model, loss, torch.optim.SGD(model.parameters()), dtype=dtype).step(torch.ones(2, 3))
        assert seen == [used, True]

    @pytest.mark.parametrize("max_norm", [0.5, 2.0])
    @pytest.mark.parametrize("scale", [2.0, 2.0**12])
    def test_it_clips_the_unscaled_norm_of_what_the_optimizer_holds(self, max_norm, scale):
        model = nn.Linear(2, 1)
        model.bias.grad = torch.full((1,), 1e6)  # of another optimizer
        optimizer = torch.optim.SGD([model.weight], lr=1.0)
        training = mixed.MixedPrecision(model, lambda m, x: m(x).sum(), optimizer, max_norm=max_norm, init_scale=scale)
        before = model.weight.detach().clone()
        assert training.step(torch.tensor([[3.0, 4.0]]))
        assert (model.weight - before).norm().item() == pytest.approx(max_norm, rel=1e-4)

    @pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
    def test_without_a_scaler_a_norm_that_is_not_finite_raises_and_moves_nothing(self, dtype):
        model = nn.Linear(2, 1)
        before = model.weight.detach().clone()
        training = mixed.MixedPrecision(
            model, lambda m, x: m(x).sum(), torch.optim.Adam(model.parameters()), dtype=dtype, max_norm=1.0
        )
        with pytest.raises(RuntimeError, match="non-finite"):
            training.step(torch.tensor([[float("nan"), 1.0]]))
        assert torch.equal(model.weight, before) and training.steps == 0


class TestGradScaler:
    @pytest.mark.parametrize("gradient", [3e-8, 1e-9, 2e-11])
    def test_a_gradient_below_float16_survives_only_with_a_scale(self, gradient):
        assert gradient < torch.finfo(torch.float16).smallest_normal
        if gradient < 2e-8:
            assert grad_scaler.weight_gradient(gradient, scaler(enabled=False)) == 0
        assert grad_scaler.weight_gradient(gradient, scaler()) == pytest.approx(gradient, rel=0.1)

    def test_float16_ends_at_2_to_the_minus_24_and_at_65504(self):
        assert torch.tensor(2.0**-24).half() > 0 and torch.tensor(2.0**-26).half() == 0
        assert torch.tensor(2.0**-25).half() == 0, "half of the smallest"
        assert torch.tensor(2.0**-25 * 1.01).half() == 2.0**-24
        assert torch.finfo(torch.float16).max == 65504

    @pytest.mark.parametrize("scale", [2.0**4, 2.0**10, 2.0**16])
    def test_the_scale_moves_the_window_it_does_not_widen_it(self, scale):
        """What survives is the window of float16 divided by the scale."""
        lowest, highest = 2.0**-24 / scale, 2.0**15 / scale
        for gradient in (lowest, highest):
            assert grad_scaler.weight_gradient(gradient, scaler(init_scale=scale)) == gradient
        assert grad_scaler.weight_gradient(lowest / 4, scaler(init_scale=scale)) == 0
        assert grad_scaler.weight_gradient(highest * 2, scaler(init_scale=scale)) == float("inf")

    def test_unscaling_divides_in_float32(self):
        assert torch.tensor(1e-10).half() == 0
        assert grad_scaler.weight_gradient(1e-10, scaler()) == pytest.approx(1e-10, rel=1e-2)

    def test_a_power_of_two_as_scale_costs_no_accuracy_in_float32(self):
        weight = nn.Parameter(torch.ones(3))
        optimizer, loss_scaler = torch.optim.SGD([weight], lr=0.1), scaler()
        x = torch.randn(3)
        loss_scaler.scale(weight @ x).backward()
        assert torch.equal(weight.grad, x * 65536)
        loss_scaler.unscale_(optimizer)
        assert torch.equal(weight.grad, x)

    def test_a_scale_that_is_no_power_of_two_changes_digits(self):
        weight = nn.Parameter(torch.ones(1000))
        optimizer, loss_scaler = torch.optim.SGD([weight], lr=0.1), scaler(init_scale=60000.0)
        x = torch.randn(1000, generator=torch.Generator().manual_seed(0))
        loss_scaler.scale(weight @ x).backward()
        loss_scaler.unscale_(optimizer)
        assert not torch.equal(weight.grad, x)
        torch.testing.assert_close(weight.grad, x)

    @pytest.mark.parametrize(("exponent", "exact"), [(-28, True), (-36, False), (-38, False)])
    def test_a_scaled_gradient_keeps_float16s_digits_down_to_2_to_the_minus_14(self, exponent, exact):
        gradient = (1 + 2.0**-10) * 2.0**exponent
        assert (grad_scaler.weight_gradient(gradient, scaler()) == gradient) is exact

    def test_the_range_of_bfloat16_ends_16_powers_of_two_above_float32s(self):
        for dtype, smallest in ((torch.bfloat16, 2.0**-133), (torch.float32, 2.0**-149)):
            assert torch.tensor(smallest).to(dtype).item() == smallest
            assert torch.tensor(smallest / 4, dtype=torch.float64).to(dtype).item() == 0

    def test_bfloat16_needs_no_scale(self):
        for gradient in (1e-8, 1e-20, 1e-30, 1e6):
            assert torch.tensor(gradient).bfloat16().item() == pytest.approx(gradient, rel=0.01)


class TestOverflow:
    @pytest.mark.parametrize("bad", [float("inf"), float("nan")])
    def test_an_inf_or_nan_skips_the_step_and_halves_the_scale(self, bad):
        model, optimizer, loss_scaler, x = linear_setup(init_scale=1024.0)
        before = model.weight.detach().clone()
        x[0, 2] = bad
        assert train_step(model, optimizer, loss_scaler, x) is False
        assert torch.equal(model.weight, before) and not optimizer.state
        assert loss_scaler.get_scale() == 512

    def test_one_bad_element_skips_every_parameter_of_the_optimizer(self):
        weights = [nn.Parameter(torch.ones(1)) for _ in range(2)]
        optimizer, loss_scaler = torch.optim.SGD(weights, lr=0.1), scaler()
        loss_scaler.scale(weights[0] + weights[1] * float("inf")).backward()
        loss_scaler.step(optimizer)
        assert weights[0].item() == weights[1].item() == 1

    @pytest.mark.parametrize("bad", [0, 1])
    def test_another_optimizer_with_finite_gradients_still_steps_and_shares_the_scale(self, bad):
        weights = [nn.Parameter(torch.ones(1)) for _ in range(2)]
        optimizers, loss_scaler = [torch.optim.SGD([weight], lr=0.5) for weight in weights], scaler()
        factors = [1.0, 1.0]
        factors[bad] = float("inf")
        loss_scaler.scale(weights[0] * factors[0] + weights[1] * factors[1]).backward()
        for optimizer in optimizers:
            loss_scaler.step(optimizer)
        loss_scaler.update()
        assert weights[bad].item() == 1 and weights[1 - bad].item() == 0.5
        assert loss_scaler.get_scale() == 32768

    @pytest.mark.parametrize(
        ("loss", "finite"),
        [
            (lambda w: -w.log().sum(), False),
            (lambda w: ((w + 300).half() * (w + 300).half()).float().sum(), False),
            (lambda w: (w * w).sqrt().sum() + 1, True),
            (lambda w: torch.where(w >= 0, w, w.sqrt() / w).sum() + 1, True),
        ],
        ids=["log of zero", "float16 forward", "square root of zero", "where"],
    )
    def test_a_bug_in_the_forward_shows_in_the_loss_and_one_in_the_backward_only_in_the_scale(self, loss, finite):
        weight = nn.Parameter(torch.zeros(1))
        optimizer, loss_scaler, values = torch.optim.SGD([weight], lr=0.1), scaler(), []
        for _ in range(4):
            optimizer.zero_grad()
            value = loss(weight)
            values.append(value.item())
            loss_scaler.scale(value).backward()
            loss_scaler.step(optimizer)
            loss_scaler.update()
        assert loss_scaler.get_scale() == 65536 / 16 and weight.item() == 0
        assert values == [1.0 if finite else float("inf")] * 4

    @pytest.mark.parametrize(("gradient", "settled"), [(1e7, 2.0**-8), (1e6, 2.0**-4)])
    def test_a_large_finite_gradient_settles_at_a_scale_below_1_and_trains(self, gradient, settled):
        model = nn.Linear(1, 1)
        optimizer, loss_scaler, taken = torch.optim.SGD(model.parameters(), lr=0.0), scaler(), []
        for _ in range(40):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.float16):
                output = model(torch.ones(1, 1))
            loss_scaler.scale(gradient * output.float().sum()).backward()
            before = loss_scaler.get_scale()
            loss_scaler.step(optimizer)
            loss_scaler.update()
            taken.append(loss_scaler.get_scale() >= before)
        assert loss_scaler.get_scale() == settled and all(taken[25:])

    def test_a_scale_of_0_is_refused(self):
        model, optimizer, loss_scaler, x = linear_setup(init_scale=2.0**-148)
        assert train_step(model, optimizer, loss_scaler, x * float("nan")) is False
        with pytest.raises(FloatingPointError, match="fallen to 0"):
            train_step(model, optimizer, loss_scaler, x * float("nan"))

    def test_repeated_overflow_stalls_training(self):
        model, optimizer, loss_scaler, x = linear_setup()
        before = model.weight.detach().clone()
        for _ in range(5):
            train_step(model, optimizer, loss_scaler, x * float("inf"))
        assert loss_scaler.get_scale() == 2048 and torch.equal(model.weight, before)

    def test_a_bug_that_makes_nan_drives_the_scale_towards_zero(self):
        model, optimizer, loss_scaler, x = linear_setup()
        for _ in range(40):
            train_step(model, optimizer, loss_scaler, x * float("nan"))
        assert loss_scaler.get_scale() < 1e-6

    @pytest.mark.parametrize("growth_interval", [1, 3])
    def test_the_scale_doubles_after_growth_interval_clean_steps_in_a_row(self, growth_interval):
        model, optimizer, loss_scaler, x = linear_setup(init_scale=8.0, growth_interval=growth_interval)
        scales = []
        for _ in range(6):
            assert train_step(model, optimizer, loss_scaler, x) is True
            scales.append(loss_scaler.get_scale())
        assert scales == [8.0 * 2 ** (step // growth_interval) for step in range(1, 7)]

    def test_an_overflow_restarts_the_count(self):
        model, optimizer, loss_scaler, x = linear_setup(init_scale=64.0, growth_interval=2)
        scales = []
        for bad in (False, True, False, False):
            train_step(model, optimizer, loss_scaler, x * float("inf") if bad else x)
            scales.append(loss_scaler.get_scale())
        assert scales == [64, 32, 32, 64]

    def test_defaults(self):
        state = scaler().state_dict()
        assert state == {
            "scale": 65536.0,
            "growth_factor": 2.0,
            "backoff_factor": 0.5,
            "growth_interval": 2000,
            "_growth_tracker": 0,
        }

    def test_the_scheduler_advances_although_the_optimizer_does_not(self):
        model, optimizer, loss_scaler, x = linear_setup(init_scale=1024.0)
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        assert train_step(model, optimizer, loss_scaler, x)
        for _ in range(3):
            train_step(model, optimizer, loss_scaler, x * float("inf"))
            scheduler.step()
        assert optimizer.param_groups[0]["lr"] == pytest.approx(0.01 / 8)
        assert optimizer.state[model.weight]["step"] == 1

    def test_stepping_the_scheduler_only_with_the_optimizer_keeps_both_together(self):
        model, optimizer, loss_scaler, x = linear_setup(init_scale=2.0**18)
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        for _ in range(8):
            if train_step(model, optimizer, loss_scaler, x):
                scheduler.step()
        assert scheduler.last_epoch == optimizer.state[model.weight]["step"] == 5

    @pytest.mark.parametrize("batch", [1, 64])
    @pytest.mark.parametrize("autocast", [True, False])
    def test_a_gradient_of_one_overflows_at_the_default_scale_if_it_passes_through_float16(self, autocast, batch):
        model = nn.Linear(1, 1)
        optimizer, scaler = torch.optim.SGD(model.parameters()), torch.amp.GradScaler("cpu")
        with torch.autocast("cpu", dtype=torch.float16, enabled=autocast):
            output = model(torch.ones(batch, 1))
        scaler.scale(output.float().mean()).backward()
        scaler.step(optimizer)
        scaler.update()
        assert scaler.get_scale() == (32768 if autocast else 65536)

    def test_a_skipped_first_step_makes_the_scheduler_warn_about_the_order(self):
        for first, warned in ((float("inf"), True), (1.0, False)):
            model, optimizer, loss_scaler, x = linear_setup(init_scale=1024.0)
            scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                train_step(model, optimizer, loss_scaler, x * first)
                scheduler.step()
            assert any("before `optimizer.step()`" in str(w.message) for w in caught) is warned


class TestClipping:
    @pytest.mark.parametrize("max_norm", [0.1, 1.0, 4.0])
    def test_after_unscale_clipping_sees_the_true_norm(self, max_norm):
        seen, moved = clip.clipped_step(True, max_norm)
        assert seen == pytest.approx(5) and moved == pytest.approx(max_norm, rel=1e-4)

    @pytest.mark.parametrize("max_norm", [0.1, 1.0, 4.0])
    def test_without_unscale_the_step_is_too_short_by_the_scale(self, max_norm):
        seen, moved = clip.clipped_step(False, max_norm)
        assert seen == pytest.approx(5 * 65536) and moved == pytest.approx(max_norm / 65536, rel=1e-4)

    @pytest.mark.parametrize("unscale_first", [True, False])
    def test_adam_hides_the_forgotten_unscale(self, unscale_first):
        weight = nn.Parameter(torch.zeros(2))
        optimizer, loss_scaler = torch.optim.Adam([weight], lr=0.1), scaler()
        loss_scaler.scale(weight @ torch.tensor([3.0, 4.0])).backward()
        if unscale_first:
            loss_scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_([weight], 1.0)
        loss_scaler.step(optimizer)
        assert weight.tolist() == pytest.approx([-0.1, -0.1], rel=2e-3)

    @pytest.mark.parametrize(
        ("weights", "shortest", "longest"), [(2, 0.99, 1.0), (10**4, 0.9, 0.96), (10**6, 0.55, 0.65)]
    )
    def test_adam_hides_it_less_the_more_weights_share_the_norm(self, weights, shortest, longest):
        weight = nn.Parameter(torch.zeros(weights))
        optimizer, loss_scaler = torch.optim.Adam([weight], lr=1.0), scaler()
        loss_scaler.scale(weight @ torch.full((weights,), 5 / weights**0.5)).backward()
        nn.utils.clip_grad_norm_([weight], 1.0)
        loss_scaler.step(optimizer)
        assert shortest < weight.abs().mean().item() < longest

    def test_adam_with_normally_distributed_gradients_steps_half_as_far(self):
        torch.manual_seed(0)
        weight = nn.Parameter(torch.zeros(10**6))
        optimizer, loss_scaler = torch.optim.Adam([weight], lr=1.0), scaler()
        loss_scaler.scale(weight @ torch.randn(10**6)).backward()
        nn.utils.clip_grad_norm_([weight], 1.0)
        loss_scaler.step(optimizer)
        assert weight.norm().item() / 1000 == pytest.approx(0.51, abs=0.02)

    def test_a_fused_optimizer_skips_the_update_itself_so_the_scheduler_does_not_warn(self):
        def warned(fused):
            weight = nn.Parameter(torch.ones(1))
            optimizer, loss_scaler = torch.optim.SGD([weight], lr=0.1, fused=fused), scaler()
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
            loss_scaler.scale((weight * torch.inf).sum()).backward()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                loss_scaler.step(optimizer)
                loss_scaler.update()
                scheduler.step()
            assert weight.item() == 1 and loss_scaler.get_scale() == 65536 / 2
            return any("before `optimizer.step()`" in str(warning.message) for warning in caught)

        assert warned(False) and not warned(True)

    def test_without_unscale_a_norm_below_the_limit_is_clipped_too(self):
        assert clip.clipped_step(False, 100.0)[1] == pytest.approx(100 / 65536, rel=1e-4)

    def test_with_unscale_a_norm_below_the_limit_is_not_clipped(self):
        assert clip.clipped_step(True, 10.0)[1] == pytest.approx(5)

    def test_clipping_an_inf_does_not_hide_it_from_the_scaler(self):
        weight = nn.Parameter(torch.ones(2))
        optimizer, loss_scaler = torch.optim.SGD([weight], lr=1.0), scaler()
        loss_scaler.scale(weight @ torch.tensor([1.0, float("inf")])).backward()
        loss_scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_([weight], 1.0)
        loss_scaler.step(optimizer)
        loss_scaler.update()
        assert weight.tolist() == [1, 1] and loss_scaler.get_scale() == 32768

    def test_unscale_twice_raises(self):
        model, optimizer, loss_scaler, x = linear_setup()
        loss_scaler.scale(model(x).sum()).backward()
        loss_scaler.unscale_(optimizer)
        with pytest.raises(RuntimeError, match="unscale_.. has already been called"):
            loss_scaler.unscale_(optimizer)

    def test_step_unscales_if_you_have_not(self):
        for unscale_first in (True, False):
            weight = nn.Parameter(torch.zeros(1))
            optimizer, loss_scaler = torch.optim.SGD([weight], lr=1.0), scaler()
            loss_scaler.scale(3 * weight).backward()
            if unscale_first:
                loss_scaler.unscale_(optimizer)
            loss_scaler.step(optimizer)
            assert weight.item() == -3


class TestStateAndAccumulation:
    def test_a_fresh_scaler_after_resuming_starts_at_the_default_again(self):
        model, optimizer, loss_scaler, x = linear_setup()
        for _ in range(6):
            train_step(model, optimizer, loss_scaler, x * float("inf"))
        saved = loss_scaler.state_dict()
        resumed = scaler()
        assert resumed.get_scale() == 65536
        resumed.load_state_dict(saved)
        assert resumed.get_scale() == loss_scaler.get_scale() == 1024

    def test_one_update_per_step_keeps_accumulated_gradients_on_one_scale(self):
        def accumulate(update_each):
            weight = nn.Parameter(torch.zeros(1))
            optimizer = torch.optim.SGD([weight], lr=1.0)
            loss_scaler = scaler(init_scale=4.0, growth_interval=1)
            for _ in range(2):
                loss_scaler.scale(weight.sum()).backward()
                if update_each:
                    loss_scaler.update(loss_scaler.get_scale() * 2)
            loss_scaler.step(optimizer)
            return weight.item()

        assert accumulate(update_each=False) == -2
        assert accumulate(update_each=True) != -2


class TestMasterWeights:
    def test_autocast_keeps_one_float32_copy_of_the_parameters(self):
        model, optimizer, loss_scaler, x = linear_setup(init_scale=256.0)
        addresses = [p.data_ptr() for p in model.parameters()]
        train_step(model, optimizer, loss_scaler, x)
        assert {p.dtype for p in model.parameters()} == {p.grad.dtype for p in model.parameters()} == {torch.float32}
        assert addresses == [p.data_ptr() for p in model.parameters()]
        assert set(optimizer.state[model.weight]) == {"step", "exp_avg", "exp_avg_sq"}

    @pytest.mark.parametrize("update", [1e-4, 2e-4])
    def test_small_updates_vanish_in_float16_and_add_up_in_float32(self, update):
        for dtype, moved in ((torch.float16, False), (torch.float32, True)):
            weight = torch.ones(1, dtype=dtype)
            for _ in range(1000):
                weight -= update
            assert (weight.item() < 0.95) is moved and (weight.item() == 1) is not moved

    def test_softmax_of_a_float16_tensor_stays_float16_under_autocast_on_a_cpu(self):
        with torch.autocast("cpu", dtype=torch.float16):
            logits = nn.Linear(4, 4)(torch.ones(2, 4))
            loss = nn.functional.cross_entropy(logits, torch.tensor([0, 1]))
            assert (logits.dtype, logits.softmax(1).dtype) == (torch.float16, torch.float16)
            assert loss.dtype == torch.float32

    def test_float16_parameters_are_refused(self):
        model = nn.Linear(2, 1).half()
        loss_scaler = scaler(init_scale=2.0)
        loss_scaler.scale(model(torch.ones(1, 2, dtype=torch.float16)).sum()).backward()
        with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
            loss_scaler.step(torch.optim.SGD(model.parameters(), lr=0.1))

    @pytest.mark.parametrize("optimizer_class", [torch.optim.SGD, torch.optim.AdamW])
    def test_step_with_a_fused_optimizer_takes_float16_gradients_and_unscale_refuses_them(self, optimizer_class):
        model = nn.Linear(2, 1).half()
        optimizer, loss_scaler = optimizer_class(model.parameters(), lr=0.1, fused=True), scaler(init_scale=2.0)
        before = model.weight.detach().clone()
        loss_scaler.scale(model(torch.ones(1, 2, dtype=torch.float16)).sum()).backward()
        with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
            loss_scaler.unscale_(optimizer)
        loss_scaler = scaler(init_scale=2.0)
        loss_scaler.scale(torch.ones(()))
        loss_scaler.step(optimizer)
        assert not torch.equal(model.weight, before)
