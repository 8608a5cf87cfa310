"""What docs/junior/autograd/zero-grad.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.utils.checkpoint
from torch import nn

from warmup.testing import load_snippet

zero_grad = load_snippet("junior/autograd/zero_grad_places.py")
forgotten = load_snippet("junior/autograd/zero_grad_forgotten.py")
zero_grad_broken = load_snippet("junior/autograd/zero_grad_broken.py")


class TestZeroGrad:
    def test_within_one_backward_the_contributions_reach_grad_once(self):
        for uses in (1, 2, 3):
            w, calls = nn.Parameter(torch.ones(2)), []
            w.register_post_accumulate_grad_hook(lambda p, calls=calls: calls.append(p.grad.clone()))
            sum((factor * w).sum() for factor in range(1, uses + 1)).backward()
            assert len(calls) == 1
            assert torch.equal(calls[0], torch.full((2,), float(sum(range(1, uses + 1)))))

    @pytest.mark.parametrize(("reentrant", "writes"), [(True, 2), (False, 1)])
    def test_reentrant_checkpoints_write_to_a_shared_weight_once_each(self, reentrant, writes):
        layer, x, calls = nn.Linear(3, 3), torch.randn(2, 3, requires_grad=True), []
        layer.weight.register_post_accumulate_grad_hook(calls.append)
        for _ in range(2):
            x = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=reentrant)
        x.sum().backward()
        assert len(calls) == writes

    @pytest.mark.parametrize("name", forgotten.OPTIMIZERS)
    def test_each_optimizer_settles_with_it_and_not_without(self, name):
        make, options = forgotten.OPTIMIZERS[name]
        for clear in (True, False):
            model = nn.Linear(1, 1)
            losses = forgotten.losses(model, make(model.parameters(), **options), clear, steps=101)
            assert (max(losses[80:]) < 0.01) is clear

    def test_without_it_sgd_swings_on_a_parabola_and_momentum_explodes(self):
        make, options = forgotten.OPTIMIZERS["SGD"]
        model = nn.Linear(1, 1)
        losses = forgotten.losses(model, make(model.parameters(), **options), False, steps=300)
        assert max(losses) < 1.5 * losses[0] and max(losses[250:]) > 0.5 * losses[0]
        make, options = forgotten.OPTIMIZERS["SGD, momentum 0.9"]
        losses = forgotten.losses(model, make(model.parameters(), **options), False, steps=101)
        assert losses[100] > 1e10

    def test_with_a_hidden_layer_sgd_diverges_without_it(self):
        for seed in (0, 1, 2):
            torch.manual_seed(seed)
            model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
            losses = forgotten.losses(model, torch.optim.SGD(model.parameters(), lr=0.1), False, steps=120)
            assert not max(losses[100:]) < 10 * losses[0]  # NaN by then, in two of them
            torch.manual_seed(seed)
            model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
            assert forgotten.losses(model, torch.optim.SGD(model.parameters(), lr=0.1), True, steps=120)[-1] < 0.1

    def test_with_a_smaller_hidden_layer_it_diverges_from_some_seeds_only(self):
        diverged = []
        for seed in range(4):
            torch.manual_seed(seed)
            model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
            losses = forgotten.losses(model, torch.optim.SGD(model.parameters(), lr=0.1), False, steps=200)
            diverged.append(not max(losses) < 10 * losses[0])
        assert any(diverged) and not all(diverged)

    @pytest.mark.parametrize("rate", [0.01, 0.1, 0.5])
    def test_without_it_momentum_explodes_and_plain_sgd_swings_at_other_rates_too(self, rate):
        for momentum in (0.0, 0.5, 0.9):
            torch.manual_seed(0)
            model = nn.Linear(1, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=momentum)
            losses = forgotten.losses(model, optimizer, False, steps=200)
            assert (max(losses) < 1.5 * losses[0]) == (momentum == 0.0)

    @pytest.mark.parametrize(("decay", "equal"), [(0.0, True), (0.1, False)])
    def test_never_clearing_is_momentum_one_only_without_weight_decay(self, decay, equal):
        weights = []
        for clear, momentum in ((False, 0.0), (True, 1.0)):
            torch.manual_seed(0)
            model = nn.Linear(1, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum, weight_decay=decay)
            forgotten.losses(model, optimizer, clear, steps=30)
            weights.append(model.weight.detach())
        assert torch.allclose(*weights) == equal

    @pytest.mark.parametrize(("clip", "equal"), [(None, True), (0.1, False)])
    def test_never_clearing_is_momentum_one_only_if_no_clipping_changes_grad(self, clip, equal):
        weights = []
        for clear, momentum in ((False, 0.0), (True, 1.0)):
            torch.manual_seed(0)
            model, x = nn.Linear(4, 1), torch.randn(32, 4)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum)
            for _ in range(30):
                if clear:
                    optimizer.zero_grad()
                nn.functional.mse_loss(model(x), x.sum(dim=1, keepdim=True)).backward()
                if clip:
                    nn.utils.clip_grad_norm_(model.parameters(), clip)
                optimizer.step()
            weights.append(model.weight.detach())
        assert torch.allclose(*weights, atol=1e-4) == equal

    @pytest.mark.parametrize("width", [8, 64])
    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_plain_sgd_can_hide_it_on_separable_classes_and_momentum_explodes(self, seed, width):
        losses = {}
        for clear, momentum in ((True, 0.0), (False, 0.0), (False, 0.9)):
            torch.manual_seed(seed)
            model = nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, 3))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum)
            x = torch.randn(256, 10, generator=torch.Generator().manual_seed(seed))
            for _ in range(300):
                if clear:
                    optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(dim=1))
                loss.backward()
                optimizer.step()
            losses[clear, momentum] = loss.item()
        assert losses[False, 0.0] < 0.001 < 0.05 < losses[True, 0.0]
        assert not losses[False, 0.9] < 1e6

    @pytest.mark.parametrize("seed", range(3))
    def test_without_it_momentum_grows_exponentially_on_a_parabola_and_not_in_a_logistic_regression(self, seed):
        torch.manual_seed(seed)
        x = torch.randn(200, 10)
        labels = (x[:, 0] + x[:, 1] * x[:, 2] > 0).long()
        cross_entropy, parabola = nn.CrossEntropyLoss(), nn.MSELoss()
        growth = {}
        for name, loss_of in (
            ("logistic", lambda model: cross_entropy(model(x), labels)),
            ("parabola", lambda model: parabola(model(x)[:, 0], x[:, 0])),
        ):
            model = nn.Linear(10, 2)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
            largest = []
            for _ in range(400):
                loss = loss_of(model)
                loss.backward()
                optimizer.step()
                largest.append(loss.item())
            growth[name] = max(largest) / max(largest[:200])
        assert growth["logistic"] < 10 and growth["parabola"] > 1e4

    def test_with_a_wide_layer_plain_sgd_can_explode_before_momentum(self):
        first = []
        for momentum in (0.0, 0.9):
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(1, 128), nn.Tanh(), nn.Linear(128, 1))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum)
            losses = forgotten.losses(model, optimizer, False, steps=40)
            first.append(next(step for step, loss in enumerate(losses) if not loss < 50))
        assert first[0] <= first[1] < 15

    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW, torch.optim.LBFGS])
    def test_only_lbfgs_moves_a_weight_whose_gradient_is_none(self, optimizer):
        w, v = nn.Parameter(torch.tensor([1.0, 2.0])), nn.Parameter(torch.tensor([3.0]))
        stepper = optimizer([w, v], lr=0.1)

        def closure(both):
            stepper.zero_grad()
            loss = w.square().sum() + (v - w.sum()).square().sum() * both
            loss.backward()
            if not both:
                v.grad = None
            return loss

        for _ in range(3):
            stepper.step(lambda: closure(True))
        before = v.item()
        stepper.step(lambda: closure(False))
        assert v.grad is None and (v.item() != before) == (optimizer is torch.optim.LBFGS)

    @pytest.mark.parametrize("case", ["plain", "class weights", "contrastive", "dropout"])
    def test_micro_batches_are_the_large_batch_only_with_equal_divisors_no_mixing_and_no_dropout(self, case):
        torch.manual_seed(0)
        model, x, y = nn.Linear(4, 3), torch.randn(8, 4), torch.tensor([0, 0, 1, 0, 2, 2, 1, 2])

        def loss(x, y):
            z = model(x)
            if case == "contrastive":
                return nn.functional.cross_entropy(z @ z.T, torch.arange(len(z)))
            if case == "dropout":
                z = nn.functional.dropout(z, 0.5)
            weight = torch.tensor([1.0, 2.0, 10.0]) if case == "class weights" else None
            return nn.functional.cross_entropy(z, y, weight=weight)

        loss(x, y).backward()
        large = model.weight.grad
        model.zero_grad()
        for part, labels in zip(x.split(4), y.split(4), strict=True):
            (loss(part, labels) / 2).backward()
        assert torch.allclose(model.weight.grad, large, atol=1e-6) == (case == "plain")

    @pytest.mark.parametrize(("ignored", "equal"), [((0, 4), True), ((0, 1), False)])
    def test_micro_batches_of_equal_size_need_equally_many_labels(self, ignored, equal):
        torch.manual_seed(0)
        model, x, y = nn.Linear(4, 3), torch.randn(8, 4), torch.arange(8) % 3
        y[list(ignored)] = -100
        nn.functional.cross_entropy(model(x), y).backward()
        large = model.weight.grad
        model.zero_grad()
        for part, labels in zip(x.split(4), y.split(4), strict=True):
            (nn.functional.cross_entropy(model(part), labels) / 2).backward()
        assert torch.allclose(model.weight.grad, large, atol=1e-6) == equal

    def test_writing_zeros_leaves_none_before_the_first_backward(self):
        w = nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([w], lr=0.1)
        optimizer.zero_grad(set_to_none=False)
        assert w.grad is None
        w.sum().backward()
        optimizer.zero_grad(set_to_none=False)
        assert torch.equal(w.grad, torch.zeros(1))

    def test_adam_without_it_can_be_ahead_for_many_steps_and_then_is_not(self):
        for make in (torch.optim.AdamW, torch.optim.Adam):
            curves = []
            for clear in (True, False):
                torch.manual_seed(0)
                model = nn.Linear(1, 1)
                curves.append(forgotten.losses(model, make(model.parameters(), lr=0.01), clear, steps=301))
            cleared, never = curves
            assert never[50] < cleared[50] and never[300] > 10 * cleared[300]

    @pytest.mark.parametrize("place", ["before forward", "before backward", "after step"])
    def test_only_before_backward_keeps_the_old_gradients_during_the_forward_pass(self, place):
        model, alive = nn.Linear(4, 1), []
        model.register_forward_hook(lambda module, *_: alive.append(module.weight.grad is not None))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            if place == "before forward":
                optimizer.zero_grad()
            loss = model(torch.ones(2, 4)).sum()
            if place == "before backward":
                optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if place == "after step":
                optimizer.zero_grad()
        assert alive == [False, *[place == "before backward"] * 2]

    def test_a_correct_loop_also_doubles_grad_if_backward_is_called_twice(self):
        model, x = nn.Linear(4, 1), torch.randn(8, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(2):  # clears after step
            model(x).sum().backward()
            once = model.weight.grad.clone()
            model(x).sum().backward()
            assert torch.allclose(model.weight.grad, 2 * once)
            optimizer.step()
            optimizer.zero_grad()

    def test_the_assertion_convicts_a_loop_that_forgets_and_acquits_the_valid_places(self):
        for place, guilty in (
            ("before forward", False),
            ("before backward", False),
            ("after step", False),
            ("never", True),
        ):
            model = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            found = []
            for _ in range(3):
                if place in ("before forward", "before backward"):
                    optimizer.zero_grad()
                loss = model(torch.ones(2, 4)).sum()
                found.append(all(p.grad is None for p in model.parameters()))
                loss.backward()
                optimizer.step()
                if place == "after step":
                    optimizer.zero_grad()
            assert all(found) is not guilty

    def test_micro_batches_are_not_the_large_batch_with_batch_norm(self):
        for norm, equal in ((nn.Identity(), True), (nn.BatchNorm1d(8), False)):
            model = nn.Sequential(nn.Linear(4, 8), norm, nn.ReLU(), nn.Linear(8, 1))
            x, y = torch.randn(32, 4), torch.randn(32, 1)
            nn.functional.mse_loss(model(x), y).backward()
            large = model[0].weight.grad.clone()
            model.zero_grad()
            for xs, ys in zip(x.chunk(4), y.chunk(4), strict=True):
                (nn.functional.mse_loss(model(xs), ys) / 4).backward()
            assert torch.allclose(model[0].weight.grad, large, atol=1e-5) is equal

    def test_backward_adds_to_grad_whatever_the_graph(self):
        layer = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
        x = torch.randn(7, 3)
        layer(x).sum().backward()
        once = [p.grad.clone() for p in layer.parameters()]
        for _ in range(2):
            layer(x).sum().backward()
        for p, g in zip(layer.parameters(), once, strict=True):
            torch.testing.assert_close(p.grad, 3 * g)

    @pytest.mark.parametrize("steps", [1, 2, 20])
    @pytest.mark.parametrize("place", ["before backward", "after step"])
    def test_the_three_valid_places_are_one_training_run(self, place, steps):
        assert torch.equal(zero_grad.train(place, steps), zero_grad.train("before forward", steps))

    def test_clearing_before_step_trains_nothing(self):
        assert torch.equal(zero_grad.train("before step", 20), zero_grad.train("before forward", 0))

    def test_never_clearing_agrees_on_the_first_step_only(self):
        assert torch.equal(zero_grad.train("never", 1), zero_grad.train("before forward", 1))
        assert not torch.equal(zero_grad.train("never", 2), zero_grad.train("before forward", 2))

    def test_training_moves_the_weight(self):
        assert not torch.allclose(zero_grad.train("before forward", 20), zero_grad.train("before forward", 0))

    @pytest.mark.parametrize("steps", [1, 2, 5, 60])
    def test_never_clearing_is_momentum_one(self, steps):
        never = zero_grad_broken.final_loss("never", steps)
        frictionless = zero_grad_broken.final_loss("before backward", steps, momentum=1.0)
        assert never == pytest.approx(frictionless, rel=1e-4)

    def test_never_clearing_swings_instead_of_settling(self):
        losses = [zero_grad_broken.final_loss("never", steps) for steps in range(60)]
        rises = sum(later > earlier for earlier, later in zip(losses, losses[1:], strict=False))
        assert 20 < rises < 40
        settled = [zero_grad_broken.final_loss("before backward", steps) for steps in range(60)]
        assert all(later <= earlier for earlier, later in zip(settled, settled[1:], strict=False))

    def test_a_zero_gradient_still_moves_a_weight_by_momentum_and_by_decay(self):
        for options in ({"momentum": 0.9}, {"weight_decay": 0.1}):
            w = nn.Parameter(torch.ones(1))
            optimizer = torch.optim.SGD([w], lr=0.1, **options)
            (2 * w).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            before = w.item()
            optimizer.step()
            assert w.item() == before
            w.grad = torch.zeros(1)
            optimizer.step()
            assert w.item() != before

    def test_zero_grad_sets_none_by_default(self):
        w = nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([w], lr=0.1)
        w.sum().backward()
        optimizer.zero_grad()
        assert w.grad is None

    def test_optimizer_clears_only_its_own_parameters(self):
        body, head = nn.Linear(2, 2), nn.Linear(2, 1)
        model = nn.Sequential(body, head)
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.zero_grad()
        assert body.weight.grad is not None and head.weight.grad is None
        model.zero_grad()
        assert body.weight.grad is None

    def test_accumulating_equal_micro_batches_is_the_large_batch(self):
        model, x, y = nn.Linear(4, 1), torch.randn(12, 4), torch.randn(12, 1)
        nn.functional.mse_loss(model(x), y).backward()
        large = model.weight.grad.clone()
        model.zero_grad()
        for xs, ys in zip(x.chunk(3), y.chunk(3), strict=True):
            (nn.functional.mse_loss(model(xs), ys) / 3).backward()
        torch.testing.assert_close(model.weight.grad, large)
