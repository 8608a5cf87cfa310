"""Every claim that the pages of docs/junior/autograd make, proven beyond the example shown."""

import asyncio
import copy
import functools
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import torch.utils.checkpoint
from torch import nn

from warmup.testing import load_snippet

computation_graph = load_snippet("junior/autograd/computation_graph_frozen.py")
eval_vs_no_grad = load_snippet("junior/autograd/eval_vs_no_grad_modes.py")
eval_vs_no_grad_broken = load_snippet("junior/autograd/eval_vs_no_grad_broken.py")
eval_vs_no_grad_input = load_snippet("junior/autograd/eval_vs_no_grad_input.py")
live_bytes = load_snippet("senior/behavioral/fixed_a_memory_leak_guard.py")
no_grad = load_snippet("junior/autograd/no_grad_ways.py")
no_grad_memory = load_snippet("junior/autograd/no_grad_memory.py")
no_grad_myth = load_snippet("junior/autograd/no_grad_myth.py")
no_grad_vs_requires_grad = load_snippet("junior/autograd/no_grad_vs_requires_grad_compare.py")
no_grad_vs_requires_grad_broken = load_snippet("junior/autograd/no_grad_vs_requires_grad_broken.py")
no_grad_vs_requires_grad_memory = load_snippet("junior/autograd/no_grad_vs_requires_grad_memory.py")
no_grad_vs_requires_grad_when = load_snippet("junior/autograd/no_grad_vs_requires_grad_when.py")
requires_grad = load_snippet("junior/autograd/requires_grad_attempts.py")
requires_grad_drift = load_snippet("junior/autograd/requires_grad_drift.py")
requires_grad_myth = load_snippet("junior/autograd/requires_grad_myth.py")
what_autograd_does = load_snippet("junior/autograd/what_autograd_does_nodes.py")
what_autograd_does_broken = load_snippet("junior/autograd/what_autograd_does_broken.py")
what_autograd_does_function = load_snippet("junior/autograd/what_autograd_does_function.py")
zero_grad = load_snippet("junior/autograd/zero_grad_places.py")
forgotten = load_snippet("junior/autograd/zero_grad_forgotten.py")
zero_grad_broken = load_snippet("junior/autograd/zero_grad_broken.py")


def run(coroutine):
    """What it returns, run in a thread of its own: a grad mode that it leaves behind, and a loop that is running here,
    do not matter there.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


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


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class TestWhatAutogradDoes:
    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_the_gradients_of_the_example_are_those_derived_by_hand(self, seed):
        torch.manual_seed(seed)
        x, y = (torch.randn(5, requires_grad=True) for _ in range(2))
        (x**2 + 3 * y + x * y).sum().backward()
        torch.testing.assert_close(x.grad, 2 * x.detach() + y.detach())
        torch.testing.assert_close(y.grad, 3 + x.detach())

    def test_the_picture_shows_the_gradient_on_each_edge(self):
        x, y = leaf(2.0, 3.0), leaf(1.0, 4.0)
        square, triple, product = x**2, 3 * y, x * y
        for part in (square, triple, product):
            part.retain_grad()
        (square + triple + product).sum().backward()
        assert all(part.grad.tolist() == [1.0, 1.0] for part in (square, triple, product))
        one = torch.ones(2, dtype=torch.float64)
        x, y = leaf(2.0, 3.0), leaf(1.0, 4.0)
        assert (x**2).grad_fn(one).tolist() == [4.0, 6.0]
        assert [gradient.tolist() for gradient in (x * y).grad_fn(one)] == [[1.0, 4.0], [2.0, 3.0]]
        assert (3 * y).grad_fn(one)[0].tolist() == [3.0, 3.0]

    def test_a_composite_function_leaves_the_nodes_of_its_parts(self):
        left, right = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5)
        assert "MmBackward0" in nodes(torch.tensordot(left, right, 1))
        for result in (torch.tensordot(left, right, 1), torch.randn(2, 3, 4, requires_grad=True) @ right):
            assert not any("Tensordot" in name or "Matmul" in name for name in nodes(result))

    @pytest.mark.parametrize("at", [(1.0, 2.0), (-3.0, 0.0, 0.5)])
    def test_a_function_by_hand_agrees_with_autograd_and_gradcheck_finds_the_forgotten_gradient(self, at):
        right, forgetful = what_autograd_does_function.Cube.apply, what_autograd_does_function.Forgetful.apply
        x = leaf(*at)
        for scale in (1.0, 5.0):
            (expected,) = torch.autograd.grad((scale * x**3).sum(), x)
            torch.testing.assert_close(torch.autograd.grad((scale * right(x)).sum(), x)[0], expected)
            same = torch.allclose(torch.autograd.grad((scale * forgetful(x)).sum(), x)[0], expected)
            assert same == (scale == 1)
        assert torch.autograd.gradcheck(right, (x,))
        assert not torch.autograd.gradcheck(forgetful, (x,), raise_exception=False)

    def test_the_square_root_divides_the_zero_that_arrives_by_zero(self):
        x, arrived = torch.tensor(0.0, requires_grad=True), []
        root = torch.sqrt(x**2)
        root.register_hook(arrived.append)
        (root * torch.sign(x)).backward()
        assert [gradient.item() for gradient in arrived] == [0] and x.grad.isnan()
        assert torch.sqrt(leaf(0.0)).grad_fn(torch.zeros(1, dtype=torch.float64)).isnan().all()

    def test_nothing_is_differentiated_in_the_forward_pass(self):
        x = leaf(2.0)
        total = (x**2).sum()
        assert x.grad is None and total.grad_fn is not None

    def test_a_node_keeps_what_its_backward_needs(self):
        kept, x, y = what_autograd_does.kept, leaf(5.0), leaf(7.0)
        assert kept((4 * y).grad_fn) == "other=4"
        assert kept((x * y).grad_fn) == "other=[7.0], self=[5.0]"
        assert kept((x - y).grad_fn) == "alpha=1" and kept((-x).grad_fn) == ""
        assert kept((x**3).grad_fn) == "exponent=3, self=[5.0]"
        assert kept(x.exp().grad_fn) == f"result={x.exp().tolist()}"

    def test_no_tensor_is_kept_by_a_sum_an_addition_or_a_constant_factor(self):
        seen, x, y = [], leaf(1.0, 2.0), leaf(3.0, 4.0)
        with torch.autograd.graph.saved_tensors_hooks(lambda saved: seen.append(saved) or saved, lambda saved: saved):
            (3 * y + (x + y)).sum()
            assert all(saved.numel() == 1 for saved in seen)  # the factor
            x * y
        assert [saved.numel() for saved in seen[-2:]] == [2, 2]

    def test_a_product_keeps_only_the_factor_that_somebody_needs(self):
        x, data = leaf(2.0), torch.tensor([5.0], dtype=torch.float64)
        assert what_autograd_does.kept((x * data).grad_fn) == "other=[5.0]"

    @pytest.mark.parametrize("operation", [lambda x, y: x * y, lambda x, y: x - y, lambda x, y: x @ y])
    def test_a_node_turns_output_gradients_into_input_gradients(self, operation):
        x, y = leaf(1.0, 2.0, 3.0), leaf(4.0, 5.0, 6.0)
        result = operation(x, y)
        weights = torch.full_like(result, 0.5)
        expected = torch.autograd.grad(result, (x, y), weights, retain_graph=True)
        returned = result.grad_fn(weights)
        for got, want in zip(returned, expected, strict=True):
            torch.testing.assert_close(got, want)

    def test_no_node_runs_before_everything_that_used_its_output(self):
        order, x = [], leaf(2.0)
        shared = x.exp()
        branches = {"shared": shared, "first": shared * 2, "second": (shared * 3).sin()}
        for name, tensor in branches.items():
            tensor.grad_fn.register_prehook(lambda _, name=name: order.append(name))
        (branches["first"] + branches["second"]).backward()
        assert order[-1] == "shared" and len(order) == 3

    @pytest.mark.parametrize("at", [-2.0, 1.0, 4.0])
    def test_a_constant_factor_hides_half_of_the_gradient(self, at):
        run = what_autograd_does_broken.value_and_gradient
        assert run(lambda x: x * x, at) == (at * at, 2 * at)
        for program in (lambda x: x * x.item(), lambda x: x * x.detach(), lambda x: x * x.round()):
            assert run(program, at) == (at * at, at)

    def test_round_has_a_node_and_no_slope(self):
        rounded = leaf(1.2, 2.7).round()
        assert rounded.grad_fn is not None
        assert rounded.grad_fn(torch.ones_like(rounded)).tolist() == [0.0, 0.0]

    def test_two_programs_for_x_differ_only_where_a_node_has_no_derivative(self):
        run = what_autograd_does_broken.value_and_gradient
        difference, root = lambda x: torch.relu(x) - torch.relu(-x), lambda x: torch.sqrt(x**2) * torch.sign(x)
        for at in (-2.0, 3.0):
            assert run(difference, at) == (at, 1.0) and run(root, at) == (at, 1.0)
        assert run(difference, 0.0) == (0.0, 0.0)
        assert run(root, 0.0)[0] == 0 and run(root, 0.0)[1] != run(root, 0.0)[1]
        assert run(torch.relu, 0.0) == (0.0, 0.0) and run(torch.sqrt, 0.0) == (0.0, float("inf"))

    @pytest.mark.parametrize("shape", [(2,), (1, 3), (2, 2)])
    def test_backward_needs_weights_for_more_than_one_value(self, shape):
        x = torch.randn(shape, requires_grad=True)
        with pytest.raises(RuntimeError, match="only for scalar outputs"):
            (x * 2).backward()
        weights = torch.randn(shape)
        (x**2).backward(weights)
        vector = x.grad.clone()
        x.grad = None
        ((x**2) * weights).sum().backward()
        torch.testing.assert_close(x.grad, vector)

    @pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
    def test_backward_needs_no_weights_for_one_value_of_any_shape(self, shape):
        x = torch.full(shape, 3.0, requires_grad=True)
        (x**2).backward()
        assert x.grad.item() == 6.0

    def test_gradcheck_catches_a_gradient_that_the_value_hides(self):
        check, x = torch.autograd.gradcheck, leaf(2.0, 3.0)
        assert check(lambda x: x * x, (x,))
        for wrong in (lambda x: x * x.detach(), lambda x: x + x.detach()):
            assert not check(wrong, (x,), raise_exception=False)

    def test_gradcheck_checks_at_the_values_that_it_gets(self):
        for program in (lambda x: torch.relu(x) - torch.relu(-x), lambda x: torch.sqrt(x**2) * torch.sign(x)):
            for at in (3.0, 0.0):
                x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
                assert torch.autograd.gradcheck(program, (x,), raise_exception=False) == (at == 3.0)

    def test_gradcheck_checks_only_inputs_that_require_grad(self):
        x, y = torch.ones(2, dtype=torch.float64, requires_grad=True), torch.ones(2, dtype=torch.float64)
        for requires_grad in (False, True):
            inputs = (x, y.clone().requires_grad_(requires_grad))
            passed = torch.autograd.gradcheck(lambda x, y: x * y * y.detach(), inputs, raise_exception=False)
            assert passed == (not requires_grad)

    def test_a_use_off_the_path_of_the_result_is_not_waited_for(self):
        x = leaf(2.0, 3.0)
        hidden = x**2
        unused = hidden.exp()
        hidden.sum().backward()
        assert x.grad.tolist() == [4.0, 6.0] and unused.grad_fn is not None

    def test_a_constant_factor_is_kept_as_a_number_that_no_hook_sees(self):
        seen, y = [], leaf(2.0, 3.0)
        with torch.autograd.graph.saved_tensors_hooks(lambda tensor: seen.append(tensor), lambda _: None):
            node = (3 * y).grad_fn
        assert seen == [] and float(node._saved_other) == 3.0 and node._saved_self is None

    @pytest.mark.filterwarnings("ignore:Input #0")
    def test_gradcheck_fails_a_right_gradient_in_float32(self):
        x = torch.tensor([2.0, 3.0], requires_grad=True)
        assert not torch.autograd.gradcheck(lambda x: x**3, (x,), raise_exception=False)

    def test_an_accuracy_in_the_loss_has_no_gradient(self):
        logits, labels = torch.randn(6, 3, requires_grad=True), torch.tensor([0, 1, 2, 0, 1, 2])
        accuracy = (logits.argmax(1) == labels).float().mean()
        with pytest.raises(RuntimeError, match="does not require grad"):
            accuracy.backward()
        (alone,) = torch.autograd.grad(nn.functional.cross_entropy(logits, labels), logits)
        (both,) = torch.autograd.grad(nn.functional.cross_entropy(logits, labels) - accuracy, logits)
        assert torch.equal(alone, both)


def nodes(tensor: torch.Tensor) -> list[str]:
    """The names of all nodes behind ``tensor``, each once; AccumulateGrad without its namespace."""
    found, queue = {}, [tensor.grad_fn]
    while queue:
        node = queue.pop()
        if node is not None and node not in found:
            found[node] = node.name().split("::")[-1]
            queue.extend(parent for parent, _ in node.next_functions)
    return sorted(found.values())


class TestComputationGraph:
    def test_draw_prints_one_line_per_edge_down_to_the_leaves(self, capsys):
        a, b, data = leaf(1.0), leaf(2.0), torch.ones(1, dtype=torch.float64)
        computation_graph.draw((a.exp() * b + data * a).sum().grad_fn, {a: "a", b: "b"})
        assert capsys.readouterr().out.splitlines() == [
            "SumBackward0",
            "  AddBackward0",
            "    MulBackward0",
            "      ExpBackward0",
            "        AccumulateGrad of a",
            "      AccumulateGrad of b",
            "    MulBackward0",
            "      None",
            "      AccumulateGrad of a (again)",
        ]

    def test_draw_takes_one_line_per_edge_in_a_deep_graph_and_names_no_leaf_that_it_does_not_know(self, capsys):
        x = leaf(1.0, 2.0)
        for _ in range(40):
            x = x + x.exp()  # a tree of 2 ** 40 paths
        computation_graph.draw(x.grad_fn, {})
        printed = capsys.readouterr().out.splitlines()
        assert len(printed) == 1 + 3 * 40 and sum("AccumulateGrad of (2,)" in line for line in printed) == 2
        chain = leaf(1.0)
        for _ in range(1500):
            chain = chain + 1
        computation_graph.draw(chain.grad_fn, {})
        assert len(capsys.readouterr().out.splitlines()) == 1 + 2 * 1500
        computation_graph.draw(None, {})
        assert capsys.readouterr().out == "None\n"

    def test_the_nodes_of_the_picture_keep_what_it_says(self):
        x, w, b = torch.tensor(3.0), torch.tensor(0.5, requires_grad=True), torch.tensor(-1.0, requires_grad=True)
        product = w * x
        total = product + b
        y = torch.exp(total)
        kept = [what_autograd_does.kept(result.grad_fn) for result in (product, total, y)]
        assert kept == ["other=3.0", "alpha=1", f"result={y.item()}"]

    def test_no_node_is_made_in_no_grad_mode_or_for_a_result_without_gradient(self):
        w = leaf(1.5, 2.5)
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                assert (w * 2).grad_fn is None and nn.Linear(2, 1).double()(w).grad_fn is None
        assert (w * 2).grad_fn is not None

    def test_indices_and_masks_have_no_edge(self):
        w, index = torch.randn(5, 3, requires_grad=True), torch.tensor([0, 1, 2])
        results = {
            "embedding": (nn.functional.embedding(index, w), 1),
            "index": (w[index], 1),
            "index_select": (w.index_select(0, index), 1),
            "gather": (w.gather(0, index.expand(1, 3)), 1),
            "masked_fill": (w.masked_fill(w > 0, 0.0), 1),
            "where": (torch.where(w > 0, w, torch.zeros(5, 3)), 2),
        }
        for name, (result, edges) in results.items():
            assert len(result.grad_fn.next_functions) == edges, name

    def test_a_layer_with_a_frozen_weight_leaves_a_node_while_its_bias_trains(self):
        layer, x = nn.Linear(2, 2), torch.ones(1, 2)
        layer.weight.requires_grad_(False)
        assert layer(x).grad_fn is not None
        layer.bias.requires_grad_(False)
        assert layer(x).grad_fn is None and layer(x.clone().requires_grad_()).grad_fn is not None

    def test_a_number_has_an_edge_to_none(self):
        w = torch.ones(2, requires_grad=True)
        for result in (3 * w, w + 1):
            assert [parent is None for parent, _ in result.grad_fn.next_functions] == [False, True]

    def test_a_compiled_graph_is_one_node(self):
        def double_sine(w):
            return ((2 * w).sin() + 1).sum()

        w = torch.ones(2, requires_grad=True)
        compiled = torch.compile(double_sine, backend="aot_eager")
        assert len(nodes(compiled(w))) < len(nodes(double_sine(w)))
        assert [name for name in nodes(compiled(w)) if "AccumulateGrad" not in name] == ["CompiledFunctionBackward"]

    def test_a_compiled_graph_is_more_than_one_node_with_another_backend_or_a_returned_view(self):
        def exponential(w):
            result = (2 * w).exp()
            return result, result.view(-1)

        w = torch.ones(2, requires_grad=True)
        for backend, expected in (("eager", "ExpBackward0"), ("aot_eager", "CompiledFunctionBackward")):
            result, view = torch.compile(exponential, backend=backend)(w)
            assert result.grad_fn.name() == expected and view.grad_fn.name() == "ViewBackward0"

    @pytest.mark.parametrize("learned", [True, False])
    def test_a_cut_by_item_is_a_plain_number_and_no_tensor_without_a_node(self, learned):
        layer, scale = nn.Linear(2, 2), nn.Parameter(torch.tensor(2.0))
        factor = scale if learned else scale.item()
        hidden = layer(torch.ones(1, 2))
        result = hidden * factor
        assert hidden.grad_fn is not None and result.grad_fn is not None
        result.sum().backward()
        assert (scale.grad is not None) is learned and isinstance(factor, float) is not learned

    @pytest.mark.parametrize("cause", ["frozen", "unused", "replaced", "cut", "ignored", None])
    def test_five_causes_leave_a_parameter_without_a_gradient(self, cause):
        first, last = nn.Linear(2, 2), nn.Linear(2, 1)
        parameter, x = first.weight, torch.ones(1, 2)
        parameter.requires_grad_(cause != "frozen")
        if cause == "replaced":
            first.weight = nn.Parameter(torch.ones(2, 2))
        hidden = x if cause == "unused" else first(x)
        hidden = hidden.detach() if cause == "cut" else hidden
        loss = last(x if cause == "ignored" else hidden).sum()
        loss.backward()
        assert (parameter.grad is None) == (cause is not None)
        assert last.weight.grad is not None

    def test_a_node_is_made_only_where_an_input_requires_grad(self):
        x = torch.randn(4, 3)
        model = nn.Sequential(nn.Linear(3, 3, bias=False), nn.ReLU(), nn.Linear(3, 1, bias=False))
        operations = ["MmBackward0", "MmBackward0", "ReluBackward0"]
        assert nodes(model(x)) == ["AccumulateGrad"] * 2 + operations + ["TBackward0"] * 2
        model[0].requires_grad_(False)
        assert nodes(model(x)) == ["AccumulateGrad", "MmBackward0", "TBackward0"]
        model[2].requires_grad_(False)
        assert nodes(model(x)) == [] and not model(x).requires_grad
        assert nodes(model(x.requires_grad_())) == ["AccumulateGrad"] + operations  # one input is enough

    def test_freezing_the_head_removes_only_its_leaf(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
        full = nodes(model(torch.ones(1, 3)))
        model[2].requires_grad_(False)
        assert [full.count("AccumulateGrad"), nodes(model(torch.ones(1, 3))).count("AccumulateGrad")] == [4, 2]

    def test_there_is_one_edge_per_differentiable_input(self):
        w, data = leaf(1.0), torch.ones(1, dtype=torch.float64)
        for result in (w + data, torch.addcmul(data, w, w), torch.cat([w, data, w, data])):
            edges = [node for node, _ in result.grad_fn.next_functions]
            assert len(edges) == {"AddBackward0": 2, "AddcmulBackward0": 3, "CatBackward0": 4}[result.grad_fn.name()]
            assert all(node is None or node.variable is w for node in edges) and None in edges

    def test_a_tensor_used_twice_is_one_node_and_its_gradients_add(self):
        w = leaf(3.0)
        shared = w.exp()
        loss = (shared * shared).sum()
        first, second = (node for node, _ in loss.grad_fn.next_functions[0][0].next_functions)
        assert first is second is not None
        assert nodes(loss).count("ExpBackward0") == 1

    def test_the_graph_records_the_branch_and_the_rounds_that_ran(self):
        def program(x):
            for _ in range(int(x.item())):
                x = x.sin() if x > 0 else x.cos()
            return x

        for start in (1.0, 4.0):
            assert len(nodes(program(leaf(start)[0]))) == 2 + int(start)  # with the index and the leaf
        assert "CosBackward0" in nodes(program(leaf(4.0)[0])) and "CosBackward0" not in nodes(program(leaf(1.0)[0]))

    def test_each_forward_pass_builds_new_nodes(self):
        w = leaf(2.0)
        first, second = w * 2, w * 2
        assert first.grad_fn is not second.grad_fn
        assert first.grad_fn.next_functions[0][0] is second.grad_fn.next_functions[0][0]  # the leaf's, both times

    @pytest.mark.parametrize("factor", [3.0, -7.0])
    def test_a_value_from_before_the_switch_is_a_constant(self, factor):
        w = torch.tensor(2.0)
        cached = factor * w
        w.requires_grad_()
        with pytest.raises(RuntimeError, match="does not require grad"):
            cached.backward()
        (cached + w).backward()
        assert w.grad.item() == 1
        w.grad = None
        (factor * w + w).backward()
        assert w.grad.item() == factor + 1

    def test_a_cache_of_features_keeps_an_unfrozen_backbone_untrained(self):
        backbone, head, x = nn.Linear(3, 3).requires_grad_(False), nn.Linear(3, 1), torch.randn(5, 3)
        cache = backbone(x)
        backbone.requires_grad_(True)
        head(cache).sum().backward()
        assert backbone.weight.grad is None and head.weight.grad is not None
        head(backbone(x)).sum().backward()
        assert backbone.weight.grad is not None

    def test_integers_booleans_and_unchanged_tensors_have_no_node(self):
        w = leaf(1.5, 2.5)
        for result in (w.int(), w.bool(), w == 1, w.isnan(), w.argsort(), w.sort().indices, w.min(dim=0).indices):
            assert result.grad_fn is None and not result.requires_grad
        for same in (w.to(torch.float64), w.double(), w.contiguous(), w.to("cpu")):
            assert same is w
        assert w.sort().values.grad_fn is not None
        for flat in (w.round(), w.floor(), w.sign()):
            assert flat.grad_fn(torch.ones_like(flat)).count_nonzero() == 0

    def test_the_loss_keeps_the_graph_alive_and_the_leaf_does_not(self):
        class Box:
            def __init__(self, tensor):
                self.tensor = tensor

        boxes, w = weakref.WeakSet(), leaf(1.0, 2.0)

        def pack(tensor):
            box = Box(tensor.detach())
            boxes.add(box)
            return box

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda box: box.tensor):
            loss = w.exp().sin().sum()
        assert len(boxes) == 2
        history = [loss]
        del loss
        assert len(boxes) == 2
        history.clear()
        assert len(boxes) == 0 and w.requires_grad

    def test_backward_frees_the_kept_tensors_and_leaves_the_nodes(self):
        w = leaf(1.0, 2.0)
        loss = w.exp().sum()
        before = nodes(loss)
        loss.backward()
        assert nodes(loss) == before
        with pytest.raises(RuntimeError, match="a second time"):
            loss.backward()
        retained = w.exp().sum()
        retained.backward(retain_graph=True)
        retained.backward()

    def test_without_kept_tensors_a_second_backward_adds_the_gradient_again(self):
        w = leaf(1.0, 2.0)
        loss = (w + 1).sum()
        loss.backward()
        loss.backward()
        assert w.grad.tolist() == [2.0, 2.0]

    def test_a_copy_to_another_dtype_or_device_is_not_a_leaf(self):
        w = torch.ones(2, requires_grad=True)
        copy = w.to(torch.float64)
        assert not copy.is_leaf and w.is_leaf and torch.ones(2).is_leaf
        assert not w.to("meta").is_leaf
        copy.sum().backward()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert copy.grad is None
        assert w.grad is not None


OPTIMIZERS = {
    "SGD": functools.partial(torch.optim.SGD, lr=0.1),
    "momentum": functools.partial(torch.optim.SGD, lr=0.1, momentum=0.9),
    "decay": functools.partial(torch.optim.SGD, lr=0.1, weight_decay=0.1),
    "Adam": functools.partial(torch.optim.Adam, lr=0.1),
    "AdamW": functools.partial(torch.optim.AdamW, lr=0.1),
}


class TestRequiresGrad:
    def test_freeze_switches_every_parameter_off_and_drops_its_gradient(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.ModuleList([nn.LayerNorm(3)]))
        for parameter in model.parameters():
            parameter.grad = torch.ones_like(parameter)
        requires_grad.freeze(model)
        assert [(p.requires_grad, p.grad) for p in model.parameters()] == [(False, None)] * 4

    def test_only_a_real_freeze_freezes(self):
        free = requires_grad.train_after(lambda body: None)
        assert free[0] > 0.05 and free[1] == 2
        assert requires_grad.train_after(lambda body: setattr(body, "requires_grad", False)) == free
        for typo in ("require_grad", "requires_grads", "trainable"):
            assert requires_grad.train_after(lambda body, typo=typo: setattr(body.weight, typo, False)) == free
        for half in ("weight", "bias"):
            moved = requires_grad.train_after(lambda body, half=half: getattr(body, half).requires_grad_(False))
            assert moved[0] > 0.05 and moved[1] == 1
        for freezing in (requires_grad.freeze, lambda body: body.requires_grad_(False)):
            assert requires_grad.train_after(freezing) == (0.0, 0)

    def test_the_freezing_is_measured_after_one_step_of_training(self):
        seen = []
        requires_grad.train_after(lambda body: seen.append((body.weight.detach().clone(), body.weight.grad)))
        torch.manual_seed(0)
        ((weight, gradient),) = seen
        assert gradient is not None and not torch.equal(weight, nn.Linear(4, 4).weight)

    def test_a_module_has_no_flag_but_a_method(self):
        layer = nn.Linear(2, 2)
        assert not hasattr(layer, "requires_grad")
        layer.requires_grad = False
        assert layer.weight.requires_grad
        assert not layer.requires_grad_(False).weight.requires_grad and not layer.bias.requires_grad

    def test_the_flag_counts_in_forward_and_again_at_the_end_of_backward(self):
        w, v = leaf(2.0), leaf(3.0)
        product = w * v
        w.requires_grad_(False)
        product.backward()
        assert w.grad is None and v.grad.item() == 2

    def test_a_frozen_leaf_keeps_the_gradient_it_had(self):
        w, v = leaf(2.0), leaf(3.0)
        (w * v).backward()
        w.requires_grad_(False)
        (w * v).backward()
        assert w.grad.item() == 3 and v.grad.item() == 4

    @pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
    def test_a_stale_gradient_moves_a_frozen_weight(self, make):
        assert requires_grad_myth.drift(make, "never") > 0.05

    def test_zeros_move_a_frozen_weight_by_momentum_averages_or_decay(self):
        moved = {name: requires_grad_myth.drift(make, "zeros") for name, make in OPTIMIZERS.items()}
        assert moved.pop("SGD") == 0
        assert min(moved.values()) > 0.005

    @pytest.mark.parametrize("clearing", ["None", "None once"])
    @pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
    def test_none_freezes_under_every_optimizer(self, make, clearing):
        assert requires_grad_myth.drift(make, clearing) == 0

    def test_the_drift_is_that_of_three_steps_with_the_same_gradient(self):
        torch.manual_seed(0)
        body, head, x = nn.Linear(4, 4), nn.Linear(4, 1), torch.randn(16, 4)
        head(body(x)).square().mean().backward()
        expected = 3 * 0.1 * body.weight.grad.abs().max().item()
        assert requires_grad_myth.drift(OPTIMIZERS["SGD"], "never") == pytest.approx(expected, rel=1e-4)

    def test_frozen_before_the_first_gradient_not_even_decay_moves_it(self):
        frozen, free = nn.Parameter(torch.ones(2), requires_grad=False), nn.Parameter(torch.ones(2))
        optimizer = torch.optim.AdamW([frozen, free], lr=0.1, weight_decay=0.5)
        for _ in range(3):
            optimizer.zero_grad()
            (frozen * free).sum().backward()
            optimizer.step()
        assert frozen.tolist() == [1.0, 1.0] and frozen not in optimizer.state and free in optimizer.state

    def test_zero_grad_visits_frozen_parameters_too(self):
        layer = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        layer(torch.ones(1, 2)).sum().backward()
        layer.requires_grad_(False)
        optimizer.zero_grad()
        assert layer.weight.grad is None and layer.bias.grad is None

    def test_defaults_of_data_parameters_buffers_and_results(self):
        norm, x = nn.BatchNorm1d(3), torch.randn(4, 3)
        flags = {name: tensor.requires_grad for name, tensor in norm.state_dict(keep_vars=True).items()}
        assert flags == {
            "weight": True,
            "bias": True,
            "running_mean": False,
            "running_var": False,
            "num_batches_tracked": False,
        }
        assert not x.requires_grad and norm(x).requires_grad
        with torch.no_grad():
            assert nn.Parameter(x).requires_grad and not norm(x).requires_grad

    @pytest.mark.parametrize("dtype", [torch.int64, torch.int8, torch.bool])
    def test_integers_and_booleans_refuse(self, dtype):
        with pytest.raises(RuntimeError, match="floating point"):
            torch.ones(2, dtype=dtype).requires_grad_()
        with pytest.raises(RuntimeError, match="floating point"):
            nn.Parameter(torch.ones(2, dtype=dtype))
        assert not nn.Parameter(torch.ones(2, dtype=dtype), requires_grad=False).requires_grad

    def test_a_row_has_no_flag_of_its_own(self):
        weight = nn.Parameter(torch.ones(3, 2))
        for part in (weight[0], weight[:1], weight.T):
            with pytest.raises(RuntimeError, match="leaf variables"):
                part.requires_grad_(False)

    @pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
    def test_writing_a_row_back_freezes_it_and_a_hook_that_zeros_its_gradient_does_only_under_plain_sgd(self, make):
        def moved(how):
            torch.manual_seed(0)
            weight = nn.Parameter(torch.randn(3, 2))
            optimizer, row = make([weight]), None
            for step in range(6):
                if step == 2:
                    row = weight[0].detach().clone()
                    if how == "hook":
                        weight.register_hook(lambda grad: grad.index_fill(0, torch.tensor([0]), 0.0))
                optimizer.zero_grad()
                weight.square().sum().backward()
                optimizer.step()
                if how == "write back" and row is not None:
                    with torch.no_grad():
                        weight[0] = row
            return not torch.equal(weight[0], row)

        assert moved("nothing") and not moved("write back")
        assert moved("hook") == (make is not OPTIMIZERS["SGD"])

    @pytest.mark.parametrize(("name", "decay"), [("SGD", 0.0), ("SGD", 0.1), ("Adam", 0.0), ("AdamW", 0.1)])
    def test_a_hook_from_the_start_freezes_a_row_unless_weights_decay(self, name, decay):
        options = {"momentum": 0.9} if name == "SGD" else {}
        weight = nn.Parameter(torch.ones(3, 2))
        optimizer = getattr(torch.optim, name)([weight], lr=0.1, weight_decay=decay, **options)
        weight.register_hook(lambda grad: grad.index_fill(0, torch.tensor([0]), 0.0))
        for _ in range(3):
            optimizer.zero_grad()
            weight.square().sum().backward()
            optimizer.step()
        assert torch.equal(weight[0], torch.ones(2)) == (decay == 0.0)
        assert not torch.equal(weight[1], torch.ones(2))

    @pytest.mark.parametrize("cloned", [True, False])
    def test_a_row_is_written_back_only_from_a_clone(self, cloned):
        weight = nn.Parameter(torch.ones(3, 2))
        row = weight[0].detach().clone() if cloned else weight[0].detach()
        weight.square().sum().backward()
        torch.optim.SGD([weight], lr=0.1).step()
        with torch.no_grad():
            weight[0] = row
        assert torch.equal(weight[0], torch.ones(2)) == cloned

    @pytest.mark.parametrize("clears", [True, False])
    def test_frozen_between_micro_batches_the_old_gradient_is_applied_until_it_is_cleared(self, clears):
        torch.manual_seed(0)
        body, head, x = nn.Linear(4, 4), nn.Linear(4, 1), torch.randn(4, 4)
        optimizer, moved = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1), []
        head(body(x)).square().mean().backward()
        body.requires_grad_(False)
        for _ in range(3):
            head(body(x)).square().mean().backward()
            before = body.weight.clone()
            optimizer.step()
            moved.append(not torch.equal(body.weight, before))
            if clears:
                optimizer.zero_grad()
        assert moved == ([True, False, False] if clears else [True, True, True])

    def test_a_running_lambda_scheduler_has_no_rule_for_an_added_group(self):
        head, backbone = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
        for rebuilt in (False, True):
            optimizer = torch.optim.SGD([head], lr=1.0)
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step)
            optimizer.add_param_group({"params": [backbone], "lr": 0.1})
            if rebuilt:
                scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step)
            optimizer.step()
            try:
                scheduler.step()
            except ValueError:  # it raises, or it leaves the new group out
                assert not rebuilt
            assert (optimizer.param_groups[1]["lr"] < 0.1) == rebuilt

    @pytest.mark.parametrize("factor", [0.5, 0.9])
    def test_a_new_lambda_scheduler_starts_again_and_one_that_has_all_groups_from_the_start_goes_on(self, factor):
        for from_start in (True, False):
            head, backbone = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1), requires_grad=False)
            groups = [{"params": [head], "lr": 1.0}, {"params": [backbone], "lr": 0.1}]
            optimizer = torch.optim.SGD(groups if from_start else groups[:1])
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor**step)
            for _ in range(5):
                optimizer.step()
                scheduler.step()
            if not from_start:
                optimizer.add_param_group(groups[1])
                torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor**step)
            rates = [group["lr"] for group in optimizer.param_groups]
            assert rates == pytest.approx([factor**5, 0.1 * factor**5] if from_start else [1.0, 0.1])

    @pytest.mark.parametrize("factor", [0.5, 0.9])
    def test_a_new_lambda_scheduler_with_last_epoch_goes_on_if_the_new_group_has_an_initial_lr(self, factor):
        optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor**step)
        for _ in range(5):
            optimizer.step()
            scheduler.step()
        optimizer.add_param_group({"params": [nn.Parameter(torch.ones(1))], "lr": 0.1})
        with pytest.raises(KeyError, match="initial_lr"):
            torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor**step, last_epoch=4)
        optimizer.param_groups[1]["initial_lr"] = 0.1
        torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor**step, last_epoch=4)
        assert [group["lr"] for group in optimizer.param_groups] == pytest.approx([factor**5, 0.1 * factor**5])

    @pytest.mark.parametrize("training", [True, False])
    def test_an_embedding_with_max_norm_shortens_looked_up_rows_of_its_frozen_weight(self, training):
        for max_norm in (None, 1.0):
            embedding = nn.Embedding(3, 4, max_norm=max_norm).requires_grad_(False).train(training)
            embedding.weight.copy_(torch.tensor([[5.0], [5.0], [0.1]]).expand(3, 4))
            before = embedding.weight.clone()
            embedding(torch.tensor([0, 2]))
            same = [torch.equal(row, old) for row, old in zip(embedding.weight, before, strict=True)]
            assert same == [max_norm is None, True, True]

    def test_a_state_dict_shows_a_change_only_if_it_was_cloned(self):
        for model in (nn.Linear(2, 2), nn.BatchNorm1d(2)):
            kept = model.state_dict()
            cloned = {name: tensor.clone() for name, tensor in kept.items()}
            with torch.no_grad():
                model.weight.add_(1)
            assert torch.equal(kept["weight"], model.weight)
            assert not torch.equal(cloned["weight"], model.weight)

    @pytest.mark.parametrize("steps", [1, 30])
    def test_the_picture_shows_a_stale_gradient_zeros_and_none(self, steps):
        path = requires_grad_drift.path
        assert path("SGD", "stale", steps) == pytest.approx([0.04 * step for step in range(steps + 1)], abs=1e-5)
        velocity = [2 * 0.02 * 0.9**step for step in range(1, steps + 1)]
        assert path("momentum", "zeros", steps)[-1] == pytest.approx(sum(velocity), abs=1e-5)
        assert path("AdamW", "zeros", steps)[-1] > 0.01
        assert path("SGD", "zeros", steps) == [0.0] * (steps + 1)
        for name in ("SGD", "momentum", "AdamW", "Adagrad"):
            assert path(name, "None", steps) == [0.0] * (steps + 1)

    def test_wrapping_in_ddp_reads_the_flag_once(self, tmp_path):
        torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
        try:
            for freeze_first in (True, False):
                model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
                model[0].requires_grad_(not freeze_first)
                wrapped = nn.parallel.DistributedDataParallel(model)
                model[0].requires_grad_(False)
                wrapped(torch.ones(1, 2)).sum().backward()
                if freeze_first:
                    wrapped(torch.ones(1, 2)).sum().backward()
                else:
                    with pytest.raises(RuntimeError, match="finished reduction in the prior iteration"):
                        wrapped(torch.ones(1, 2))
        finally:
            torch.distributed.destroy_process_group()

    def test_an_unfrozen_layer_that_the_optimizer_does_not_know_stays_and_is_never_cleared(self):
        body, head, x = nn.Linear(3, 3).requires_grad_(False), nn.Linear(3, 1), torch.randn(8, 3)
        optimizer = torch.optim.SGD([p for p in (*body.parameters(), *head.parameters()) if p.requires_grad], lr=0.05)
        body.requires_grad_(True)
        before, losses = body.weight.detach().clone(), []
        for _ in range(3):
            optimizer.zero_grad()
            loss = head(body(x)).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert torch.equal(body.weight, before) and losses[0] > losses[1] > losses[2]
        optimizer.zero_grad()
        assert body.weight.grad is not None and head.weight.grad is None
        optimizer.add_param_group({"params": body.parameters(), "lr": 0.01})
        optimizer.zero_grad()
        head(body(x)).square().mean().backward()
        optimizer.step()
        assert not torch.equal(body.weight, before)

    def test_a_frozen_batch_norm_changes_in_train_mode_and_train_undoes_eval(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
        requires_grad.freeze(model)
        x, norm = torch.randn(8, 3) + 5, model[1]
        before = norm.running_mean.clone()
        model(x)
        moved = norm.running_mean.clone()
        assert not torch.equal(moved, before)
        norm.eval()
        model(x)
        assert torch.equal(norm.running_mean, moved)
        model.train()
        assert norm.training

    def test_a_frozen_layer_passes_the_gradient_on(self):
        first, frozen = nn.Linear(3, 3), nn.Linear(3, 1)
        requires_grad.freeze(frozen)
        frozen(first(torch.ones(1, 3))).sum().backward()
        assert frozen.weight.grad is None and first.weight.grad.abs().sum() > 0


class TestNoGrad:
    @staticmethod
    def chain(*widths: int) -> nn.Sequential:
        layers = [layer for a, b in zip(widths, widths[1:], strict=False) for layer in (nn.Linear(a, b), nn.ReLU())]
        return nn.Sequential(*layers[:-1])

    @pytest.mark.parametrize("widths", [(3, 5), (7, 11, 2), (4, 8, 16, 8, 1)])
    @pytest.mark.parametrize("samples", [1, 9])
    def test_a_chain_saves_the_input_of_each_linear_layer(self, widths, samples):
        model = self.chain(*widths)
        result, saved = no_grad.saved_for_backward(lambda: model(torch.randn(samples, widths[0])), model)
        assert saved == 4 * samples * sum(widths[:-1])
        assert result.requires_grad

    @pytest.mark.parametrize(("depth", "samples"), [(1, 7), (4, 5)])
    def test_recorded_activations_pile_up_and_without_a_graph_two_are_alive(self, depth, samples):
        model, x = no_grad_memory.mlp(depth, 8), torch.randn(samples, 8)
        one = samples * 8 * 4
        recorded = no_grad_memory.activations(model, x)
        assert recorded == [one * (1 + (layer + 1) // 2) for layer in range(2 * depth)]
        with torch.no_grad():
            free = no_grad_memory.activations(model, x)
        assert free == [one, *[2 * one] * (2 * depth - 1)]
        frozen = no_grad_memory.activations(model.requires_grad_(False), x)
        assert frozen == free

    @pytest.mark.parametrize("named", [False, True])
    def test_a_forward_that_names_its_activations_holds_them_until_it_returns(self, named):
        layers, alive, most = [nn.Linear(4, 4) for _ in range(5)], weakref.WeakSet(), 0
        with torch.no_grad():
            x, kept = torch.ones(1, 4), []
            for layer in layers:
                x = layer(x)
                alive.add(x)
                kept.append(x if named else None)
                most = max(most, len(alive))
        assert most == (5 if named else 1)  # after each layer, its input is gone unless something refers to it

    def test_activations_counts_a_layer_that_returns_its_input_once(self, capsys):
        x = torch.randn(10, 8)
        for layers in ((nn.ReLU(inplace=True),), (nn.Flatten(), nn.Identity())):
            with torch.no_grad():
                curve = no_grad_memory.activations(nn.Sequential(nn.Linear(8, 8), *layers, nn.Linear(8, 8)), x)
            assert curve == [320] * (1 + len(layers)) + [640]
        assert capsys.readouterr().err == ""

    def test_a_nested_sequential_holds_one_more(self):
        def held(model):
            alive, peak = {}, []

            def count(module, inputs, output):
                storage = output.untyped_storage()
                alive[storage._cdata] = storage.nbytes()
                weakref.finalize(storage, alive.pop, storage._cdata)
                peak.append(sum(alive.values()))

            for layer in model.modules():
                if not list(layer.children()):
                    layer.register_forward_hook(count)
            with torch.no_grad():
                model(torch.randn(10, 8))
            return max(peak) // (10 * 8 * 4)

        def block(*parts):
            return nn.Sequential(nn.Linear(8, 8), nn.ReLU(), *parts, nn.Linear(8, 8), nn.ReLU())

        assert held(block()) == 2
        assert held(nn.Sequential(block(), block())) == 3 and held(block(block(block()))) == 4

    def test_a_relu_at_the_end_is_saved_too(self):
        x = torch.randn(16, 8)
        for layers, saved in (((nn.Linear(8, 8),), 8), ((nn.Linear(8, 8), nn.ReLU()), 16)):
            model = nn.Sequential(*layers)
            assert no_grad.saved_for_backward(lambda model=model: model(x), model)[1] == 4 * 16 * saved

    def test_some_float_results_have_no_gradient_and_raise_nothing(self):
        w = torch.ones(3, requires_grad=True)
        for result in (torch.zeros_like(w), torch.rand_like(w), torch.histc(w, bins=3)):
            assert result.is_floating_point() and not result.requires_grad

    def test_functions_that_differentiate_switch_grad_mode_on(self):
        w = torch.tensor([2.0, 3.0])
        with torch.no_grad():
            assert torch.equal(torch.func.grad(lambda w: w.square().sum())(w), 2 * w)
            assert torch.equal(torch.autograd.functional.jacobian(torch.square, w), torch.diag(2 * w))
            assert not torch.is_grad_enabled()

    def test_a_differentiable_optimizer_steps_in_grad_mode(self):
        for differentiable in (False, True):
            w = nn.Parameter(torch.ones(2))
            optimizer = torch.optim.SGD([w], lr=0.1, differentiable=differentiable)
            w.grad = torch.ones(2)
            if differentiable:
                with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
                    optimizer.step()
            else:
                optimizer.step()
                assert torch.allclose(w, torch.full((2,), 0.9))

    def test_the_helper_counts_shared_memory_once_and_no_buffer(self):
        class Halves(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 8)

            def forward(self, x):
                value, gate = self.linear(x).chunk(2, dim=1)
                return value * gate

        x = torch.randn(16, 4)
        for model, size in ((Halves(), 16 * 8 * 4), (nn.BatchNorm1d(4).eval(), 0)):
            assert no_grad_vs_requires_grad_memory.saved_activations(model, x)[1] == size
            assert no_grad_myth.validate(model, x[None], lambda loss: loss)[1] == size + 16 * 4 * 4  # for square()

    def test_an_operation_without_a_derivative_is_recorded_and_backward_raises(self):
        for name, operation in {
            "heaviside": lambda w: torch.heaviside(w, torch.tensor([0.5])),
            "igamma": lambda w: torch.igamma(w, torch.ones(1)),
        }.items():
            result = operation(torch.ones(1, requires_grad=True))
            assert result.requires_grad and result.grad_fn is not None
            with pytest.raises(RuntimeError, match=name):
                result.sum().backward()
            with torch.no_grad():
                assert operation(torch.ones(1, requires_grad=True)).grad_fn is None

    def test_saved_bytes_are_what_stays_alive_and_no_grad_frees(self):
        model, x = self.chain(32, 64, 64, 8), torch.randn(16, 32)
        held = []
        for compute in (lambda: model(x), torch.no_grad()(lambda: model(x))):
            with live_bytes.LiveBytes() as live:
                output = compute()
                held.append(sum(live.sizes.values()))
            del output
        _, saved = no_grad.saved_for_backward(lambda: model(x), model)
        assert held[0] - held[1] == saved - x.nbytes == 2 * 16 * 64 * 4

    def test_counting_neither_changes_the_gradient_nor_keeps_the_graph(self):
        model, x = self.chain(3, 4, 2).append(nn.Softmax(dim=1)), torch.randn(5, 3)
        output, _ = no_grad.saved_for_backward(lambda: model(x), model)
        counted = torch.autograd.grad(output.square().sum(), model[0].weight)[0]
        torch.testing.assert_close(counted, torch.autograd.grad(model(x).square().sum(), model[0].weight)[0])
        output, _ = no_grad.saved_for_backward(lambda: model(x), model)
        output.grad_fn.metadata["probe"] = probe = type("Probe", (), {})()
        probe, output = weakref.ref(probe), None
        assert probe() is None

    @pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, lambda: torch.set_grad_enabled(False)])
    def test_each_mode_saves_nothing_and_computes_the_same(self, mode):
        model, x = self.chain(6, 5, 4), torch.randn(3, 6)

        def compute():
            with mode():
                return model(x)

        result, saved = no_grad.saved_for_backward(compute, model)
        assert saved == 0 and result.grad_fn is None and not result.requires_grad
        assert torch.equal(result.clone(), model(x).detach())
        assert torch.is_grad_enabled()

    def test_with_frozen_weights_nothing_is_recorded_in_either_mode_until_a_tensor_that_requires_grad_joins(self):
        model, x = self.chain(6, 5, 4).requires_grad_(False), torch.randn(3, 6)
        for compute in (lambda: model(x), torch.no_grad()(lambda: model(x))):
            result, saved = no_grad.saved_for_backward(compute, model)
            assert saved == 0 and not result.requires_grad
        assert (model(x) * torch.ones(4, requires_grad=True)).requires_grad

    def test_results_without_a_derivative_do_not_require_grad(self):
        x = torch.randn(4, requires_grad=True)
        for result in (x.argmax(), x > 0, x.long(), x.isnan(), x.sign().bool()):
            assert not result.requires_grad and result.grad_fn is None

    def test_cutting_after_the_forward_pass_saves_nothing(self):
        model, x = self.chain(6, 5, 4), torch.randn(3, 6)
        _, whole = no_grad.saved_for_backward(lambda: model(x), model)
        for late in (lambda: model(x).detach(), lambda: model(x).argmax(), lambda: model(x.detach())):
            assert no_grad.saved_for_backward(late, model)[1] == whole > 0

    def test_weights_keep_their_flag_inside_and_a_model_built_inside_trains(self):
        with torch.no_grad():
            model = nn.Linear(2, 1)
            assert model.weight.requires_grad
            assert torch.ones(1, requires_grad=True).requires_grad
        model(torch.ones(1, 2)).sum().backward()
        assert model.weight.grad is not None

    def test_the_mode_comes_back_after_an_error(self):
        with pytest.raises(ZeroDivisionError), torch.no_grad():
            raise ZeroDivisionError
        assert torch.is_grad_enabled()

    def test_lazy_work_and_other_threads_are_tracked(self):
        model = nn.Linear(2, 1)
        with torch.no_grad():
            lazy = (model(x) for x in torch.ones(2, 1, 2))
            with ThreadPoolExecutor(1) as pool:
                assert pool.submit(model, torch.ones(1, 2)).result().requires_grad
                assert not pool.submit(torch.no_grad()(model.forward), torch.ones(1, 2)).result().requires_grad
        assert all(output.requires_grad for output in lazy)

    def test_a_block_around_yield_stops_the_callers_training_and_the_decorator_does_not(self):
        teacher, student = nn.Linear(2, 1), nn.Linear(2, 1)

        def in_a_block():
            with torch.no_grad():
                yield teacher(torch.ones(1, 2))

        @torch.no_grad()
        def decorated():
            yield teacher(torch.ones(1, 2))

        def train(targets):
            for target in targets:
                assert not target.requires_grad
                (student(torch.ones(1, 2)) - target).square().sum().backward()

        with pytest.raises(RuntimeError, match="does not require grad"):
            train(in_a_block())
        train(decorated())
        assert student.weight.grad is not None

    @pytest.mark.parametrize("depth", [1, 3])
    @pytest.mark.parametrize("batches", [2, 5, 12])
    def test_without_no_grad_a_validation_loop_needs_two_graphs_however_long_it_is(self, depth, batches):
        model, data = no_grad_myth.mlp(depth, 8), torch.randn(batches, 4, 8)
        one = depth * 4 * 8 * 4
        for keep in (torch.Tensor.item, torch.detach, lambda loss: None):
            assert no_grad_myth.validate(model, data, keep) == (2 * one, 0)
        assert no_grad_myth.validate(model, data, lambda loss: loss) == (batches * one, batches * one)

    def test_a_running_sum_of_losses_keeps_every_graph(self):
        totals = [torch.zeros(())]

        def add(loss):
            totals[0] = totals[0] + loss

        _, after = no_grad_myth.validate(no_grad_myth.mlp(2, 8), torch.randn(6, 4, 8), add)
        assert after == 6 * 2 * 4 * 8 * 4

    @pytest.mark.parametrize("detached", [True, False])
    def test_a_list_of_outputs_keeps_every_graph_unless_they_are_detached(self, detached):
        model, outputs = no_grad_myth.mlp(2, 8), []
        model.register_forward_hook(
            lambda module, inputs, output: outputs.append(output.detach().clone() if detached else output)
        )
        _, after = no_grad_myth.validate(model, torch.randn(6, 4, 8), torch.Tensor.item)
        assert (after >= 6 * 2 * 4 * 8 * 4) == (not detached) and (after == 0) == detached

    @pytest.mark.parametrize("decorator", [torch.no_grad(), torch.no_grad])
    def test_a_decorated_coroutine_is_tracked_and_a_block_around_await_reaches_other_tasks(self, decorator):
        w = torch.ones(2, requires_grad=True)

        @decorator
        async def decorated():
            return (3 * w).requires_grad

        async def block(awaits):
            with torch.no_grad():
                if awaits:
                    await asyncio.sleep(0)
                return (3 * w).requires_grad

        async def other():
            return (3 * w).requires_grad

        async def main(awaits):
            return await decorated(), *await asyncio.gather(block(awaits), other())

        assert run(main(awaits=True)) == (True, False, False)
        assert run(main(awaits=False)) == (True, False, True)

    @pytest.mark.parametrize("overlap", [True, False])
    def test_two_blocks_around_await_that_overlap_leave_grad_mode_off(self, overlap):
        async def block(rounds):
            with torch.no_grad():
                for _ in range(rounds):
                    await asyncio.sleep(0)

        async def main():
            if overlap:
                await asyncio.gather(block(1), block(2))
            else:
                await block(1)
                await block(2)
            return torch.is_grad_enabled()

        assert run(main()) == (not overlap)

    @pytest.mark.parametrize("detached", [True, False])
    def test_a_carried_state_keeps_every_graph_unless_it_is_detached(self, detached):
        def kept(steps):
            cell, state, alive = nn.GRUCell(4, 4), torch.zeros(2, 4), weakref.WeakSet()

            def pack(tensor):
                saved = no_grad_myth.Saved(tensor)
                alive.add(saved)
                return saved

            with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved.tensor):
                for _ in range(steps):
                    state = cell(torch.ones(2, 4), state.detach() if detached else state)
            return len(alive)

        assert (kept(2) == kept(10)) == detached and (kept(10) > 4 * kept(2)) == (not detached)

    def test_with_no_grad_the_same_loop_holds_nothing(self):
        validate = torch.no_grad()(no_grad_myth.validate)
        assert validate(no_grad_myth.mlp(2, 8), torch.randn(6, 4, 8), lambda loss: loss) == (0, 0)

    def test_what_is_saved_grows_with_samples_and_depth_so_there_is_no_fixed_ratio(self):
        def share(depth, width, samples):
            model, batch = no_grad_myth.mlp(depth, width), torch.randn(1, samples, width)
            saved = no_grad_myth.validate(model, batch, lambda loss: loss)[1]
            return saved / (saved + batch.nbytes + sum(p.nbytes for p in model.parameters()))

        assert share(2, 128, 1) < 0.02 < share(2, 128, 64) < share(2, 8, 64) < share(16, 8, 256) < 1
        assert share(16, 8, 256) > 0.85

    def test_an_update_by_hand_needs_no_grad_and_rebinding_loses_the_leaf(self):
        w = torch.ones(3, requires_grad=True)
        w.sum().backward()
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            w -= 0.1 * w.grad
        with torch.no_grad():
            w -= 0.1 * w.grad
        assert w.is_leaf and w.requires_grad
        torch.testing.assert_close(w.detach(), torch.full((3,), 0.9))
        rebound = w - 0.1 * w.grad
        rebound.sum().backward()
        with pytest.warns(UserWarning, match="not a leaf"):
            assert rebound.grad is None

    def test_an_optimizer_steps_in_no_grad_mode(self):
        modes = []

        class Recorder(torch.optim.SGD):
            def _init_group(self, *args, **kwargs):
                modes.append(torch.is_grad_enabled())
                return super()._init_group(*args, **kwargs)

        w = nn.Parameter(torch.ones(1))
        w.sum().backward()
        Recorder([w], lr=0.1).step()
        assert modes == [False]

    def test_targets_from_inference_mode_cannot_be_trained_on_and_those_from_no_grad_can(self):
        teacher, student, x = nn.Linear(2, 1), nn.Linear(2, 1), torch.randn(4, 2)
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                target = teacher(x)
            if mode is torch.no_grad:
                nn.functional.mse_loss(student(x), target).backward()
            else:
                with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
                    nn.functional.mse_loss(student(x), target).backward()
                nn.functional.mse_loss(student(x), target.clone()).backward()

    @pytest.mark.parametrize("view", [lambda w: w.view(6), lambda w: w[0], lambda w: w.t(), lambda w: w.flatten()])
    def test_a_view_keeps_the_flag_without_being_recorded_and_other_results_do_not(self, view):
        for base in (torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True) * 1):
            with torch.no_grad():
                seen, computed = view(base), view(base) * 1
            assert seen.requires_grad and seen.grad_fn is None
            assert not computed.requires_grad
        leaf = torch.ones(2, 3, requires_grad=True)
        with torch.no_grad():
            seen = view(leaf)
        seen.sum().backward()
        assert leaf.grad is None

    @pytest.mark.parametrize("factor", [3.0, 5.0])
    def test_an_in_place_operation_is_not_recorded_and_leaves_grad_fn_as_it_was(self, factor):
        for recorded in (True, False):
            w = torch.ones(3, requires_grad=True)
            y = 2 * w
            node = y.grad_fn
            with torch.set_grad_enabled(recorded):
                y.mul_(factor)
            assert y.requires_grad and (y.grad_fn is node) != recorded
            assert y.tolist() == [2 * factor] * 3
            y.sum().backward()
            assert w.grad.tolist() == [2 * factor if recorded else 2.0] * 3

    def test_no_grad_leaves_dropout_on(self):
        with torch.no_grad():
            assert (nn.Dropout(0.5)(torch.ones(1000)) == 0).any()


class TestNoGradVsRequiresGrad:
    def test_a_frozen_layer_passes_exactly_the_gradient_that_a_trainable_one_passes(self):
        reference = no_grad_vs_requires_grad.gradients("trainable")
        frozen = no_grad_vs_requires_grad.gradients("requires_grad=False")
        assert torch.equal(frozen["first"], reference["first"]) and torch.equal(frozen["last"], reference["last"])
        assert frozen["middle"] is None and reference["middle"].any() and reference["first"].any()

    def test_no_grad_cuts_off_what_lies_before_and_leaves_what_lies_behind(self):
        reference = no_grad_vs_requires_grad.gradients("trainable")
        cut = no_grad_vs_requires_grad.gradients("no_grad()")
        assert cut["first"] is None and cut["middle"] is None
        assert torch.equal(cut["last"], reference["last"])

    def test_the_two_gradients_of_a_linear_layer_and_freezing_drops_only_the_left_one(self):
        layer, x, delta = nn.Linear(3, 2, bias=False), torch.randn(3, requires_grad=True), torch.randn(2)
        layer(x).backward(delta)
        torch.testing.assert_close(layer.weight.grad, torch.outer(delta, x.detach()))
        torch.testing.assert_close(x.grad, layer.weight.detach().T @ delta)
        left, x.grad, layer.weight.grad = x.grad.clone(), None, None
        layer.requires_grad_(False)(x).backward(delta)
        assert layer.weight.grad is None
        torch.testing.assert_close(x.grad, left)

    def test_they_agree_where_nothing_earlier_requires_grad(self):
        backbone, head, x = nn.Linear(3, 4), nn.Linear(4, 1), torch.randn(5, 3)
        with torch.no_grad():
            features = backbone(x)
        head(features).sum().backward()
        expected = head.weight.grad.clone()
        head.zero_grad()
        features = backbone.requires_grad_(False)(x)
        assert features.grad_fn is None
        head(features).sum().backward()
        assert torch.equal(head.weight.grad, expected)

    @pytest.mark.parametrize("tied", [True, False])
    def test_a_tied_weight_that_is_only_looked_up_in_no_grad_still_gets_a_gradient(self, tied):
        def reached(frozen):
            table, layer = nn.Embedding(5, 3), nn.Linear(3, 3)
            table.requires_grad_(not frozen)
            with torch.set_grad_enabled(frozen):
                hidden = table(torch.tensor([0, 1]))
            hidden = layer(hidden)
            (hidden @ table.weight.T if tied else hidden).sum().backward()
            return table.weight.grad is not None

        assert not reached(frozen=True) and reached(frozen=False) == tied

    @pytest.mark.parametrize("positions", [True, False])
    def test_a_module_that_takes_positions_has_an_input_without_grad_fn_too(self, positions):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.tokens, self.positions, self.layer = nn.Embedding(5, 3), nn.Embedding(4, 3), nn.Linear(3, 3)

            def forward(self, ids):
                hidden = self.tokens(ids)
                return self.layer(hidden + self.positions(torch.arange(ids.shape[1])) if positions else hidden)

        model, without = Model(), []
        for name, module in model.named_modules():
            module.register_forward_pre_hook(
                lambda module, inputs, name=name: without.append(name) if inputs[0].grad_fn is None else None
            )
        model(torch.tensor([[0, 1, 2]]))
        assert without == ["", "tokens", *["positions"] * positions]

    def test_a_generator_learns_through_a_frozen_discriminator_only(self):
        generator, discriminator = nn.Linear(2, 2), nn.Linear(2, 1)
        with torch.no_grad():
            score = discriminator(generator(torch.ones(1, 2)))
        with pytest.raises(RuntimeError, match="does not require grad"):
            score.sum().backward()
        discriminator.requires_grad_(False)(generator(torch.ones(1, 2))).sum().backward()
        assert generator.weight.grad.any() and discriminator.weight.grad is None

    @pytest.mark.parametrize("steps", [1, 40])
    def test_under_no_grad_the_adapter_never_moves_and_the_head_does(self, steps):
        losses, moved = no_grad_vs_requires_grad_broken.fit_adapter("no_grad()", steps)
        assert moved == 0 and len(losses) == steps
        assert steps == 1 or losses[-1] < losses[0] / 2
        assert no_grad_vs_requires_grad_broken.fit_adapter("requires_grad=False", steps)[1] > 0

    def test_both_runs_start_at_the_same_loss_and_end_far_apart(self):
        frozen, _ = no_grad_vs_requires_grad_broken.fit_adapter("requires_grad=False", 250)
        cut, _ = no_grad_vs_requires_grad_broken.fit_adapter("no_grad()", 250)
        assert frozen[0] == cut[0]
        assert cut[-1] > 10 * frozen[-1]

    def test_no_grad_around_backward_changes_no_gradient(self):
        layer, x = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1)), torch.randn(4, 3)
        layer(x).sum().backward()
        expected = [p.grad.clone() for p in layer.parameters()]
        layer.zero_grad()
        loss = layer(x).sum()
        with torch.no_grad():
            loss.backward()
        for p, grad in zip(layer.parameters(), expected, strict=True):
            assert torch.equal(p.grad, grad)

    def test_freezing_between_the_passes_still_counts_and_unfreezing_does_not(self):
        frozen_late, unfrozen_late = nn.Linear(2, 1), nn.Linear(2, 1)
        unfrozen_late.weight.requires_grad_(False)
        loss = frozen_late(torch.ones(1, 2)).sum() + unfrozen_late(torch.ones(1, 2)).sum()
        frozen_late.weight.requires_grad_(False)
        unfrozen_late.weight.requires_grad_(True)
        loss.backward()
        assert frozen_late.weight.grad is None and unfrozen_late.weight.grad is None
        assert frozen_late.bias.grad is not None

    def test_the_flag_of_a_result_cannot_be_cleared_but_detach_cuts(self):
        weight, bias, result = no_grad_vs_requires_grad_when.forward()
        with pytest.raises(RuntimeError, match="leaf variables.*detach"):
            result.requires_grad_(False)
        assert torch.equal(result, 3 * weight + bias) and weight.is_leaf and bias.is_leaf
        assert not result.detach().requires_grad

    def test_the_first_trained_layer_decides_what_is_saved(self):
        memory, x = no_grad_vs_requires_grad_memory, torch.randn(16, 64)
        counts = {
            trained: memory.saved_activations(memory.frozen_but(*trained), x)[0]
            for trained in ((1, 2, 3, 4), (1,), (2, 3, 4), (2,), (3, 4), (3,), (4,), ())
        }
        assert list(counts.values()) == [3, 3, 3, 3, 2, 2, 1, 0]
        assert memory.saved_activations(memory.frozen_but(3), x)[1] == 2 * 16 * 64 * 4
        with torch.no_grad():
            assert memory.saved_activations(memory.frozen_but(1), x) == (0, 0)

    @pytest.mark.parametrize(
        ("activation", "every", "only_first"),
        [
            (nn.ReLU, 3, 3),
            (nn.Tanh, 3, 3),  # keep their output, the next layer's input
            (nn.GELU, 6, 3),
            (nn.SiLU, 6, 3),  # keep their input
            (nn.Identity, 3, 0),
        ],
    )
    def test_what_is_kept_after_the_first_trained_layer_depends_on_the_activation(self, activation, every, only_first):
        memory, x = no_grad_vs_requires_grad_memory, torch.randn(16, 64)

        def kept(*trained):
            parts = memory.frozen_but(*trained)
            model = nn.Sequential(*(activation() if isinstance(part, nn.ReLU) else part for part in parts))
            return memory.saved_activations(model, x)

        tensor = 16 * 64 * 4
        assert kept(1, 2, 3, 4) == (every, every * tensor)
        assert kept(1) == (only_first, only_first * tensor)
        assert kept(4) == (1, tensor)  # only the input of the trained layer
        assert kept() == (0, 0)

    def test_neither_switches_off_dropout_or_batch_norms_statistics(self):
        for grad in (True, False):
            model = nn.Sequential(nn.BatchNorm1d(100), nn.Dropout(0.5)).requires_grad_(False)
            with torch.set_grad_enabled(grad):
                output = model(torch.randn(16, 100) + 5)
            assert model[0].running_mean.any() and (output == 0).any()

    @pytest.mark.parametrize("skip", [True, False])
    def test_a_skip_connection_hides_a_cut(self, skip):
        def gradients(cut):
            torch.manual_seed(0)
            first, block, x = nn.Linear(4, 4), nn.Linear(4, 4), torch.randn(2, 4)
            hidden = first(x)
            result = block(hidden.detach() if cut else hidden) + (hidden if skip else 0)
            result.square().sum().backward()
            return first.weight.grad, block.weight.grad

        (right, _), (found, of_block) = gradients(cut=False), gradients(cut=True)
        assert of_block is not None and (found is not None) == skip
        assert found is None or not torch.allclose(found, right)

    @pytest.mark.parametrize("cut", [True, False])
    def test_the_inputs_of_all_submodules_show_a_cut_inside_a_block(self, cut):
        class Residual(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(4, 4)

            def forward(self, h):
                return h + self.inner(h.detach() if cut else h)

        model, without = nn.Sequential(nn.Linear(4, 4), Residual(), nn.Linear(4, 1)), []
        names = {module: name for name, module in model.named_modules()}
        for module in model.modules():
            module.register_forward_pre_hook(
                lambda module, inputs: without.append(names[module]) if inputs[0].grad_fn is None else None
            )
        model(torch.ones(2, 4)).sum().backward()
        assert all(p.grad is not None for p in model.parameters())
        assert without == ["", "0", *["1.inner"] * cut]

    def test_one_backward_lists_the_parameters_that_no_gradient_reaches(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.before, self.frozen = nn.Linear(2, 2), nn.Linear(2, 2).requires_grad_(False)
                self.head, self.forgotten = nn.Linear(2, 1), nn.Linear(2, 1)

            def forward(self, x):
                with torch.no_grad():
                    x = self.frozen(self.before(x))
                return self.head(x)

        model = Model()
        model(torch.ones(1, 2)).sum().backward()
        unreached = [name for name, p in model.named_parameters() if p.requires_grad and p.grad is None]
        assert unreached == ["before.weight", "before.bias", "forgotten.weight", "forgotten.bias"]


class TestEvalVsNoGrad:
    MODELS = {
        "both": lambda: nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.Dropout(0.5)),
        "dropout": lambda: nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.3), nn.Linear(64, 1)),
        "norm": lambda: nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8)),
        "neither": lambda: nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8)),
    }

    @pytest.mark.parametrize("name", MODELS)
    @pytest.mark.parametrize("training", [True, False])
    @pytest.mark.parametrize("grad", [True, False])
    def test_the_mode_decides_the_numbers_and_no_grad_decides_the_graph(self, name, training, grad):
        model = self.MODELS[name]().train(training)
        with torch.set_grad_enabled(grad):
            random, requires_grad, moved = eval_vs_no_grad.observe(model, torch.randn(32, 4))
        assert random == (training and name in ("both", "dropout"))
        assert requires_grad == grad
        assert moved == (training and name in ("both", "norm"))

    def test_no_grad_changes_no_digit_in_either_mode(self):
        model, x = self.MODELS["both"](), torch.randn(32, 4)
        for training in (True, False):
            copies = [copy.deepcopy(model).train(training) for _ in range(2)]
            torch.manual_seed(1)
            expected = copies[0](x)
            torch.manual_seed(1)
            with torch.no_grad():
                assert torch.equal(copies[1](x), expected)

    def test_eval_touches_only_the_flags_and_reaches_every_submodule(self):
        model = nn.Sequential(self.MODELS["both"](), nn.Sequential(nn.Dropout(0.1)))
        model[0][0].weight.requires_grad_(False)
        before = [(p.requires_grad, p.clone()) for p in model.parameters()]
        assert model.eval() is model
        assert not any(module.training for module in model.modules()) and torch.is_grad_enabled()
        for p, (flag, value) in zip(model.parameters(), before, strict=True):
            assert p.requires_grad == flag and torch.equal(p, value)
        assert all(module.training for module in model.train().modules())

    def test_gradients_reach_every_parameter_in_eval_mode(self):
        model = self.MODELS["both"]().eval()
        model(torch.randn(8, 4)).sum().backward()
        assert all(p.grad is not None for p in model.parameters())

    @pytest.mark.parametrize("features", [4, 5])
    def test_after_an_error_grad_mode_is_back_and_eval_mode_stays(self, features):
        model = self.MODELS["both"]()
        try:
            output = eval_vs_no_grad_broken.predict(model, torch.randn(3, features))
            assert not output.requires_grad
        except RuntimeError:
            assert features == 5
        assert torch.is_grad_enabled()
        assert all(module.training == (features == 4) for module in model.modules())
        model(torch.randn(8, 4)).sum().backward()
        assert model[0].weight.grad is not None

    def test_predict_repeats_and_wakes_a_layer_that_was_in_eval_mode_on_purpose(self):
        model, x = self.MODELS["both"](), torch.randn(3, 4)
        model[1].eval()
        assert torch.equal(eval_vs_no_grad_broken.predict(model, x), eval_vs_no_grad_broken.predict(model, x))
        assert model[1].training

    @pytest.mark.parametrize("activation", ["relu", "gelu"])
    def test_an_encoder_layer_takes_the_fast_path_in_eval_mode_if_there_is_nothing_to_record(
        self, monkeypatch, activation
    ):
        fused, calls = torch._transformer_encoder_layer_fwd, []
        monkeypatch.setattr(torch, "_transformer_encoder_layer_fwd", lambda *args: calls.append(1) or fused(*args))
        layer = nn.TransformerEncoderLayer(16, 2, 32, activation=activation, batch_first=True)
        taken = set()
        for training in (True, False):
            for grad in (True, False):
                for weights in (True, False):
                    for data in (True, False):
                        calls.clear()
                        x = torch.randn(2, 5, 16, requires_grad=data)
                        with torch.set_grad_enabled(grad):
                            layer.train(training).requires_grad_(weights)(x)
                        if calls:
                            taken.add((training, grad, weights, data))
        in_no_grad = {(False, False, weights, data) for weights in (True, False) for data in (True, False)}
        assert taken == in_no_grad | {(False, True, False, False)}

    def test_dropout_comes_back_with_the_next_prediction_that_succeeds(self):
        model = self.MODELS["dropout"]()
        with pytest.raises(RuntimeError):
            eval_vs_no_grad_broken.predict(model, torch.randn(3, 5))
        assert not model[1].training
        eval_vs_no_grad_broken.predict(model, torch.randn(3, 4))
        assert model[1].training

    def test_dropout_alone_in_train_mode_samples_and_moves_no_statistics(self):
        model = self.MODELS["both"]().eval()
        x = torch.randn(8, 4)
        for only_dropout in (True, False):
            model.train(not only_dropout)
            model[2].train()
            with torch.no_grad():
                random, _, moved = eval_vs_no_grad.observe(model, x)
            assert random and moved == (not only_dropout)

    DROPOUT = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout)

    def differs(self, model, x, grad=False):
        with torch.set_grad_enabled(grad):
            return not torch.equal(model(x), model(x))

    def test_every_dropout_module_is_in_the_list(self):
        torch.manual_seed(0)
        x = torch.randn(2, 8, 4, 4)
        for kind in self.DROPOUT:
            shape = x[0] if kind is nn.Dropout1d else x.unsqueeze(2) if kind is nn.Dropout3d else x
            assert self.differs(kind(0.5), shape) and not self.differs(kind(0.5).eval(), shape)
            assert isinstance(kind(), nn.Dropout) == (kind is nn.Dropout)
        found = {kind for kind in vars(nn).values() if isinstance(kind, type) and "Dropout" in kind.__name__}
        assert found == set(self.DROPOUT)

    @pytest.mark.parametrize("kind", ["layer", "encoder"])
    def test_the_fused_path_skips_dropout_in_train_mode_until_the_layer_itself_is_in_train_mode(self, kind):
        torch.manual_seed(0)
        model = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.5, batch_first=True)
        if kind == "encoder":
            model = nn.TransformerEncoder(model, 2, enable_nested_tensor=False)
        model.eval()
        for module in model.modules():
            if isinstance(module, nn.Dropout):
                module.train()
        x = torch.randn(2, 3, 16)
        assert not self.differs(model, x) and self.differs(model, x, grad=True)
        for module in model.modules():
            if isinstance(module, nn.TransformerEncoderLayer):
                module.train()
        assert self.differs(model, x)

    @pytest.mark.parametrize("layer", ["lstm", "attention"])
    def test_lstm_and_attention_apply_dropout_without_a_dropout_module(self, layer):
        torch.manual_seed(0)
        model, x = nn.LSTM(4, 4, num_layers=2, dropout=0.5), torch.randn(3, 2, 4)
        if layer == "attention":
            model = nn.MultiheadAttention(4, 2, dropout=0.5)
        assert not any(isinstance(module, self.DROPOUT) for module in model.modules())
        for training in (True, False):
            model.train(training)
            inputs = (x, x, x) if layer == "attention" else (x,)
            assert torch.equal(model(*inputs)[0], model(*inputs)[0]) == (not training)

    @pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
    @pytest.mark.parametrize("nested", [True, False])
    def test_the_fast_path_of_an_encoder_zeros_padding_and_agrees_elsewhere(self, nested):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=nested).eval()
        x, pad = torch.randn(2, 5, 16), torch.arange(5) >= torch.tensor([[5], [3]])
        recorded = model(x, src_key_padding_mask=pad)
        with torch.no_grad():
            fast = model(x, src_key_padding_mask=pad)
        assert torch.allclose(fast[~pad], recorded[~pad], atol=1e-5)
        assert bool((fast[pad] == 0).all()) == nested and not (recorded[pad] == 0).any()

    @pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
    @pytest.mark.parametrize("at_the_end", [True, False])
    def test_only_padding_at_the_ends_is_overwritten_and_a_final_norm_adds_its_bias(self, at_the_end):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        model = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(16)).eval()
        nn.init.constant_(model.norm.bias, 0.5)
        x, pad = torch.randn(2, 5, 16), torch.arange(5) >= torch.tensor([[5], [3]])
        pad = pad if at_the_end else pad.flip(1)
        recorded = model(x, src_key_padding_mask=pad)
        with torch.no_grad():
            fast = model(x, src_key_padding_mask=pad)
        assert torch.allclose(fast[~pad], recorded[~pad], atol=1e-5)
        assert bool((fast[pad] == 0.5).all()) == at_the_end
        assert torch.allclose(fast[pad], recorded[pad], atol=1e-5) == (not at_the_end)

    @pytest.mark.parametrize("activation", ["relu", "gelu"])
    def test_the_fused_path_calls_the_operation_that_approximates_gelu_on_a_gpu(self, activation):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(64, 4, dropout=0.0, activation=activation, batch_first=True).eval()
        x = torch.randn(8, 16, 64)
        with torch.no_grad(), torch.profiler.profile() as profile:
            fast = layer(x)
        assert "aten::_addmm_activation" in {event.key for event in profile.key_averages()}
        recorded = layer(x)
        assert torch.allclose(fast, recorded, atol=1e-5)
        if activation == "gelu":
            layer.activation = functools.partial(nn.functional.gelu, approximate="tanh")
            assert 1e-5 < (layer(x) - recorded).abs().max() < 1e-2

    @pytest.mark.parametrize("in_the_head", [0.5, 0.0])
    def test_two_predictions_differ_by_dropout_in_the_head_while_the_encoder_layer_has_none(self, in_the_head):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.5, batch_first=True)
        model = nn.Sequential(layer, nn.Dropout(in_the_head)).eval()
        for module in model.modules():
            if isinstance(module, self.DROPOUT):
                module.train()
        x = torch.randn(2, 3, 16)
        assert not self.differs(layer, x) and self.differs(model, x) == (in_the_head > 0)

    @pytest.mark.parametrize("covered", [True, False])
    def test_a_sample_that_is_all_padding_is_nan_on_the_fast_path_of_a_layer_only(self, covered):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True).eval()
        x, pad = torch.randn(2, 5, 16), torch.arange(5) >= torch.tensor([[5], [0 if covered else 3]])
        recorded = layer(x, src_key_padding_mask=pad)
        with torch.no_grad():
            fast = layer(x, src_key_padding_mask=pad)
        assert not recorded.isnan().any() and fast[1].isnan().any() == covered
        assert torch.allclose(fast[~pad], recorded[~pad], atol=1e-5)

    @pytest.mark.parametrize("left", [1, 3])
    @pytest.mark.parametrize("norm_first", [False, True])
    def test_left_padding_under_a_causal_mask_is_nan_on_the_fast_path_of_a_layer(self, left, norm_first):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, norm_first=norm_first).eval()
        x, pad = torch.randn(2, 5, 16), torch.arange(5) < torch.tensor([[left], [0]])
        causal = torch.ones(5, 5, dtype=torch.bool).triu(1)
        recorded = layer(x, src_mask=causal, src_key_padding_mask=pad)
        with torch.no_grad():
            fast = layer(x, src_mask=causal, src_key_padding_mask=pad)
        assert not recorded.isnan().any() and torch.equal(fast.isnan().all(dim=-1), pad)
        assert torch.allclose(fast[~pad], recorded[~pad], atol=1e-5)

    @pytest.mark.parametrize("covered", [True, False])
    def test_attention_alone_takes_a_fast_path_that_is_nan_for_a_sample_that_is_all_padding(self, covered):
        torch.manual_seed(0)
        attention = nn.MultiheadAttention(16, 2, batch_first=True).eval()
        x, pad = torch.randn(2, 5, 16), torch.arange(5) >= torch.tensor([[5], [0 if covered else 3]])
        recorded, _ = attention(x, x, x, key_padding_mask=pad, need_weights=False)
        with torch.no_grad():
            fast, _ = attention(x, x, x, key_padding_mask=pad, need_weights=False)
        assert not recorded.isnan().any() and fast[1].isnan().any() == covered
        assert torch.allclose(fast[0], recorded[0], atol=1e-5)

    def test_layers_other_than_dropout_and_batch_norm_read_the_flag(self):
        torch.manual_seed(0)
        x = torch.randn(8, 4)
        # So wide that its power iteration has not converged: then train mode changes the norm at each call.
        normed = nn.utils.parametrizations.spectral_norm(nn.Linear(64, 64))
        for model, inputs in ((nn.RReLU(), x), (normed, torch.randn(8, 64))):
            assert self.differs(model.train(), inputs) and not self.differs(model.eval(), inputs)
        assert not self.differs(nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4)).train(), x)

    def test_an_input_gradient_repeats_in_eval_mode_only(self):
        model, x = self.MODELS["dropout"](), torch.randn(2, 4)
        gradients = [eval_vs_no_grad_input.input_gradient(model, x, 0) for _ in range(2)]
        assert not torch.equal(*gradients)
        model.eval()
        gradients = [eval_vs_no_grad_input.input_gradient(model, x, 0) for _ in range(2)]
        assert torch.equal(*gradients) and gradients[0].shape == x.shape and not x.requires_grad
        assert all(p.grad is None for p in model.parameters())

    def test_an_input_gradient_is_the_slope_of_the_chosen_logit(self):
        model, x = nn.Linear(4, 3), torch.randn(2, 4)
        for label in range(3):
            expected = model.weight[label].detach().expand(2, 4)
            torch.testing.assert_close(eval_vs_no_grad_input.input_gradient(model, x, label), expected)

    def test_update_bn_works_in_train_mode_without_a_graph(self):
        model = self.MODELS["norm"]().eval()
        seen = []
        model[1].register_forward_hook(lambda module, _, output: seen.append((module.training, output.requires_grad)))
        torch.optim.swa_utils.update_bn([torch.randn(8, 4) + 5], model)
        assert seen == [(True, False)] and not model.training
        assert model[1].running_mean.any()

    def test_a_functional_dropout_without_the_flag_stays_active_and_shows_in_no_list(self):
        class Model(nn.Module):
            def forward(self, x):
                return nn.functional.dropout(x)

        model = Model().eval()
        assert [name for name, module in model.named_modules() if module.training] == []
        assert (model(torch.ones(1000)) == 0).any()
