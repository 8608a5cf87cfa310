"""What docs/senior/distributed/gradient-sync-order.md claims, proven beyond the example shown."""

import gc
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import pytest
import torch
import torch._dynamo  # DDP imports it: here once, and not in each process
import torch.distributed as dist
import torch.multiprocessing as mp

from warmup.testing import load_snippet

order = load_snippet("senior/distributed/gradient_sync_order.py")
hooks = load_snippet("senior/distributed/gradient_sync_order_hooks.py")
logging = load_snippet("senior/distributed/gradient_sync_order_logging_broken.py")


def in_order(rank, first, second, asynchronous=False):
    """Sums two tensors, rank 1 in the other order; waits for the last one first if asynchronous."""
    pending = [dist.all_reduce(t, async_op=asynchronous) for t in ((first, second), (second, first))[rank]]
    for work in reversed(pending):
        if work is not None:
            work.wait()
    return first.flatten()[0].item(), second.flatten()[0].item()


def swapped(rank):
    return order.two_sums(rank, True)


def same_order(rank):
    return order.two_sums(rank, False)


def asynchronously(rank):
    return in_order(rank, torch.full((3,), rank + 1.0), torch.full((3,), 10.0 * (rank + 1)), asynchronous=True)


def transposed(rank):
    return in_order(rank, torch.full((2, 3), rank + 1.0), torch.full((3, 2), 10.0 * (rank + 1)))


def half_precisions(rank):
    tensor = torch.tensor([1.0, 2.0], dtype=(torch.float16, torch.bfloat16)[rank])
    dist.all_reduce(tensor)
    return tensor.tolist()


def two_and_four(rank):
    tensor = torch.full(((2, 4)[rank],), rank + 1.0)
    dist.all_reduce(tensor)
    return tensor.tolist()


def other_sizes(rank):
    return in_order(rank, torch.full((2,), rank + 1.0), torch.full((4,), 10.0 * (rank + 1)))


def other_dtypes(rank):
    return in_order(rank, torch.full((2,), rank + 1.0), torch.full((2,), 10 * (rank + 1)))


def other_dimensions(rank):
    return in_order(rank, torch.tensor(rank + 1.0), torch.full((3,), 10.0 * (rank + 1)))


def sum_and_maximum(rank):
    tensor = torch.full((2,), rank + 1.0)
    dist.all_reduce(tensor, op=(dist.ReduceOp.SUM, dist.ReduceOp.MAX)[rank])


def broadcast_and_all_reduce(rank):
    tensor = torch.full((2,), rank + 1.0)
    if rank:
        dist.broadcast(tensor, 0)
    else:
        dist.all_reduce(tensor)


def missing(rank):
    a, b = torch.full((2,), rank + 1.0), torch.full((2,), 10.0 * (rank + 1))
    for tensor in ((a, b), (b,))[rank]:
        dist.all_reduce(tensor)
    return a[0].item(), b[0].item()


def logs(rank):
    logging.step(rank)


def by_hand(rank):
    return hooks.gradients(rank, by_hand=True)


def by_ddp(rank):
    return hooks.gradients(rank, by_hand=False)


# Some would abort the process without DETAIL, so they run with it only.
CASES = {
    "OFF": [same_order, swapped, asynchronously, transposed, sum_and_maximum, by_hand, by_ddp]
    + [broadcast_and_all_reduce, missing, half_precisions, two_and_four],
    "DETAIL": [same_order, swapped, asynchronously, transposed, sum_and_maximum, other_sizes, other_dtypes]
    + [other_dimensions, broadcast_and_all_reduce, missing, logs, half_precisions, two_and_four],
}


def _rank(rank, folder):
    torch.set_num_threads(1)
    found = {}
    for level, cases in CASES.items():
        dist.set_debug_level(dist.DebugLevel.__members__[level])
        for case in cases:
            name = f"{level} {case.__name__}"
            store = dist.FileStore(f"{folder}/{name}", 2)
            dist.init_process_group("gloo", store=store, rank=rank, world_size=2, timeout=timedelta(seconds=1))
            start = time.monotonic()
            try:
                found[name] = case(rank)
            except RuntimeError as error:
                found[name] = f"{error} after {time.monotonic() - start:.0f} s"
            Path(folder, f"{name} {rank}").touch()
            while not Path(folder, f"{name} {1 - rank}").exists():  # who leaves early closes the connection
                time.sleep(0.01)
            gc.collect()
            dist.destroy_process_group()
    torch.save(found, f"{folder}/{rank}.pt")


@pytest.fixture(scope="module")
def found():
    """What each case returned on both ranks, or the text of its error."""
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(_rank, args=(folder,), nprocs=2, start_method="fork")
        ranks = [torch.load(Path(folder, f"{rank}.pt")) for rank in range(2)]
    return {name: [rank[name] for rank in ranks] for name in ranks[0]}


class TestGradientSyncOrder:
    @pytest.mark.parametrize("level", ["OFF", "DETAIL"])
    def test_with_equal_shapes_the_first_calls_are_added_and_nobody_raises(self, found, level):
        assert found[f"{level} same_order"] == [(3, 30)] * 2
        assert found[f"{level} swapped"] == [(21, 12), (12, 21)]

    @pytest.mark.parametrize("level", ["OFF", "DETAIL"])
    def test_the_order_of_wait_does_not_matter_and_the_order_of_issue_does(self, found, level):
        assert found[f"{level} asynchronously"] == [(21, 12), (12, 21)]

    def test_equal_numbers_of_elements_are_mixed_and_detail_compares_the_shape(self, found):
        assert found["OFF transposed"] == [(21, 12), (12, 21)]
        assert all("Detected mismatch between collectives" in text for text in found["DETAIL transposed"])

    @pytest.mark.parametrize(
        "case",
        ["other_sizes", "other_dtypes", "other_dimensions", "broadcast_and_all_reduce", "logs"]
        + ["half_precisions", "two_and_four"],
    )
    def test_detail_raises_at_once_on_both_ranks(self, found, case):
        for text in found[f"DETAIL {case}"]:
            assert "Detected mismatch between collectives on ranks" in text
            assert text.endswith("after 0 s")

    def test_dtypes_of_one_size_are_misread_and_nobody_raises(self, found):
        for values in found["OFF half_precisions"]:
            assert isinstance(values, list) and values != [2, 4]

    def test_the_smaller_tensor_gets_a_wrong_sum_and_the_larger_one_waits(self, found):
        smaller, larger = found["OFF two_and_four"]
        assert smaller == [3, 3]
        assert "Timed out" in larger and larger.endswith("after 1 s")

    @pytest.mark.parametrize("level", ["OFF", "DETAIL"])
    def test_nobody_compares_the_reduction(self, found, level):
        assert found[f"{level} sum_and_maximum"] == [None, None]

    def test_different_operations_fail_after_the_timeout(self, found):
        for text in found["OFF broadcast_and_all_reduce"]:
            assert isinstance(text, str) and text.endswith("after 1 s")

    def test_after_a_missing_call_the_next_one_takes_its_place_and_the_last_one_waits(self, found):
        waiting, gone = found["OFF missing"]
        assert gone == (2, 21)
        assert "Timed out" in waiting and waiting.endswith("after 1 s")
        waiting, gone = found["DETAIL missing"]
        assert gone == (2, 21)
        assert "Ranks 1 failed to pass monitoredBarrier" in waiting


class TestGradientSyncOrderHooks:
    def test_hooks_by_hand_mix_two_weights_and_ddp_does_not(self, found):
        assert found["OFF by_hand"] == [[3.5, 4.0], [4.0, 3.5]]
        assert found["OFF by_ddp"] == [[4.5, 3.0]] * 2

    def test_the_true_means_are_4_5_and_3(self):
        model = [hooks.TwoWeights(rank) for rank in range(2)]
        for rank in range(2):
            model[rank](torch.tensor(rank + 1.0)).backward()
        for name, mean in (("two", 4.5), ("three", 3.0)):
            assert sum(getattr(m, name).grad.item() for m in model) / 2 == mean
