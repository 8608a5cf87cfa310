"""What docs/senior/autograd-internals/inside-backward.md claims, proven beyond the example shown."""

import threading

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

engine = load_snippet("senior/autograd-internals/inside_backward_engine.py")


def nodes_of(loss: torch.Tensor) -> list:
    found = [loss.grad_fn]
    for node in found:
        found += [n for n, _ in node.next_functions if n is not None and n not in found]
    return found


def real_order(loss: torch.Tensor, **options: bool) -> list[str]:
    """The names of the nodes, in the order in which backward() ran them."""
    ran = []
    hooks = [n.register_prehook(lambda _, node=n: ran.append(node.name())) for n in nodes_of(loss)]
    loss.backward(**options)
    for hook in hooks:
        hook.remove()
    return ran


def residual() -> tuple[nn.Module, torch.Tensor]:
    model, x = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 4)), torch.randn(3, 4)
    return model, (model(x) + x).square().mean() + model[0].weight.abs().sum()


def normalized() -> tuple[nn.Module, torch.Tensor]:
    model = nn.Sequential(nn.Conv1d(2, 3, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Flatten(), nn.Linear(9, 2))
    return model, F.cross_entropy(model(torch.randn(4, 2, 5)), torch.tensor([0, 1, 1, 0]))


def attention() -> tuple[nn.Module, torch.Tensor]:
    model, x = nn.Linear(4, 12), torch.randn(5, 4)
    q, k, v = model(x).chunk(3, dim=-1)  # one node with three gradients
    return model, ((q @ k.T).softmax(-1) @ v + v).sum()


def unused_output() -> tuple[nn.Module, torch.Tensor]:
    model = nn.Linear(4, 6)
    first, _, last = model(torch.randn(2, 4)).split(2, dim=-1)
    return model, (first * last.exp()).sum()


def tied() -> tuple[nn.Module, torch.Tensor]:
    model = nn.Embedding(5, 3)
    return model, F.cross_entropy(model(torch.tensor([0, 2])) @ model.weight.T, torch.tensor([1, 4]))


class TestInsideBackward:
    @pytest.mark.parametrize("make", [residual, normalized, attention, unused_output, tied])
    def test_the_engine_by_hand_has_the_order_and_the_gradients_of_backward(self, make):
        torch.manual_seed(0)
        model, loss = make()
        retained = real_order(loss, retain_graph=True)
        expected = [p.grad.clone() for p in model.parameters()]
        model.zero_grad()
        assert engine.backward_by_hand(loss) == retained
        assert all(map(torch.equal, expected, (p.grad for p in model.parameters())))
        engine.backward_by_hand(loss)  # keeps the graph, and adds
        assert all(torch.allclose(p.grad, 2 * g) for p, g in zip(model.parameters(), expected, strict=True))

    @pytest.mark.parametrize("names", [("exp", "sin", "cos"), ("cos", "exp", "sin"), ("sin", "cos", "exp")])
    def test_the_order_is_that_of_creation_reversed_not_that_of_the_expression(self, names: tuple[str, ...]):
        w = torch.ones(2, requires_grad=True)
        made = {name: getattr(torch, name)(w) for name in names}
        ran = real_order((made["exp"] + made["sin"] + made["cos"]).sum())
        ran = [n.removesuffix("Backward0").lower() for n in ran]
        assert [n for n in ran if n in names] == list(reversed(names))

    def test_a_node_made_last_waits_for_all_its_gradients(self):
        w = torch.ones(2, requires_grad=True)
        old = w.sin()
        last = w.exp()
        first_use, other_use = last * 2, last * 3
        ran = real_order((first_use + old + other_use).sum())
        assert ran.index("ExpBackward0") > max(i for i, n in enumerate(ran) if n == "MulBackward0")
        sequence = [n._sequence_nr() for n in (old.grad_fn, last.grad_fn, first_use.grad_fn, other_use.grad_fn)]
        assert sequence == sorted(sequence)

    def test_an_older_node_that_is_ready_runs_before_a_newer_one_that_waits(self):
        w = torch.ones(2, requires_grad=True)
        base = w.tanh()
        old = base.sin()
        new = w.exp()
        joined = new * base.cos().detach()
        loss = (old + (joined + new * old)).sum()
        ran = real_order(loss)
        # exp was made after sin, but both products must hand it a gradient first
        assert ran.index("ExpBackward0") > max(i for i, n in enumerate(ran) if n == "MulBackward0")

    @pytest.mark.parametrize("uses", [1, 2, 5])
    def test_a_weight_that_is_used_several_times_gets_one_accumulation_per_call(self, uses: int):
        w, seen = torch.ones(1, requires_grad=True), []
        for call in (1, 2):
            loss = sum(w * (n + 1) for n in range(uses)).sum()
            accumulate = next(n for n in nodes_of(loss) if "AccumulateGrad" in n.name())
            handle = accumulate.register_prehook(lambda g: seen.append(g[0].item()))
            loss.backward()
            handle.remove()
            total = uses * (uses + 1) / 2
            assert seen == [total] * call and w.grad.item() == call * total

    def test_accumulate_grad_has_the_highest_number_and_runs_as_soon_as_it_is_ready(self):
        model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        loss = model(torch.randn(4, 2)).sum()
        numbers = {n._sequence_nr() for n in nodes_of(loss) if "AccumulateGrad" in n.name()}
        assert numbers == {2**64 - 1}
        ran = real_order(loss)
        assert "AccumulateGrad" in ran[ran.index("TanhBackward0") - 1]  # the last layer is complete before

    @pytest.mark.parametrize("depth", [2, 4])
    def test_the_last_layers_have_their_gradients_first(self, depth: int):
        model, ready = nn.Sequential(*[nn.Linear(3, 3, bias=False) for _ in range(depth)]), []
        for i, layer in enumerate(model):
            layer.weight.register_post_accumulate_grad_hook(lambda _, i=i: ready.append(i))
        model(torch.randn(2, 3)).sum().backward()
        assert ready == list(reversed(range(depth)))

    @pytest.mark.parametrize("clear", [False, True])
    def test_backward_is_no_transaction_and_clearing_before_the_retry_helps(self, clear: bool):
        torch.manual_seed(0)
        model, failures = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)), [RuntimeError("once")]
        x = torch.randn(4, 2)
        model(x).sum().backward()
        right = [p.grad.clone() for p in model.parameters()]
        model.zero_grad()

        def fail(_: torch.Tensor) -> None:
            if failures:
                raise failures.pop()

        for _ in range(2):
            hidden = model[0](x)
            hidden.register_hook(fail)
            try:
                model[2](model[1](hidden)).sum().backward()
            except RuntimeError:
                assert model[0].weight.grad is None and model[2].weight.grad is not None
                if clear:
                    model.zero_grad()
        factors = [1, 1, 1, 1] if clear else [1, 1, 2, 2]
        assert all(torch.allclose(p.grad, k * g) for p, k, g in zip(model.parameters(), factors, right, strict=True))

    def test_nodes_run_in_the_thread_that_called_backward(self):
        seen = []

        def step() -> None:
            w = torch.ones(1, requires_grad=True)
            y = w.exp()
            y.grad_fn.register_prehook(lambda _: seen.append(threading.current_thread()))
            y.backward()
            seen.append(threading.current_thread())

        step()
        other = threading.Thread(target=step)
        other.start()
        other.join()
        assert seen == [threading.main_thread()] * 2 + [other] * 2

    def test_saved_tensors_are_freed_node_by_node(self):
        w, found = torch.ones(2, requires_grad=True), []
        hidden = w.exp()
        loss = hidden.sin().sum()

        def is_freed(node) -> bool:
            try:
                return node._saved_self is None
            except RuntimeError:
                return True

        sine = loss.grad_fn.next_functions[0][0]
        sine.register_prehook(lambda _: found.append(is_freed(sine)))
        hidden.grad_fn.register_prehook(lambda _: found.append(is_freed(sine)))
        loss.backward()
        assert found == [False, True]

    @pytest.mark.parametrize("reentrant", [True, False])
    def test_a_weight_shared_by_two_reentrant_checkpoints_is_written_twice(self, reentrant: bool):
        for function in (torch.mul, torch.add):
            w, h = (torch.full((1,), n, requires_grad=True) for n in (2.0, 3.0))
            writes: list[int] = []
            w.register_post_accumulate_grad_hook(lambda _, writes=writes: writes.append(1))
            for _ in range(2):
                h = checkpoint(lambda t, f=function, w=w: f(t, w), h, use_reentrant=reentrant)
            h.backward()
            assert len(writes) == (2 if reentrant else 1)
            assert w.grad == (12 if function is torch.mul else 2)

    @pytest.mark.parametrize("doublings", [5, 30])
    def test_each_node_runs_once_however_many_paths_lead_to_it(self, doublings: int):
        w, ran = torch.ones(1, requires_grad=True), []
        h = first = w * 1
        for _ in range(doublings):
            h = h + h
        first.grad_fn.register_prehook(lambda g: ran.append(g[0].item()))
        h.backward()
        assert ran == [2.0**doublings] and w.grad == 2**doublings

    def test_a_long_chain_needs_no_call_stack(self):
        w = torch.ones(1, requires_grad=True)
        h = w
        for _ in range(100_000):
            h = h + 1
        h.backward()
        assert w.grad == 1

    @pytest.mark.parametrize("again", ["from the first", "this one only"])
    def test_clearing_after_an_error_drops_the_earlier_micro_batches(self, again: str):
        u, v = (torch.tensor(n, requires_grad=True) for n in (2.0, 3.0))
        failures, batches = [RuntimeError("once")], [0, 1]

        def fail(_: torch.Tensor) -> None:
            if failures:
                raise failures.pop()

        while batches:
            hidden = u * 1
            if batches[0] == 1:
                hidden.register_hook(fail)
            try:
                (hidden * v).backward()
                batches.pop(0)
            except RuntimeError:
                u.grad = v.grad = None
                batches = [0, 1] if again == "from the first" else batches
        calls = 2 if again == "from the first" else 1
        assert (u.grad.item(), v.grad.item()) == (3 * calls, 2 * calls)

    @pytest.mark.parametrize("reentrant", [True, False])
    def test_only_the_reentrant_checkpoint_calls_backward_inside_backward(self, reentrant: bool):
        layer, x, tasks = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True), []

        def forward(x: torch.Tensor) -> torch.Tensor:
            y = layer(x)
            if y.grad_fn is not None:
                y.grad_fn.register_prehook(lambda _: tasks.append(torch._C._current_graph_task_id()))
            return y

        y = checkpoint(forward, x, use_reentrant=reentrant) * 2
        y.grad_fn.register_prehook(lambda _: tasks.append(torch._C._current_graph_task_id()))
        y.sum().backward()
        assert (tasks[0] != tasks[1]) is reentrant

    def test_the_inner_call_ends_before_the_outer_node_goes_on(self):
        log = []

        class Nested(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x**2

            @staticmethod
            def backward(ctx, gradient):
                log.append("begins")
                with torch.enable_grad():
                    x = ctx.saved_tensors[0].detach().requires_grad_()
                    y = x**2
                y.grad_fn.register_prehook(lambda _: log.append("inner"))
                y.backward(gradient)
                log.append("ends")
                return x.grad

        w = torch.tensor(3.0, requires_grad=True)
        u, v = w * 1, w * 5
        for tensor in (u, v):
            tensor.grad_fn.register_prehook(lambda _: log.append("outside"))
        (Nested.apply(u) + v).backward()
        assert log == ["begins", "inner", "ends", "outside", "outside"] and w.grad == 11

    def test_with_inputs_the_other_branches_do_not_run(self):
        for name in ("w", "v"):
            leaves = {"w": torch.ones(1, requires_grad=True), "v": torch.ones(1, requires_grad=True)}
            results, ran = {n: leaf * 2 for n, leaf in leaves.items()}, []
            for n, result in results.items():
                result.grad_fn.register_prehook(lambda _, n=n, ran=ran: ran.append(n))
            (results["w"] + results["v"]).backward(inputs=[leaves[name]])
            assert ran == [name] and [n for n, leaf in leaves.items() if leaf.grad is not None] == [name]
