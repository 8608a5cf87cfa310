"""What docs/mid/debugging/memory-leaks.md claims, proven beyond the example shown."""

import gc
import weakref

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

leaks = load_snippet("mid/debugging/memory_leaks_signatures.py")
leak_curves = load_snippet("mid/debugging/memory_leaks_curves.py")
find = load_snippet("mid/debugging/memory_leaks_find.py")

MODIFIED = "modified by an inplace operation"


def graph_of(root: torch.Tensor) -> set:
    """All nodes that the tensor's graph can reach."""
    seen, todo = set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [parent for parent, _ in node.next_functions]
    return seen


class TestMemoryLeaks:
    @pytest.fixture(autouse=True)
    def collections_skip_what_is_older(self):
        gc.freeze()  # a collection of everything that the tests import takes 0.2 s

    @pytest.mark.parametrize("size", [1, 8])
    @pytest.mark.parametrize("trained", [True, False])
    def test_every_recorded_write_into_a_buffer_stays_in_its_chain(self, size, trained):
        w, buffer, alive = torch.ones(3, requires_grad=True), torch.zeros(size), []
        for step in range(20):
            hidden = (2 * w).exp()
            alive.append(weakref.ref(hidden.untyped_storage()))
            loss = hidden.sum()
            if trained:
                loss.backward()
            buffer[step % size] = loss
        del hidden, loss
        assert sum("CopySlices" in node.name() for node in graph_of(buffer)) == 20
        assert sum(each() is not None for each in alive) == (0 if trained else 20)
        buffer = buffer.detach()
        assert not any(each() is not None for each in alive)

    @pytest.mark.parametrize(
        ("case", "grows", "after"),
        [
            ("nothing", 0, 0),
            ("training, loss in a list", 4, 4),
            ("validation, loss in a list", 128 * 256 * 4 + 128 * 10 * 4 + 8, None),
            ("hook keeps output.detach()", 128 * 256 * 4, None),
            ("logits[0].detach() in a list", 128 * 10 * 4, None),
            ("reference cycle", 128 * 256 * 4, 0),
        ],
    )
    def test_the_growth_per_step_is_the_size_of_what_is_kept(self, case, grows, after):
        found = leaks.curve(case, steps=6)
        assert {b - a for a, b in zip(found[1:6], found[2:6], strict=False)} == {grows}
        if after is not None:
            assert found[-1] == found[0] - (grows if case == "reference cycle" else 0) + 5 * after
        else:
            assert found[-1] == found[-2]

    def test_an_exception_keeps_the_tensors_of_its_frames(self):
        found = leaks.curve("exception in a list", steps=4)
        assert 0 <= found[3] - found[2] - 4 * (128 * 256 + 128 * 64 + 128 * 10) <= 8  # hidden, samples; logits
        assert found[-1] == found[-2]
        error = leaks.failed(nn.Sequential(nn.Linear(64, 256)))
        assert "hidden" in error.__traceback__.tb_frame.f_locals

    def test_a_collection_brings_the_cycle_back_in_between(self):
        size = 128 * 256 * 4
        cycle = leak_curves.curve("reference cycle", steps=6, collect_every=3)
        assert cycle == [size, 2 * size, 0, size, 2 * size, 0]
        assert leak_curves.curve("loss in a list", 6, 3) == [size * step for step in range(1, 7)]
        assert leak_curves.curve("nothing", 6, 3) == [0] * 6

    def test_a_detached_row_keeps_all_logits_and_a_clone_does_not(self):
        for rows in (2, 50):
            logits = torch.zeros(rows, 10)
            row = logits[0].detach()
            assert row.untyped_storage().nbytes() == rows * 40
            assert row.clone().untyped_storage().nbytes() == 40

    def test_containers_are_found_and_graphs_are_walked(self):
        x, w = torch.ones(3), torch.ones(3, requires_grad=True)
        kept = {"key": x}
        assert find.python_holders(x) == ["dict"]
        kept["key"] = None
        assert find.python_holders(x) == []
        hidden = torch.sigmoid(2 * w)
        assert find.python_holders(hidden) == []
        assert find.graph_holders((hidden + 1).sum(), hidden) == ["SigmoidBackward0._saved_result"]
        assert find.graph_holders((2 * w).sum(), hidden) == find.graph_holders(x, hidden) == []
        rows = torch.tensor([0, 2])  # saved in a tuple
        assert find.graph_holders((1 * w)[rows].sum(), rows) == ["IndexBackward0._saved_indices"]
        kept = {"key": checkpoint(torch.exp, hidden, use_reentrant=True)}  # a custom function
        assert find.graph_holders(kept["key"], hidden) == [
            "CheckpointFunctionBackward.saved_tensors",
            "SigmoidBackward0._saved_result",
        ]
        loss = hidden.sum()
        loss.backward()
        with pytest.raises(RuntimeError, match="freed"):
            find.graph_holders(loss, hidden)
        output = torch.sigmoid(2 * w)
        loss = (output.mul_(2)).sum()
        with pytest.raises(RuntimeError, match=MODIFIED):
            find.graph_holders(loss, output)

    def test_profile_memory_is_off_unless_asked_for(self):
        assert torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]).profile_memory is False

    @pytest.mark.parametrize("size", [(128, 64), (3, 5)])
    def test_a_tensor_in_the_frame_of_a_kept_exception_has_no_container_and_no_graph(self, size):
        def fail():
            hidden = torch.ones(size)
            made.append(weakref.ref(hidden))
            raise ValueError

        made, kept = [], []
        try:
            fail()
        except ValueError as error:
            kept.append(error)
        gc.collect()
        hidden = made[0]()
        assert find.python_holders(hidden) == find.graph_holders(hidden, hidden) == []
        assert "frame" in [type(each).__name__ for each in gc.get_referrers(hidden)]
        kept.clear()
        del hidden
        assert made[0]() is None

    @pytest.mark.filterwarnings("ignore:Using backward")
    @pytest.mark.parametrize("depth", [1, 3])
    @pytest.mark.parametrize(("how", "leaks_model"), [("backward", True), ("zero_grad", False), ("grad", False)])
    def test_create_graph_makes_a_cycle_that_zero_grad_or_grad_avoid(self, depth, how, leaks_model):
        model = nn.Sequential(*(layer for _ in range(depth) for layer in (nn.Linear(4, 4), nn.Tanh())))
        alive = weakref.ref(model[0].weight.untyped_storage())
        loss = model(torch.ones(2, 4)).square().sum()
        if how == "grad":
            torch.autograd.grad(loss, list(model.parameters()), create_graph=True)
        else:
            loss.backward(create_graph=True)
        weights = list(model.parameters())
        if how == "zero_grad":
            model.zero_grad()
        del model, loss
        assert all((w.grad is not None) == leaks_model for w in weights)
        del weights
        gc.collect()
        assert (alive() is not None) == leaks_model

    def test_a_hook_registered_in_every_step_stays_until_it_is_removed(self):
        layer, handles = nn.Linear(2, 2), []
        for _ in range(5):
            x = torch.ones(1, 2)
            handles.append(layer.register_forward_hook(lambda module, inputs, output, x=x: None))
        assert len(layer._forward_hooks) == 5
        alive = weakref.ref(x)
        del x
        assert alive() is not None
        for handle in handles:
            handle.remove()
        assert not layer._forward_hooks and alive() is None
