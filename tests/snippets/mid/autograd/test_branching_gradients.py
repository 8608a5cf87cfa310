"""What docs/mid/autograd/branching-gradients.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

residual = load_snippet("mid/autograd/branching_gradients_residual.py")

SECOND_TIME = "backward through the graph a second time"


class TestBranchingGradients:
    @pytest.mark.parametrize("branches", [2, 3, 10])
    def test_gradients_of_branches_are_summed_and_passed_on_once(self, branches: int):
        x = torch.randn(5, dtype=torch.float64, requires_grad=True)
        h, seen = x.sin(), []
        h.retain_grad()
        h.register_hook(lambda g: seen.append(g.clone()))
        h.grad_fn.register_hook(lambda *_: seen.append("node"))
        sum((h**k).sum() for k in range(1, branches + 1)).backward()
        expected = sum(k * h.detach() ** (k - 1) for k in range(1, branches + 1))
        assert len(seen) == 2 and torch.allclose(seen[0], expected) and torch.equal(h.grad, seen[0])
        assert torch.allclose(x.grad, expected * x.detach().cos())

    def test_the_mirror_of_each_operation(self):
        g = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        a, b = torch.ones(2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
        (a + b).backward(g)
        assert a.grad.tolist() == [4, 6] and torch.equal(b.grad, g)
        for join, parts in ((torch.stack, list(g)), (torch.cat, [torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])])):
            p, q = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
            join((p, q)).backward(g.flatten() if join is torch.cat else g)
            assert torch.equal(p.grad, parts[0]) and torch.equal(q.grad, parts[1])
        p, q = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        torch.where(torch.tensor([True, False]), p, q).sum().backward()
        assert p.grad.tolist() == [1, 0] and q.grad.tolist() == [0, 1]

    @pytest.mark.parametrize(
        ("optimizer", "options"),
        [
            (torch.optim.AdamW, {}),
            (torch.optim.SGD, {"weight_decay": 0.1}),
            (torch.optim.RMSprop, {"weight_decay": 0.1}),
        ],
    )
    def test_a_zero_gradient_decays_and_none_is_skipped(self, optimizer: type, options: dict):
        for gradient, moves in ((torch.zeros(()), True), (None, False)):
            w = nn.Parameter(torch.tensor(1.0))
            w.grad = gradient
            optimizer([w], lr=0.1, **options).step()
            assert (w.item() != 1) == moves

    @pytest.mark.parametrize("to_none", [True, False])
    def test_a_zero_without_a_path_is_left_by_zero_grad_without_none(self, to_none: bool):
        used, unused = nn.Linear(2, 1), nn.Linear(2, 1)
        adamw = torch.optim.AdamW([*used.parameters(), *unused.parameters()], lr=0.1)
        (used(torch.ones(3, 2)) + unused(torch.ones(3, 2))).sum().backward()
        adamw.zero_grad(set_to_none=to_none)
        before = unused.weight.detach().clone()
        used(torch.ones(3, 2)).sum().backward()
        assert unused.weight.grad is None if to_none else not unused.weight.grad.any()
        adamw.step()
        assert torch.equal(unused.weight, before) == to_none

    @pytest.mark.parametrize("train_heads", [True, False])
    def test_opposite_heads_hold_the_trunk_until_they_are_trained(self, train_heads: bool):
        torch.manual_seed(0)
        x, trunk, a, b = torch.randn(16, 4), nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
        with torch.no_grad():
            b.weight.copy_(-a.weight)
        trained = (trunk, a, b) if train_heads else (trunk,)
        sgd = torch.optim.SGD([p for part in trained for p in part.parameters()], lr=0.1)
        norms = []
        for _ in range(2):
            h = trunk(x).tanh()
            sgd.zero_grad()
            (a(h).mean() + b(h).mean()).backward()
            norms.append(trunk.weight.grad.norm().item())
            sgd.step()
        assert norms[0] < 1e-6 and (norms[1] > 1e-3) == train_heads

    def test_a_zero_gradient_moves_on_momentum(self):
        w = nn.Parameter(torch.tensor(1.0))
        sgd = torch.optim.SGD([w], lr=0.1, momentum=0.9)
        w.grad = torch.ones(())
        sgd.step()
        before = w.item()
        w.grad = None
        sgd.step()
        assert w.item() == before
        w.grad = torch.zeros(())
        sgd.step()
        assert w.item() < before

    def test_the_gradient_of_a_result_is_kept_only_on_request(self):
        x = torch.ones(3, requires_grad=True)
        h = 2 * x
        h.sum().backward()
        with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed"):
            assert h.grad is None
        h = 2 * x
        assert torch.autograd.grad(h.sum(), h)[0].tolist() == [1, 1, 1]

    def test_autograd_grad_and_an_unused_input(self):
        a, w = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
        with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
            torch.autograd.grad(2 * a, [a, w])
        assert torch.autograd.grad(2 * a, [a, w], allow_unused=True)[1] is None
        assert torch.autograd.grad(2 * a, [a, w], materialize_grads=True)[1].item() == 0

    @pytest.mark.parametrize("uses", [2, 3])
    def test_a_weight_is_written_once_unless_checkpoints_are_reentrant(self, uses: int):
        for reentrant, writes in ((None, 1), (False, 1), (True, uses)):
            w, h, seen = torch.full((2,), 2.0, requires_grad=True), torch.ones(2, requires_grad=True), []
            w.register_post_accumulate_grad_hook(seen.append)
            for _ in range(uses):
                h = w * h if reentrant is None else checkpoint(lambda h: w * h, h, use_reentrant=reentrant)  # noqa: B023
            h.sum().backward()
            assert len(seen) == writes and w.grad.tolist() == [uses * 2.0 ** (uses - 1)] * 2

    @pytest.mark.parametrize("retain", [False, True])
    def test_gradients_of_two_losses_on_one_trunk_need_retain_graph(self, retain: bool):
        torch.manual_seed(0)
        trunk, heads = nn.Sequential(nn.Linear(3, 4), nn.Tanh()), [nn.Linear(4, 1) for _ in range(2)]
        h = trunk(torch.randn(5, 3))
        one, two = (head(h).sum() for head in heads)
        assert torch.autograd.grad(one, [*trunk.parameters()], retain_graph=retain)[0].any()
        if retain:
            assert torch.autograd.grad(two, [*trunk.parameters()])[0].any()
            return
        with pytest.raises(RuntimeError, match=SECOND_TIME):
            torch.autograd.grad(two, [*trunk.parameters()])

    def test_views_separate_the_branches(self):
        x = torch.tensor(3.0, requires_grad=True)
        h, seen = 2 * x, {}
        one, two = h.view_as(h), h.view_as(h)
        assert one.data_ptr() == h.data_ptr()
        for name, tensor in (("one", one), ("two", two)):
            tensor.register_hook(lambda g, name=name: seen.update({name: g.item()}))
        (one**2 + 5 * two).backward()
        assert seen == {"one": 12, "two": 5} and x.grad.item() == 34

    def test_residual_connections_keep_the_gradient(self):
        assert residual.gradient_at_input(False, 20) < 1e-3 * residual.gradient_at_input(False, 1)
        assert residual.gradient_at_input(True, 20) >= 1
        h, f = torch.randn(4, requires_grad=True), nn.Linear(4, 4)
        g = torch.randn(4)
        both = torch.autograd.grad(h + f(h), h, g)[0]
        assert torch.allclose(both, g + torch.autograd.grad(f(h), h, g)[0])

    def test_adam_does_not_balance_the_branches(self):
        moved = []
        for weight in (0.0, 1.0):
            w = nn.Parameter(torch.zeros(2))
            adam = torch.optim.Adam([w], lr=0.1)
            (1000 * w[0] + 2000 * w[1] + weight * (w[0] - w[1])).backward()
            adam.step()
            moved.append(w.detach().clone())
        assert torch.allclose(*moved)
