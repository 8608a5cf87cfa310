"""Every claim of docs/mid/training-dynamics/accumulation-and-the-optimizer.md, beyond the example shown."""

import math
import warnings

import pytest
import torch

from warmup.testing import load_snippet

state = load_snippet("mid/training-dynamics/accumulation_and_the_optimizer_state.py")
noise = load_snippet("mid/training-dynamics/accumulation_and_the_optimizer_noise.py")
broken = load_snippet("mid/training-dynamics/accumulation_and_the_optimizer_broken.py")
scheduler = load_snippet("mid/training-dynamics/accumulation_and_the_optimizer_scheduler_broken.py")


class TestAccumulationAndTheOptimizer:
    @pytest.mark.parametrize("name", state.OPTIMIZERS)
    @pytest.mark.parametrize(("count", "size", "every"), [(6, 3, 2), (8, 1, 4)])
    def test_weights_and_state_are_those_of_the_large_batch(self, name, count, size, every):
        kind, options = state.OPTIMIZERS[name]
        small = torch.randn(count, size, 4, dtype=torch.float64)
        large = small.view(count // every, size * every, 4)
        accumulated = state.train(small, every, kind, options)
        assert state.differ(accumulated, state.train(large, 1, kind, options)) < 1e-12
        assert state.differ(accumulated, state.train(small, 1, kind, options)) > 1e-4

    @pytest.mark.parametrize(("sigma", "every"), [(0.3, 1), (3.0, 4), (30.0, 256)])
    def test_the_mean_step_of_adam_is_that_of_the_formula(self, sigma, every):
        expected = 1 / math.sqrt(1 + sigma**2 / every)
        found = noise.progress(sigma, every, weights=1000, steps=200)
        assert found == pytest.approx(expected, rel=0.15)

    def test_a_rate_times_the_root_makes_up_for_it(self):
        one, sixteen = noise.progress(30.0, 1), noise.progress(30.0, 16)
        assert sixteen / one == pytest.approx(4, rel=0.1)

    @pytest.mark.parametrize("every", [1, 16])
    @pytest.mark.parametrize(("sigma", "momentum"), [(0.3, 0.0), (3.0, 0.0), (3.0, 0.9)])
    def test_the_mean_step_of_sgd_does_not_depend_on_k(self, every, sigma, momentum):
        w = torch.zeros(20_000, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=1.0, momentum=momentum)
        for _ in range(10):
            w.grad = 1 + sigma / math.sqrt(every) * torch.randn(20_000, dtype=torch.float64)
            optimizer.step()
        expected = sum(sum(momentum**i for i in range(t + 1)) for t in range(10))
        assert -w.mean().item() == pytest.approx(expected, rel=0.05)

    def test_small_came_six_times_as_far(self):
        small = torch.randn(64, 16, 4, generator=torch.Generator().manual_seed(0))
        far = []
        for batches in (small, small.view(8, 128, 4)):
            w = torch.zeros(4, requires_grad=True)
            optimizer = torch.optim.AdamW([w], lr=0.01)
            for x in batches:
                optimizer.zero_grad()
                (x @ w - x.sum(dim=1)).square().mean().backward()
                optimizer.step()
            far.append(w.mean().item())
        assert far[0] / far[1] == pytest.approx(6.2, abs=0.3)

    @pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.SGD])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_adam_enlarges_the_rounding_where_the_exact_gradient_is_zero(self, kind, dtype):
        found = []
        for every in (1, 8):
            torch.manual_seed(0)
            attention = torch.nn.MultiheadAttention(8, 1, batch_first=True).to(dtype)
            out = torch.nn.Linear(8, 1).to(dtype)
            optimizer = kind([*attention.parameters(), *out.parameters()], lr=0.01)
            for x in torch.randn(20, 32, 6, 8, dtype=dtype, generator=torch.Generator().manual_seed(1)):
                for part in x.chunk(every):
                    y = out(attention(part, part, part, need_weights=False)[0]).mean(dim=1)
                    ((y - part[:, 0, :1]).square().mean() / every).backward()
                optimizer.step()
                optimizer.zero_grad()
            keys = attention.in_proj_bias.detach()[8:16].clone()
            attention.in_proj_bias.data[8:16] = 0
            rest = [p.detach().flatten() for p in (*attention.parameters(), *out.parameters())]
            found.append((keys, torch.cat(rest)))
        (keys, rest), (other_keys, other_rest) = found
        assert (rest - other_rest).abs().max() < 1e-6
        differs = (keys - other_keys).abs().max().item() > 1e-3
        assert differs is (kind is torch.optim.Adam and dtype is torch.float32)

    @pytest.mark.parametrize("every", [1, 2, 8, 64])
    def test_the_decay_is_applied_once_per_step(self, every):
        assert broken.decay_left(every) == pytest.approx(0.99 ** (64 // every), rel=1e-4)

    def test_decay_per_sample_stays_if_rate_times_decay_grows_with_k(self):
        assert pytest.approx(0.53, abs=0.005) == 0.99**64
        root = math.sqrt(8)
        assert (1 - 0.01 * root * root) ** 8 == pytest.approx(0.51, abs=0.005)
        assert [round(0.9**8, 2), round(0.999**8, 3), round(0.999**299, 2)] == [0.43, 0.992, 0.74]

    @pytest.mark.parametrize("every", [4, 8])
    def test_a_scheduler_per_micro_batch_swings_and_warns(self, every):
        right = scheduler.rates(every, per_micro_batch=False)
        assert right == sorted(right, reverse=True) and right[0] == 1 and len(right) == 64 // every
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            wrong = scheduler.rates(every, per_micro_batch=True)
        assert len(caught) == 1 and "before `optimizer.step()`" in str(caught[0].message)
        assert wrong != sorted(wrong, reverse=True)

    def test_a_scheduler_per_step_does_not_warn_with_one_micro_batch(self):
        assert scheduler.rates(1, True) == scheduler.rates(1, False)

    @pytest.mark.parametrize("every", [1, 8])
    def test_a_step_in_backward_is_one_per_micro_batch(self, every):
        assert broken.steps_in_backward(every) == 64

    def test_a_hook_that_counts_accumulates_and_keeps_the_gradient(self):
        w, steps, calls = torch.ones(1, requires_grad=True), [], []

        def step(parameter):
            calls.append(1)
            if len(calls) % 8 == 0:
                steps.append(parameter.grad.item())
                parameter.grad = None

        w.register_post_accumulate_grad_hook(step)
        kept = []
        for _ in range(64):
            (w.sum() / 8).backward()
            kept.append(w.grad is not None)
        assert steps == [1.0] * 8 and sum(kept) == 56

    @pytest.mark.parametrize("every", [1, 8])
    def test_a_layer_used_in_one_of_eight_micro_batches(self, every):
        common, rare = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        optimizer = torch.optim.AdamW([common, rare], lr=0.01)
        for i in range(1, 65):
            ((common + rare if i % 8 == 3 else common).sum() / every).backward()
            if i % every == 0:
                optimizer.step()
                optimizer.zero_grad()
        counted = [int(optimizer.state[w]["step"]) for w in (common, rare)]
        assert counted == [64 // every, 8]

    @pytest.mark.parametrize(("kind", "ratios"), [(torch.optim.SGD, (1 / 8, 1 / 8)), (torch.optim.Adam, (1 / 8, 1))])
    def test_adam_cancels_the_division_for_the_rare_layer_and_sgd_does_not(self, kind, ratios):
        moved = []
        for every in (1, 8):
            layers = [torch.zeros(1, requires_grad=True) for _ in range(2)]
            optimizer = kind(layers, lr=0.01)
            for i in range(1, 65):
                (sum(layers if i % 8 == 3 else layers[:1]).sum() / every).backward()
                if i % every == 0:
                    optimizer.step()
                    optimizer.zero_grad()
            moved.append([w.item() for w in layers])
        for small, accumulated, ratio in zip(*moved, ratios, strict=True):
            assert accumulated / small == pytest.approx(ratio, rel=1e-3)

    @pytest.mark.parametrize(("sigma", "relative"), [(0.0, 8.0), (30.0, math.sqrt(8))])
    def test_the_rare_layer_gains_eight_times_or_its_root_on_the_others(self, sigma, relative):
        moved = []
        for every in (1, 8):
            torch.manual_seed(0)
            layers = [torch.zeros(4000, dtype=torch.float64, requires_grad=True) for _ in range(2)]
            optimizer = torch.optim.Adam(layers, lr=0.01)
            for i in range(1, 801):
                for w in layers if i % 8 == 3 else layers[:1]:
                    gradient = (1 + sigma * torch.randn(4000, dtype=torch.float64)) / every
                    w.grad = gradient if w.grad is None else w.grad + gradient
                if i % every == 0:
                    optimizer.step()
                    optimizer.zero_grad()
            moved.append([w.mean().item() for w in layers])
        (common, rare), (slower, same) = moved
        assert same == pytest.approx(rare, rel=1e-3)
        assert common / slower == pytest.approx(relative, rel=0.1)

    @pytest.mark.parametrize(("share", "first"), [(1, 8), (8, 64)])
    def test_a_hook_that_counts_its_calls_steps_late_if_some_micro_batches_give_no_gradient(self, share, first):
        w, other, calls, stepped = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True), [], []
        w.register_post_accumulate_grad_hook(lambda _: calls.append(1))
        for i in range(1, 65):
            (other + w if i % share == 0 else other).sum().backward()
            if calls and len(calls) % 8 == 0:
                stepped.append(i)
        assert stepped[0] == first

    @pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.SGD])
    @pytest.mark.parametrize("start", ["solution", "zero"])
    def test_adam_enlarges_the_rounding_where_the_gradient_is_as_small(self, kind, start):
        apart = []
        for seed in range(4):
            g = torch.Generator().manual_seed(seed)
            x = torch.randn(64, 4, generator=g)
            y = x.sum(dim=1) + torch.randn(64, generator=g)
            solution = torch.linalg.lstsq(x.double(), y[:, None].double()).solution[:, 0].float()
            found = []
            for every in (1, 8):
                w = solution.clone() if start == "solution" else torch.zeros(4)
                w.requires_grad_()
                optimizer = kind([w], lr=0.01)
                for _ in range(20):
                    for part, target in zip(x.chunk(every), y.chunk(every), strict=True):
                        ((part @ w - target).square().mean() / every).backward()
                    optimizer.step()
                    optimizer.zero_grad()
                found.append(w.detach())
            apart.append((found[0] - found[1]).abs().max().item())
        assert (max(apart) > 1e-4) is (kind is torch.optim.Adam and start == "solution")

    @pytest.mark.parametrize(("tokens", "same"), [((5, 5), True), ((9, 1), False)])
    def test_the_plain_mean_of_the_losses_is_that_of_the_step_only_with_equal_counts(self, tokens, same):
        losses = torch.randn(10, dtype=torch.float64)
        parts = losses.split(tokens)
        plain = torch.stack([part.mean() for part in parts]).mean()
        weighted = sum(part.mean() * len(part) / 10 for part in parts)
        assert torch.allclose(plain, losses.mean()) is same
        torch.testing.assert_close(weighted, losses.mean())
