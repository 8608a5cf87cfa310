"""What docs/mid/autograd/backward-vs-grad.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.autograd.functional import jacobian
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

hvp = load_snippet("mid/autograd/backward_vs_grad_hvp.py")


class TestBackwardVsGrad:
    def test_grad_returns_and_backward_accumulates(self):
        model = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.Linear(4, 1)).double()
        x, parameters = torch.randn(5, 3).double(), list(model.parameters())
        returned = torch.autograd.grad(model(x).mean(), parameters)
        assert all(p.grad is None for p in parameters)
        for times in (1, 2, 3):
            assert model(x).mean().backward() is None
            assert all(torch.allclose(p.grad, times * g) for p, g in zip(parameters, returned, strict=True))

    def test_grad_of_an_intermediate_visits_neither_what_lies_behind_nor_a_side_branch(self):
        x, other = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        h, side, visited = x.exp(), other.sin(), []
        h.grad_fn.register_prehook(lambda _: visited.append("behind"))
        side.grad_fn.register_prehook(lambda _: visited.append("side"))
        loss = (h * side).sum()
        (g,) = torch.autograd.grad(loss, h, retain_graph=True)
        assert torch.allclose(g, side) and visited == []
        torch.autograd.grad(loss, x, retain_graph=True)
        assert visited == ["behind"]
        loss.backward()
        assert sorted(visited) == ["behind", "behind", "side"]

    @pytest.mark.parametrize("activation", [nn.Tanh, nn.GELU, nn.Sigmoid])
    def test_the_product_is_that_of_the_whole_hessian(self, activation: type[nn.Module]):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(2, 3), activation(), nn.Linear(3, 1)).double()
        x, y = torch.randn(6, 2).double(), torch.randn(6, 1).double()
        parameters = dict(model.named_parameters())
        vector = [torch.randn_like(p) for p in parameters.values()]

        def loss(*values: torch.Tensor) -> torch.Tensor:
            return F.mse_loss(torch.func.functional_call(model, dict(zip(parameters, values, strict=True)), x), y)

        blocks = torch.autograd.functional.hessian(loss, tuple(parameters.values()))
        expected = [
            sum(torch.tensordot(block, v, v.dim()) for block, v in zip(row, vector, strict=True)) for row in blocks
        ]
        found = hvp.hessian_vector_product(loss(*parameters.values()), list(parameters.values()), vector)
        assert all(torch.allclose(a, b) for a, b in zip(found, expected, strict=True))
        assert all(p.grad is None for p in parameters.values())

    def test_the_product_leaves_the_graph_of_the_loss(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
        for loss in (model(torch.randn(4, 3)).square().mean(), F.softplus(model(torch.randn(4, 3))).mean()):
            parameters = list(model.parameters())
            vector = [torch.ones_like(p) for p in parameters]
            first, again = (hvp.hessian_vector_product(loss, parameters, vector) for _ in range(2))
            assert all(map(torch.equal, first, again))
            loss.backward()

    @pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
    def test_the_product_does_not_depend_on_the_grad_mode(self, mode: type):
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        for power in (2, 3):
            loss, vector = (w**power).sum(), [torch.tensor([1.0, 3.0])]
            with mode():
                (found,) = hvp.hessian_vector_product(loss, [w], vector)
            assert torch.allclose(found, power * (power - 1) * w.detach() ** (power - 2) * vector[0])

    def test_the_product_of_what_is_linear_or_unused_is_zero(self):
        w, unused = torch.ones(3, requires_grad=True), torch.ones(2, requires_grad=True)
        vector = [torch.ones(3), torch.ones(2)]
        for loss in ((2 * w).sum(), (w * torch.arange(3.0)).sum()):
            found = hvp.hessian_vector_product(loss, [w, unused], vector)
            assert [v.tolist() for v in found] == [[0, 0, 0], [0, 0]]
        found = hvp.hessian_vector_product((w**2).sum(), [w, unused], vector)
        assert [v.tolist() for v in found] == [[2, 2, 2], [0, 0]]
        with pytest.raises(ValueError, match="shorter"):
            hvp.hessian_vector_product((w**2).sum(), [w], vector[:0])

    def test_a_penalty_needs_create_graph(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(2, 8), nn.Softplus(), nn.Linear(8, 1))
        x = torch.randn(16, 2, requires_grad=True)
        found = {}
        for create in (False, True):
            (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=create)
            assert (slope.grad_fn is not None) == create
            loss = model(x).mean() + 10 * slope.square().mean()
            found[create] = torch.autograd.grad(loss, model[0].weight)[0]
        plain = torch.autograd.grad(model(x).mean(), model[0].weight)[0]
        assert torch.equal(found[False], plain) and not torch.allclose(found[True], plain)
        (slope,) = torch.autograd.grad(model(x).sum(), x)
        with pytest.raises(RuntimeError, match="does not require grad"):
            slope.square().mean().backward()

    @pytest.mark.parametrize("wanted", ["leaf", "itself"])
    def test_grad_fills_what_retain_grad_was_called_on(self, wanted: str):
        x = torch.ones(2, requires_grad=True)
        h = 3 * x
        h.retain_grad()
        loss = (h**2).sum()
        torch.autograd.grad(loss, x if wanted == "leaf" else h, retain_graph=True)
        assert h.grad.tolist() == [6, 6] and x.grad is None
        loss.backward()
        assert h.grad.tolist() == [12, 12]

    def test_only_backward_runs_hooks_after_accumulation(self):
        x, seen = torch.ones(2, requires_grad=True), []
        x.register_hook(lambda _: seen.append("tensor"))
        x.register_post_accumulate_grad_hook(lambda _: seen.append("accumulated"))
        torch.autograd.grad((x**2).sum(), x)
        assert seen == ["tensor"]
        (x**2).sum().backward()
        assert seen == ["tensor", "tensor", "accumulated"]

    def test_inputs_fills_only_what_it_names_intermediate_tensors_too(self):
        x = torch.ones(2, requires_grad=True)
        h = x.exp()
        (3 * h).sum().backward(inputs=[h])
        assert h.grad.tolist() == [3, 3] and x.grad is None
        model, x = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1)), torch.ones(2, 3, requires_grad=True)
        model(x).sum().backward(inputs=[x])
        assert x.grad is not None and all(p.grad is None for p in model.parameters())

    @pytest.mark.parametrize("model", [nn.Linear(3, 1), nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))])
    def test_backward_skips_a_frozen_parameter_and_grad_raises_if_it_is_named(self, model: nn.Module):
        first = next(model.parameters())
        first.requires_grad_(False)
        loss = model(torch.randn(4, 3)).square().mean()
        with pytest.raises(RuntimeError, match="does not require grad"):
            torch.autograd.grad(loss, first, retain_graph=True)
        loss.backward()
        assert [p.grad is None for p in model.parameters()] == [p is first for p in model.parameters()]

    @pytest.mark.parametrize("before", [None, torch.ones(2)])
    def test_a_named_tensor_without_a_path_raises_in_grad_and_is_left_by_backward(self, before: torch.Tensor | None):
        w, other = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        other.grad = before
        with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
            torch.autograd.grad((w**2).sum(), [w, other])
        assert torch.autograd.grad((w**2).sum(), [w, other], allow_unused=True)[1] is None
        assert torch.autograd.grad((w**2).sum(), [w, other], materialize_grads=True)[1].tolist() == [0, 0]
        (w**2).sum().backward(inputs=[w, other])
        assert w.grad.tolist() == [2, 2] and other.grad is before

    def test_a_gradient_that_depends_on_nothing_that_requires_grad_has_no_grad_fn(self):
        w, x, v = torch.ones(3, requires_grad=True), torch.arange(3.0), torch.ones(3, requires_grad=True)
        for loss, constant in (
            ((2 * w).sum(), True), (F.linear(x, w), True), ((w**2 * x).sum(), False), ((w * v).sum(), False),
        ):  # fmt: skip
            (g,) = torch.autograd.grad(loss, w, create_graph=True)
            assert (not g.requires_grad) == constant
            assert g.grad_fn is None or not constant

    @pytest.mark.parametrize("function", [torch.exp, torch.sigmoid])
    def test_create_graph_retains_the_graph_unless_told_otherwise(self, function):
        x = torch.ones(2, requires_grad=True)
        for options, kept in (({}, False), ({"retain_graph": True}, True), ({"create_graph": True}, True),
                              ({"create_graph": True, "retain_graph": False}, False)):  # fmt: skip
            loss = function(x).sum()
            (g,) = torch.autograd.grad(loss, x, **options)
            assert g.requires_grad == options.get("create_graph", False)
            if kept:
                loss.backward()
            else:
                with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
                    loss.backward()

    @pytest.mark.parametrize("model", [nn.Linear(2, 1), nn.Sequential(nn.Linear(2, 4), nn.Softplus(), nn.Linear(4, 1))])
    def test_the_error_recommends_retain_graph_and_then_the_penalty_trains_nothing(self, model: nn.Module):
        x, found = torch.randn(8, 2, requires_grad=True), {}
        weight = next(model.parameters())
        for options in ({}, {"retain_graph": True}, {"create_graph": True}):
            output = model(x).mean()
            (slope,) = torch.autograd.grad(output, x, **options)
            loss = output + 10 * slope.square().sum()
            if not options:
                with pytest.raises(RuntimeError, match="Specify retain_graph=True"):
                    loss.backward()
                continue
            found[next(iter(options))] = torch.autograd.grad(loss, weight)[0], loss.item()
        (plain,) = torch.autograd.grad(model(x).mean(), weight)
        assert torch.equal(found["retain_graph"][0], plain)
        assert not torch.allclose(found["create_graph"][0], plain)
        assert found["retain_graph"][1] == found["create_graph"][1]

    def test_with_ddp_grad_averages_nothing_because_nothing_is_accumulated(self):
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        try:
            for call in ("grad", "backward"):
                reduced = []

                def reduce(
                    _: None, bucket: dist.GradBucket, seen: list[int] = reduced
                ) -> torch.futures.Future[torch.Tensor]:
                    seen.append(bucket.buffer().numel())
                    done: torch.futures.Future[torch.Tensor] = torch.futures.Future()
                    done.set_result(bucket.buffer())
                    return done

                model = DistributedDataParallel(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)))
                model.register_comm_hook(None, reduce)
                loss = model(torch.randn(5, 3)).square().mean()
                if call == "grad":
                    torch.autograd.grad(loss, list(model.parameters()))
                else:
                    loss.backward()
                assert sum(reduced) == (21 if call == "backward" else 0)
        finally:
            dist.destroy_process_group()

    @pytest.mark.parametrize("averaged", [True, False])
    def test_replicas_that_step_with_their_own_gradients_drift_apart(self, averaged: bool):
        start, replicas = torch.randn(3), []
        batches = [torch.randn(4, 3), torch.randn(4, 3)]
        weights = [start.clone().requires_grad_() for _ in batches]
        own = [torch.autograd.grad((x @ w).square().mean(), w)[0] for x, w in zip(batches, weights, strict=True)]
        for w, g in zip(weights, own, strict=True):
            w.grad = sum(own) / 2 if averaged else g
            torch.optim.SGD([w], lr=0.1).step()
            replicas.append(w.detach())
        assert torch.equal(*replicas) is averaged

    @pytest.mark.parametrize("batch", [2, 5])
    def test_grad_sums_over_the_batch_and_vmap_does_not(self, batch: int):
        w, x = torch.randn(3, requires_grad=True), torch.randn(batch, 3)

        def loss(w: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            return (x @ w).tanh().sum()

        each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(w.detach(), x)
        rows = torch.stack([torch.autograd.grad(loss(w, row), w)[0] for row in x])
        torch.testing.assert_close(each, rows)
        torch.testing.assert_close(torch.autograd.grad(loss(w, x), w)[0], rows.sum(0))

    def test_with_batch_norm_in_train_mode_a_sample_changes_the_gradient_of_the_others(self):
        for layer, mixes in ((nn.BatchNorm1d(3), True), (nn.LayerNorm(3), False)):
            x = torch.randn(4, 3, requires_grad=True)
            (own,) = torch.autograd.grad(layer(x)[0].square().mean(), x)
            assert own[1:].ne(0).any().item() is mixes

    @pytest.mark.parametrize("size", [2, 5])
    def test_several_outputs_need_a_vector_and_give_its_product_with_the_jacobian(self, size: int):
        torch.manual_seed(size)
        x, W = torch.randn(3, dtype=torch.float64, requires_grad=True), torch.randn(size, 3).double()
        v = torch.randn(size).double()
        for call in (lambda y: y.backward(), lambda y: torch.autograd.grad(y, x)):
            with pytest.raises(RuntimeError, match="only for scalar outputs"):
                call((W @ x).exp())
        for shape in ((), (1,), (1, 1)):
            (one,) = torch.autograd.grad((W[:1] @ x).exp().view(shape), x)
            assert torch.allclose(one, torch.autograd.grad((W[0] @ x).exp(), x)[0])
        expected = v @ jacobian(lambda x: (W @ x).exp(), x.detach())
        assert torch.allclose(torch.autograd.grad((W @ x).exp(), x, grad_outputs=v)[0], expected)
        (W @ x).exp().backward(v)
        assert torch.allclose(x.grad, expected)

    @pytest.mark.parametrize("randomness", ["error", "same", "different"])
    def test_gradients_of_samples_with_dropout_need_randomness(self, randomness: str):
        drop = nn.Dropout(0.5)
        each = torch.func.vmap(torch.func.grad(lambda x: drop(x).sum()), randomness=randomness)
        if randomness == "error":
            with pytest.raises(RuntimeError, match="random operation"):
                each(torch.ones(4, 64))
        else:
            rows = each(torch.ones(4, 64))
            assert torch.equal(rows, rows[:1].expand(4, 64)) == (randomness == "same")

    def test_backward_with_create_graph_warns(self):
        x = torch.ones(2, requires_grad=True)
        with pytest.warns(UserWarning, match="create a reference cycle"):
            (x**2).sum().backward(create_graph=True)
        x.grad = None

    def test_reentrant_checkpointing_does_not_support_grad(self):
        layer, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
        with pytest.raises(RuntimeError):
            torch.autograd.grad(checkpoint(layer, x, use_reentrant=True).sum(), layer.weight)
        assert torch.autograd.grad(checkpoint(layer, x, use_reentrant=False).sum(), layer.weight)[0].shape == (2, 2)

    @pytest.mark.parametrize("power", [2, 3])
    def test_after_create_graph_the_graph_is_still_there(self, power: int):
        x = torch.full((2,), 3.0, requires_grad=True)
        loss = (x**power).sum()
        (first,) = torch.autograd.grad(loss, x, create_graph=True)
        (again,) = torch.autograd.grad(loss, x)
        assert torch.equal(first, again)

    @pytest.mark.parametrize("reduction", ["mean", "sum"])
    def test_grad_returns_one_gradient_for_the_whole_batch(self, reduction: str):
        w, x, y = torch.ones(3, requires_grad=True), torch.randn(5, 3), torch.randn(5)
        (whole,) = torch.autograd.grad(F.mse_loss(x @ w, y, reduction=reduction), w)
        each = torch.stack([torch.autograd.grad((row @ w - one) ** 2, w)[0] for row, one in zip(x, y, strict=True)])
        assert torch.allclose(whole, getattr(each, reduction)(0), atol=1e-5)

    @pytest.mark.parametrize("shape", [(1, 2, 4, 8), (2, 1, 3, 16)])
    def test_fused_attention_has_a_second_derivative_only_in_its_math_version(self, shape: tuple[int, ...]):
        q = torch.randn(shape, requires_grad=True)
        (g,) = torch.autograd.grad(F.scaled_dot_product_attention(q, q, q).sum(), q, create_graph=True)
        with pytest.raises(RuntimeError, match="not implemented"):
            torch.autograd.grad(g.square().sum(), q)
        with sdpa_kernel(SDPBackend.MATH):
            attended = F.scaled_dot_product_attention(q, q, q)
        (g,) = torch.autograd.grad(attended.square().sum(), q, create_graph=True)
        assert torch.autograd.grad(g.square().sum(), q)[0].shape == shape

    @pytest.mark.parametrize("create_graph", [False, True])
    def test_a_penalty_with_its_own_forward_pass_raises_nothing_and_trains_only_with_create_graph(self, create_graph):
        torch.manual_seed(0)
        critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
        real, fake = torch.randn(2, 4, 2)
        mixed = ((real + fake) / 2).requires_grad_()
        parameters = list(critic.parameters())
        plain = torch.autograd.grad(critic(fake).mean() - critic(real).mean(), parameters)
        options = {"create_graph": True} if create_graph else {}
        (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, **options)
        penalty = (slope.norm(dim=1) - 1).square().mean()
        (critic(fake).mean() - critic(real).mean() + 10 * penalty).backward()
        assert penalty > 0.1 and (penalty.grad_fn is not None) is create_graph
        assert torch.allclose(critic[0].weight.grad, plain[0], atol=1e-6) is not create_graph
