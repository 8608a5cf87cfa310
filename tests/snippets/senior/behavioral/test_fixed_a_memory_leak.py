"""What docs/senior/behavioral/fixed-a-memory-leak.md claims, proven beyond the example shown."""

import gc
import json
import os
import platform
import re
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch._subclasses import FakeTensorMode

from warmup.testing import load_snippet

leak = load_snippet("senior/behavioral/fixed_a_memory_leak_guard.py")
seen_by_gc = load_snippet("senior/behavioral/fixed_a_memory_leak_gc.py")
rss = load_snippet("senior/behavioral/fixed_a_memory_leak_rss.py")


@pytest.fixture(autouse=True)
def only_its_own_objects():
    """What was there before is neither counted nor collected, nor walked at each of the many collections."""
    gc.collect()
    gc.freeze()


def bytes_that_the_graph_saves(model, inputs, targets):
    """Bytes of the storages that one loss keeps for its backward pass, without parameters, inputs and targets."""
    saved = {}

    def pack(tensor):
        saved[tensor.data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        # It needs a name, or the graph and its storages are freed at once.
        loss = F.cross_entropy(model(inputs), targets)
    for tensor in (inputs, targets, *model.parameters()):
        saved.pop(tensor.data_ptr(), None)
    return sum(saved.values()) if loss.requires_grad else 0


class Loop:
    """A convolutional network, to prove the claims for another model than the page's."""

    def __init__(self):
        self.model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Sigmoid(), nn.Flatten(), nn.Linear(8 * 36, 5))
        self.inputs, self.targets = torch.randn(4, 3, 8, 8), torch.randint(5, (4,))
        self.history = []

    def loss(self):
        return F.cross_entropy(self.model(self.inputs), self.targets)

    def saved_bytes(self):
        return bytes_that_the_graph_saves(self.model, self.inputs, self.targets)


@pytest.fixture
def loop():
    return Loop()


class TestFixedAMemoryLeak:
    def test_a_validation_loop_that_keeps_losses_fails_by_all_that_the_graph_saved(self, loop):
        with pytest.raises(AssertionError, match="graph nodes behind") as failure:
            leak.assert_no_growth(lambda: loop.history.append(loop.loss()))
        reported = int(re.search(r"leaves ([\d,]+) bytes", str(failure.value))[1].replace(",", ""))
        assert reported == loop.saved_bytes() + 4

    def test_after_backward_only_nodes_and_the_number_itself_are_left(self, loop):
        def step():
            loss = loop.loss()
            loss.backward()
            loop.history.append(loss)

        with pytest.raises(AssertionError, match=r"leaves 4 bytes and \d+ graph nodes"):
            leak.assert_no_growth(step)

    def test_retain_graph_keeps_the_activations_after_backward(self, loop):
        def step():
            loss = loop.loss()
            loss.backward(retain_graph=True)
            loop.history.append(loss)

        with pytest.raises(AssertionError) as failure:
            leak.assert_no_growth(step)
        assert f"{loop.saved_bytes() + 4:,} bytes" in str(failure.value)

    def test_a_running_sum_leaves_nodes_and_no_bytes_once_backward_ran(self, loop):
        total = torch.zeros(())

        def step():
            nonlocal total
            loss = loop.loss()
            loss.backward()
            total = total + loss

        with pytest.raises(AssertionError, match=r"leaves 0 bytes and \d+ graph nodes"):
            leak.assert_no_growth(step)

    @pytest.mark.parametrize("keep", [torch.detach, torch.Tensor.item], ids=["detach", "item"])
    def test_both_fixes_pass(self, loop, keep):
        assert leak.assert_no_growth(lambda: loop.history.append(keep(loop.loss()))) in (0, 4)

    def test_no_grad_is_a_fix_as_well(self, loop):
        @torch.no_grad()
        def step():
            loop.history.append(loop.loss())

        assert leak.assert_no_growth(step) == 4

    @pytest.mark.parametrize("shape", [(3, 3), (2, 4, 5)])
    def test_an_mkldnn_tensor_makes_the_leak_test_raise(self, shape):
        with pytest.raises(NotImplementedError, match="storage"):
            leak.assert_no_growth(lambda: torch.zeros(shape).to_mkldnn())

    def test_a_training_step_with_an_optimizer_passes_after_the_warm_up(self, loop):
        optimizer = torch.optim.AdamW(loop.model.parameters())

        def step():
            optimizer.zero_grad()
            loop.loss().backward()
            optimizer.step()

        assert leak.assert_no_growth(step) == 0

    def test_without_a_warm_up_gradients_and_optimizer_state_look_like_a_leak(self, loop):
        optimizer = torch.optim.AdamW(loop.model.parameters())

        def step():
            loop.loss().backward()
            optimizer.step()

        with pytest.raises(AssertionError):
            leak.assert_no_growth(step, steps=1, warmup=0)

    def test_it_reports_the_exact_bytes_of_a_plain_tensor_cache(self):
        cache = []
        with pytest.raises(AssertionError, match="4,000 bytes and 0 graph nodes"):
            leak.assert_no_growth(lambda: cache.append(torch.ones(1000)))
        assert leak.assert_no_growth(lambda: cache.append(torch.ones(256))) == 1024
        with pytest.raises(AssertionError, match="1,028 bytes"):
            leak.assert_no_growth(lambda: cache.append(torch.ones(257)))
        assert leak.assert_no_growth(lambda: cache.append(torch.ones(1000)), allowed=4000) == 4000

    def test_a_view_counts_the_storage_that_it_keeps(self):
        cache = []
        with pytest.raises(AssertionError, match="40,000 bytes"):
            leak.assert_no_growth(lambda: cache.append(torch.ones(10_000)[:1]))
        assert leak.assert_no_growth(lambda: cache.append(torch.ones(10_000)[:1].clone())) == 4

    @pytest.mark.parametrize("keep", [True, False])
    def test_a_view_of_data_from_before_is_no_leak_and_a_copy_that_is_kept_is_one(self, loop, keep):
        batches = iter([torch.randn(4, 3, 64) for _ in range(7)])

        def step():
            with torch.no_grad():
                batch = next(batches).view(4, 3, 8, 8)
                loop.history.append((batch + 1) if keep else loop.model(batch).mean().item())

        if keep:
            with pytest.raises(AssertionError, match="leaves 3,072 bytes and 0 graph nodes"):
                leak.assert_no_growth(step)
        else:
            assert leak.assert_no_growth(step) == 0

    def test_a_sparse_gradient_makes_the_leak_test_raise(self):
        table = nn.Embedding(7, 2, sparse=True)
        with pytest.raises(NotImplementedError, match="storage"):
            leak.assert_no_growth(lambda: table(torch.tensor([1])).sum().backward())

    @pytest.mark.parametrize(("clone", "kept"), [(False, 4000), (True, 40)])
    def test_a_detached_part_keeps_the_whole_storage_unless_it_is_cloned(self, clone, kept):
        logits = torch.randn(100, 10, requires_grad=True) * 2
        part = logits[:1].detach()
        assert (part.clone() if clone else part).untyped_storage().nbytes() == kept

    def test_garbage_in_cycles_is_no_leak(self):
        class Cycle:
            def __init__(self):
                self.itself, self.tensor = self, torch.ones(100_000)

        assert leak.assert_no_growth(Cycle) == 0

    def test_one_leak_in_all_steps_is_enough_if_it_is_large_or_keeps_a_node(self, loop):
        cache, calls = [], []

        def sometimes(keep):
            calls.append(None)
            if len(calls) % 5 == 0:
                cache.append(keep())

        for keep in (lambda: torch.ones(10_000), lambda: torch.ones(1, requires_grad=True) * 1):
            calls.clear()
            with pytest.raises(AssertionError):
                leak.assert_no_growth(lambda keep=keep: sometimes(keep))
        calls.clear()
        assert leak.assert_no_growth(lambda: sometimes(lambda: torch.ones(10_000)), steps=2) == 0  # not yet its turn

    def test_it_does_not_see_other_threads_and_buffers_that_no_operator_creates(self):
        cache = []

        def in_a_thread():
            thread = threading.Thread(target=lambda: cache.append(torch.ones(1_000_000)))
            thread.start()
            thread.join()

        def from_a_buffer():
            cache.append(torch.frombuffer(bytearray(4_000_000), dtype=torch.float32))

        assert leak.assert_no_growth(in_a_thread) == 0
        assert leak.assert_no_growth(from_a_buffer) == 0

    @pytest.mark.parametrize(
        "create",
        [
            lambda: torch.tensor([1.0] * 1000),
            lambda: torch.from_numpy(np.ones(1000)),
            lambda: torch.UntypedStorage(4000),
        ],
    )
    def test_it_does_not_see_tensors_made_from_python_data(self, create):
        cache = []
        assert leak.assert_no_growth(lambda: cache.append(create())) == 0
        with pytest.raises(AssertionError, match="4,000 bytes"):
            leak.assert_no_growth(lambda: cache.append(torch.ones(1000)))

    def test_it_does_not_see_a_buffer_that_grows_in_place(self):
        buffer = torch.empty(0)
        assert leak.assert_no_growth(lambda: buffer.resize_(len(buffer) + 10_000)) == 0
        assert buffer.untyped_storage().nbytes() == 7 * 40_000

    def test_a_compiled_step_runs_eagerly_inside_it(self):
        graphs, cache = [], []

        def backend(graph_module, example_inputs):
            graphs.append(graph_module)
            return graph_module.forward

        function = torch.compile(lambda x: (x * 2).sin(), backend=backend)
        with pytest.raises(AssertionError, match="4,000 bytes"):
            leak.assert_no_growth(lambda: cache.append(function(torch.ones(1000))))
        assert not graphs

    @pytest.mark.parametrize("before", [False, True])
    def test_a_step_that_ran_inside_stays_eager_until_dynamo_is_reset(self, before):
        runs = []

        def backend(graph_module, example_inputs):
            return lambda *inputs: (runs.append(None), graph_module.forward(*inputs))[1]

        function = torch.compile(lambda x: (x * 3).cos(), backend=backend)
        if before:
            function(torch.ones(1000))
        compiled = len(runs)
        leak.assert_no_growth(lambda: function(torch.ones(1000)))
        function(torch.ones(1000))
        assert len(runs) == compiled == before
        torch._dynamo.reset()
        function(torch.ones(1000))
        assert len(runs) == compiled + 1

    @pytest.mark.parametrize(("kept", "passes"), [(100, True), (200, False)])
    def test_up_to_a_kilobyte_a_step_is_not_noticed(self, kept, passes):
        cache = []
        step = lambda: cache.append(torch.zeros(kept, dtype=torch.int64) + 1)  # noqa: E731
        if passes:
            assert leak.assert_no_growth(step) == 8 * kept
        else:
            with pytest.raises(AssertionError, match="1,600 bytes"):
                leak.assert_no_growth(step)

    def test_it_runs_the_step_as_often_as_told(self):
        calls = []
        leak.assert_no_growth(lambda: calls.append(None), steps=7, warmup=3)
        assert len(calls) == 10

    def test_the_number_is_the_same_in_every_run(self, loop):
        def run():
            with pytest.raises(AssertionError) as failure:
                leak.assert_no_growth(lambda: loop.history.append(loop.loss()))
            return str(failure.value)

        assert run() == run()


class TestFixedAMemoryLeakNumbers:
    @pytest.mark.parametrize(("batch", "classes", "left"), [(128, 1000, 676_872), (32, 10, 42_504)])
    def test_the_bytes_of_a_validation_step_are_log_softmax_relu_inputs_targets_and_two_numbers(
        self, batch, classes, left
    ):
        model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, classes))
        history = []

        def step():
            inputs, targets = torch.randn(batch, 64), torch.randint(classes, (batch,))
            history.append(nn.functional.cross_entropy(model(inputs), targets))

        assert left == batch * (4 * classes + 4 * 256 + 4 * 64 + 8) + 8
        with pytest.raises(AssertionError, match=f"a step leaves {left:,} bytes and 7 graph nodes"):
            leak.assert_no_growth(step)

    @pytest.mark.parametrize("batch_size", [16, 128])
    def test_a_loader_alone_leaves_nothing(self, batch_size):
        data = torch.utils.data.TensorDataset(torch.randn(1024, 64), torch.randint(1000, (1024,)))
        loader = torch.utils.data.DataLoader(data, batch_size=batch_size, shuffle=batch_size == 16)
        assert leak.assert_no_growth(lambda: next(iter(loader))) == 0

    @pytest.mark.parametrize("width", [8, 64])
    def test_of_a_kept_loss_relu_and_log_softmax_outputs_stay_and_those_of_linear_layers_do_not(self, width):
        blocks = {}
        model = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 5), nn.LogSoftmax(1))
        for layer in model:
            layer.register_forward_hook(lambda layer, args, y: blocks.update({layer: weakref.ref(y.untyped_storage())}))
        loss = nn.functional.nll_loss(model(torch.randn(4, 8)), torch.zeros(4, dtype=torch.int64))
        assert [blocks[layer]() is not None for layer in model] == [False, True, False, True]
        assert blocks[model[1]]().nbytes() == 4 * 4 * width
        value = loss.item()
        del loss
        assert value and not any(block() for block in blocks.values())

    @pytest.mark.parametrize("layer", [nn.ReLU(), nn.Tanh(), nn.Sigmoid()])
    def test_a_kept_loss_keeps_the_activations_of_its_graph(self, layer):
        outputs = []
        model = nn.Sequential(nn.Linear(8, 8), layer, nn.Linear(8, 1))
        layer.register_forward_hook(
            lambda module, inputs, output: outputs.append(weakref.ref(output.untyped_storage()))
        )
        for keep, alive in ((lambda x: x, 3), (torch.detach, 0), (torch.Tensor.item, 0)):
            outputs.clear()
            history = [keep(model(torch.randn(4, 8)).mean()) for _ in range(3)]
            assert sum(output() is not None for output in outputs) == alive, len(history)


class TestFixedAMemoryLeakCounters:
    def test_live_bytes_counts_storages_once_and_forgets_the_dead(self):
        with leak.LiveBytes() as live:
            a = torch.ones(10)
            b = a.view(2, 5)
            assert sum(live.sizes.values()) == 40
            del a
            assert sum(live.sizes.values()) == 40
            del b
            assert sum(live.sizes.values()) == 0

    def test_graph_nodes_counts_each_node_once(self):
        before = leak.graph_nodes()
        x = torch.ones(2, requires_grad=True)
        y = x * x
        z = y + y
        assert leak.graph_nodes() - before == 3  # AddBackward0, MulBackward0, AccumulateGrad
        del y, z
        assert leak.graph_nodes() == before

    def test_graph_nodes_walks_shared_nodes_once_however_many_paths_lead_there(self):
        before = leak.graph_nodes()
        y = torch.ones(1, requires_grad=True)
        for _ in range(40):  # 2 ** 40 paths
            y = y + y
        assert leak.graph_nodes() - before == 41
        del y

    def test_gc_misses_what_only_the_graph_holds(self, loop):
        before = seen_by_gc.bytes_that_gc_sees()
        loss = loop.loss()
        seen = seen_by_gc.bytes_that_gc_sees() - before
        assert 4 <= seen < loop.saved_bytes()
        del loss

    @pytest.mark.parametrize("classes", [10, 1000])
    def test_gc_misses_the_output_of_the_log_softmax(self, classes):
        model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, classes))
        inputs, targets = torch.randn(128, 64), torch.randint(classes, (128,))
        before = seen_by_gc.bytes_that_gc_sees()
        loss = F.cross_entropy(model(inputs), targets)
        assert seen_by_gc.bytes_that_gc_sees() - before == 128 * 256 * 4 + 4
        node = loss.grad_fn.next_functions[0][0]
        assert node.name() == "LogSoftmaxBackward0" and node._saved_result.nbytes == 128 * classes * 4

    def test_gc_sees_a_tensor_that_python_holds_and_counts_its_storage_once(self):
        before = seen_by_gc.bytes_that_gc_sees()
        x = torch.ones(1000)
        view = x[:10]
        assert seen_by_gc.bytes_that_gc_sees() - before == 4000
        del x, view

    def test_gc_count_works_in_a_process_that_has_fake_tensors(self):
        before = seen_by_gc.bytes_that_gc_sees()
        with FakeTensorMode():
            fake = torch.ones(1000)
        assert seen_by_gc.bytes_that_gc_sees() == before
        del fake

    def test_the_graph_of_a_known_model_saves_known_bytes(self):
        model = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), nn.Linear(8, 6))
        inputs, targets = torch.randn(3, 4), torch.randint(6, (3,))
        hidden, log_probabilities, total_weight = 3 * 8 * 4, 3 * 6 * 4, 4
        expected = hidden + log_probabilities + total_weight
        assert bytes_that_the_graph_saves(model, inputs, targets) == expected
        with torch.no_grad():
            assert bytes_that_the_graph_saves(model, inputs, targets) == 0


class TestFixedAMemoryLeakCollection:
    def test_reference_counting_frees_without_gc_and_gc_only_helps_with_cycles(self):
        gc.disable()
        try:
            tensor = torch.ones(3)
            alone = weakref.ref(tensor)
            del tensor
            assert alone() is None
            cycle = [torch.ones(3)]
            cycle.append(cycle)
            inside = weakref.ref(cycle[0])
            del cycle
            assert inside() is not None
            gc.collect()
            assert inside() is None
        finally:
            gc.enable()

    def test_neither_gc_nor_empty_cache_frees_what_a_list_refers_to(self, loop):
        loop.history.append(loop.loss())
        held = leak.graph_nodes()
        assert held > 0
        gc.collect()
        torch.cuda.empty_cache()
        assert leak.graph_nodes() == held
        loop.history[0] = loop.history[0].detach()
        assert leak.graph_nodes() < held

    @pytest.mark.parametrize("said", ["visible in", "`nvidia-smi`", "doesn't increase the amount of GPU"])
    def test_empty_cache_lowers_what_nvidia_smi_shows_and_gives_pytorch_nothing(self, said):
        assert said in torch.cuda.empty_cache.__doc__


class TestFixedAMemoryLeakRss:
    def test_the_leak_shows_in_rss_and_the_fix_does_not(self):
        # In a process of its own: a leak also fits into what this one has freed and not given back.
        program = f"""import json, runpy
curve = runpy.run_path({rss.__file__!r})["curve"]
curve(fixed=True, steps=4, every=4)
print(json.dumps([curve(fixed, steps=200, every=100) for fixed in (True, False)]))"""
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        flat, climbing = json.loads(ended.stdout)
        assert len(flat) == len(climbing) == 3
        assert climbing[-1] - climbing[0] > 100 + (flat[-1] - flat[0])

    @pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
    @pytest.mark.parametrize("steps", [200, 400])
    def test_with_a_low_mmap_threshold_the_process_grows_by_what_the_tensors_hold(self, steps):
        program = f"""import json, runpy
curve = runpy.run_path({rss.__file__!r})["curve"]
curve(fixed=True, steps=4, every=4)
print(json.dumps(curve(False, steps={steps}, every={steps})))"""
        environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"}
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=environment)
        first, last = json.loads(ended.stdout)
        tensors = steps * 676_872 / 1e6
        assert tensors * 0.95 < last - first < tensors * 1.1

    def test_resident_megabytes_sees_an_allocation_in_its_unit(self):
        before = rss.resident_megabytes()
        big = torch.ones(100_000_000)
        grown = rss.resident_megabytes() - before
        assert 300 < grown < 500, big.nbytes

    @pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
    def test_with_proc_it_falls_again_when_memory_is_freed(self):
        big = torch.ones(100_000_000)
        high = rss.resident_megabytes()
        del big
        assert rss.resident_megabytes() < high - 300

    @pytest.mark.parametrize(("platform", "bytes_per_unit"), [("darwin", 1), ("freebsd14", 1024)])
    def test_without_proc_it_reports_the_highest_so_far_in_megabytes(self, monkeypatch, platform, bytes_per_unit):
        monkeypatch.setattr(rss.Path, "exists", lambda self: False)
        monkeypatch.setattr(rss.sys, "platform", platform)
        monkeypatch.setattr(rss.resource, "getrusage", lambda who: SimpleNamespace(ru_maxrss=3_000_000))
        assert rss.resident_megabytes() == pytest.approx(3 * bytes_per_unit)
