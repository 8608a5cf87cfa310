"""What docs/senior/distributed/accumulation-no-sync.md claims, proven beyond the example shown."""

import copy
import gc
import tempfile
from pathlib import Path

import pytest
import torch
import torch._dynamo  # DDP imports it: here once, and not in each process
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from warmup import testing
from warmup.testing import load_snippet

accumulation = load_snippet("senior/distributed/accumulation_no_sync.py")
means = load_snippet("senior/distributed/accumulation_no_sync_means_broken.py")
counts = load_snippet("senior/distributed/accumulation_no_sync_counts.py")


def classifier():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3))


def micro_batches(rank, sizes):
    """Pairs of input and labels; every third label does not count."""
    generator = torch.Generator().manual_seed(rank)
    pairs = []
    for size in sizes:
        y = torch.randint(3, (size,), generator=generator)
        y[::3] = -100
        pairs.append((torch.randn(size, 4, generator=generator), y))
    return pairs


def summed(output, y):
    return functional.cross_entropy(output, y, reduction="sum")


# Sizes of the micro-batches of each rank. A size of 1 has no label that counts.
SETTINGS = {
    "equal": ((6, 6), (6, 6)),
    "uneven": ((2, 9), (5, 4)),
    "other numbers of micro-batches": ((3, 4, 5), (8,)),
    "all padding": ((1, 6), (5, 5)),
    "no label anywhere": ((1, 1), (1, 1)),
}


def gradients(model):
    return [p.grad.clone() for p in model.parameters()]


def steps_apart(rank):
    """Weight after a step whose micro-batches were all under no_sync()."""
    model = nn.Linear(1, 1, bias=False)
    replica = DistributedDataParallel(model)
    nn.init.ones_(model.weight)
    with replica.no_sync():
        for _ in range(2):
            replica(torch.full((1, 1), rank + 1.0)).sum().backward()
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    return model.weight.item()


def mean_of_padding(rank):
    model = classifier()
    replica = DistributedDataParallel(model)
    x, y = micro_batches(rank, [1 if rank else 6])[0]
    functional.cross_entropy(replica(x), y).backward()
    return gradients(model)


def clip_under_no_sync(rank, after):
    """Gradients of a weight, clipped to 1 after the first micro-batch or after the last one."""
    model = nn.Linear(1, 1, bias=False)
    replica = DistributedDataParallel(model)
    norms = []
    with replica.no_sync():
        replica(torch.full((1, 1), 2.0 + 2 * rank)).sum().backward()
    if not after:
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), 1.0).item())
    replica(torch.full((1, 1), 2.0 + 2 * rank)).sum().backward()
    if after:
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), 1.0).item())
    return norms[0]


def _rank(rank, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/init", rank=rank, world_size=2)
    found = {}
    for name, sizes in SETTINGS.items():
        model = classifier()
        accumulation.accumulate(DistributedDataParallel(model), micro_batches(rank, sizes[rank]), summed)
        found[name] = gradients(model)
    found["steps apart"] = steps_apart(rank)
    found["mean of padding"] = mean_of_padding(rank)
    found["clip last"] = clip_under_no_sync(rank, True)
    found["clip first"] = clip_under_no_sync(rank, False)
    accumulation.demonstrate(rank)
    torch.save(found, f"{folder}/{rank}.pt")
    gc.collect()  # replicas first, then their group
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def found():
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(_rank, args=(folder,), nprocs=2, start_method="fork")
        return [torch.load(Path(folder, f"{rank}.pt")) for rank in range(2)]


@pytest.fixture
def one_rank():
    with testing.one_rank():
        yield


class TestAccumulationNoSync:
    @pytest.mark.parametrize("name", [name for name in SETTINGS if name != "no label anywhere"])
    def test_the_gradient_is_that_of_one_batch_with_all_labels_of_all_ranks(self, found, name):
        pairs = [pair for rank in range(2) for pair in micro_batches(rank, SETTINGS[name][rank])]
        model = classifier()
        x, y = (torch.cat(parts) for parts in zip(*pairs, strict=True))
        functional.cross_entropy(model(x), y).backward()
        for rank in range(2):
            torch.testing.assert_close(found[rank][name], gradients(model))
        assert all(torch.equal(a, b) for a, b in zip(found[0][name], found[1][name], strict=True))

    def test_a_step_without_a_label_gives_zeros(self, found):
        assert all((g == 0).all() for rank in range(2) for g in found[rank]["no label anywhere"])

    def test_with_the_mean_padding_on_one_rank_halves_the_gradient_of_the_other(self, found):
        model = classifier()
        x, y = micro_batches(0, [6])[0]
        functional.cross_entropy(model(x), y).backward()
        for rank in range(2):
            torch.testing.assert_close(found[rank]["mean of padding"], [g / 2 for g in gradients(model)])

    @pytest.mark.parametrize("smoothing", [0.0, 0.1])
    def test_a_micro_batch_of_padding_has_a_loss_of_nan_and_a_gradient_of_zero(self, smoothing):
        output = torch.randn(3, 4, requires_grad=True)
        loss = functional.cross_entropy(output, torch.full((3,), -100), label_smoothing=smoothing)
        loss.backward()
        assert loss.isnan() and (output.grad == 0).all()

    @pytest.mark.parametrize("labels", [0, 2])
    def test_a_mean_over_a_mask_by_hand_has_a_gradient_of_nan_without_labels(self, labels):
        losses, mask = torch.ones(3, requires_grad=True), (torch.arange(3) < labels).float()
        ((losses * mask).sum() / mask.sum()).backward()
        assert losses.grad.isnan().all() == (labels == 0)

    def test_if_all_is_under_no_sync_the_ranks_step_apart(self, found):
        assert [rank["steps apart"] for rank in found] == pytest.approx([0.8, 0.6])

    def test_the_norm_is_the_same_on_all_ranks_only_after_the_last_backward(self, found):
        assert found[0]["clip last"] == found[1]["clip last"] == pytest.approx(6.0)
        assert [rank["clip first"] for rank in found] == pytest.approx([2.0, 4.0])


class TestAccumulationNoSyncMeans:
    @pytest.mark.parametrize(
        ("divide", "expected"),
        [
            ("mean / micro-batches", (1 + 2.5 + 5 + 8.5) / 4),
            ("sum / tokens of this rank", (6 / 3 + 49 / 7) / 2),
            ("sum / tokens of all ranks", 5.5 / 2),
            ("sum / tokens of all ranks * ranks", 5.5),
        ],
    )
    def test_only_the_global_count_times_the_ranks_gives_the_mean(self, divide, expected):
        assert means.gradient(divide) == pytest.approx(expected)

    def test_equal_micro_batches_need_no_count(self, monkeypatch):
        monkeypatch.setattr(means, "RANKS", (([1.0, 2.0], [3.0, 4.0]), ([5.0, 6.0], [7.0, 9.0])))
        right = means.gradient("sum / tokens of all ranks * ranks")
        assert means.gradient("mean / micro-batches") == pytest.approx(right) == pytest.approx(37 / 8)

    def test_a_class_weighted_mean_counts_weights(self):
        weight = torch.tensor([1.0, 5.0, 2.0])
        pairs = micro_batches(0, (6, 9))
        big, small = classifier(), copy.deepcopy(classifier())
        x, y = (torch.cat(parts) for parts in zip(*pairs, strict=True))
        functional.cross_entropy(big(x), y, weight=weight).backward()
        total = sum(weight[y[y != -100]].sum() for _, y in pairs)
        for x, y in pairs:
            (functional.cross_entropy(small(x), y, weight=weight, reduction="sum") / total).backward()
        torch.testing.assert_close(gradients(small), gradients(big))


class TestAccumulationNoSyncCounts:
    @pytest.mark.parametrize(
        ("inside", "sent"),
        [
            ([], 2),
            (["backward 1"], 2),
            (["forward 1"], 1),
            (["forward 1", "backward 1"], 1),
            (["forward 1", "backward 1", "backward 2"], 1),
            (["forward 1", "backward 1", "forward 2", "backward 2"], 0),
        ],
    )
    def test_the_forward_pass_decides_what_is_sent(self, one_rank, inside, sent):
        assert counts.sent(inside) == sent

    @pytest.mark.parametrize("micro_batches", [1, 2, 5])
    def test_one_all_reduce_of_gradients_replaces_k(self, one_rank, micro_batches):
        replica, calls = DistributedDataParallel(nn.Linear(1, 1)), []

        def count(_: object, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
            calls.append(bucket.index())
            future = torch.futures.Future()
            future.set_result(bucket.buffer())
            return future

        replica.register_comm_hook(None, count)
        pair = (torch.ones(2, 1), torch.zeros(2))
        accumulation.accumulate(replica, [pair] * micro_batches, lambda output, y: output.sum())
        assert len(calls) == 1
        assert replica.module.weight.grad.item() == pytest.approx(1)


class _Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.p, self.q = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))

    def forward(self, x, uses_q):
        return (self.p * x).sum() + ((self.q * x).sum() if uses_q else 0)


@pytest.mark.usefixtures("one_rank")
class TestUnusedInTheLastMicroBatch:
    @pytest.mark.parametrize(("find", "uses_q", "sent"), [(False, True, 1), (False, False, 0), (True, False, 1)])
    def test_a_bucket_with_a_parameter_that_the_last_one_does_not_use_is_sent_only_if_ddp_looks(
        self, find, uses_q, sent
    ):
        replica = DistributedDataParallel(_Branches(), find_unused_parameters=find)
        calls = []

        def count(_: None, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
            calls.append(bucket.index())
            future = torch.futures.Future()
            future.set_result(bucket.buffer())
            return future

        replica.register_comm_hook(None, count)
        with replica.no_sync():
            replica(torch.ones(1), True).backward()
        replica(torch.ones(1), uses_q).backward()
        assert len(calls) == sent
