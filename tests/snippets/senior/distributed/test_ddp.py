"""What docs/senior/distributed/ddp.md claims, proven beyond the example shown."""

import contextlib
import copy
import gc
import re
import tempfile
import time
import warnings
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler

from warmup.testing import load_snippet

ddp = load_snippet("senior/distributed/ddp.py")
ddp_no_sync = load_snippet("senior/distributed/ddp_no_sync.py")
ddp_steps = load_snippet("senior/distributed/ddp_steps.py")
ddp_buckets = load_snippet("senior/distributed/ddp_buckets.py")
ddp_uneven = load_snippet("senior/distributed/ddp_uneven.py")
ddp_unused = load_snippet("senior/distributed/ddp_unused_broken.py")


def _rank(rank, world_size, folder, function, arguments):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/init", rank=rank, world_size=world_size)
    try:
        torch.save(function(rank, *arguments), f"{folder}/{rank}.pt")
    finally:
        gc.collect()  # replicas first, then their group
        dist.destroy_process_group()


def on_ranks(function, *arguments, world_size=2):
    """What ``function(rank, *arguments)`` returns on every rank of a gloo group, in the order of the ranks."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = (world_size, folder, function, arguments)
        mp.start_processes(_rank, args=arguments, nprocs=world_size, start_method="fork")
        return [torch.load(Path(folder, f"{rank}.pt")) for rank in range(world_size)]


def perceptron():
    return nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))


def gradients(module):
    return [p.grad.clone() for p in module.parameters()]


def ddp_buckets_events(rank, bucket_cap_mb):
    return ddp_buckets.backward_events(bucket_cap_mb)


class TestDdp:
    @pytest.mark.parametrize("snippet", [ddp, ddp_no_sync], ids=["ddp", "ddp_no_sync"])
    def test_the_ranks_of_the_examples_end_with_one_gradient(self, snippet, capfd):
        def shown(rank):
            snippet.demonstrate(rank)

        on_ranks(shown)
        printed = capfd.readouterr().out.splitlines()
        if snippet is ddp:
            weights, averaged = zip(*(re.findall(r"-?[\d.]+", line)[-2:] for line in printed), strict=True)
            assert len(printed) == 2 and len(set(weights)) == 1 and set(averaged) == {"2.0"}
        else:
            apart = [len(set(re.findall(r"[\d.]+", line.partition("[")[2]))) for line in printed]
            assert apart == [2, 2, 2, 1]

    def test_the_constructor_gives_every_rank_the_parameters_and_buffers_of_rank_0(self):
        def wrapped_state(rank):
            torch.manual_seed(rank)
            model = nn.Sequential(perceptron(), nn.BatchNorm1d(1))
            nn.init.normal_(model[1].running_mean)
            before = copy.deepcopy(model.state_dict())
            return before, dict(DistributedDataParallel(model).module.state_dict())

        states = on_ranks(wrapped_state, world_size=3)
        assert not torch.equal(states[1][0]["0.0.weight"], states[0][0]["0.0.weight"])
        for _, after in states:
            assert all(torch.equal(after[name], value) for name, value in states[0][0].items())

    @pytest.mark.parametrize("world_size", [2, 3])
    def test_gradient_is_the_gradient_of_the_big_batch(self, world_size):
        torch.manual_seed(1)
        model, x = perceptron(), torch.randn(12, 3)

        def gradient(rank):
            replica = DistributedDataParallel(copy.deepcopy(model))
            replica(x[rank::world_size]).square().mean().backward()
            return gradients(replica)

        per_rank = on_ranks(gradient, world_size=world_size)
        model(x).square().mean().backward()
        for rank in range(world_size):
            torch.testing.assert_close(per_rank[rank], gradients(model))

    def test_with_a_summed_loss_the_gradient_is_too_small_by_the_world_size(self):
        model, x = nn.Linear(3, 1), torch.randn(8, 3)

        def gradient(rank):
            replica = DistributedDataParallel(copy.deepcopy(model))
            replica(x[rank::2]).sum().backward()
            return gradients(replica)

        ddp_gradient = on_ranks(gradient)[0]
        model(x).sum().backward()
        torch.testing.assert_close([2 * g for g in ddp_gradient], gradients(model))

    def test_equal_optimizers_stay_together_without_exchanging_weights(self):
        def train(rank, learning_rate):
            torch.manual_seed(rank)
            replica = DistributedDataParallel(perceptron())
            optimizer = torch.optim.Adam(replica.parameters(), lr=learning_rate[rank])
            for _ in range(5):
                optimizer.zero_grad()
                replica(torch.randn(4, 3)).square().mean().backward()
                optimizer.step()
            return [p.detach() for p in replica.parameters()], gradients(replica)

        same, other = on_ranks(train, (0.01, 0.01)), on_ranks(train, (0.01, 0.02))
        assert all(torch.equal(a, b) for a, b in zip(same[0][0], same[1][0], strict=True))
        assert not any(torch.equal(a, b) for a, b in zip(other[0][0], other[1][0], strict=True))
        assert all(torch.equal(a, b) for a, b in zip(other[0][1], other[1][1], strict=True))

    def test_report_prints_every_rank_in_order_on_rank_0(self, capfd):
        def run(rank):
            ddp_steps.report("value", 10.0 * rank)

        on_ranks(run, world_size=3)
        assert capfd.readouterr().out.split() == ["value", "0.0000", "10.0000", "20.0000"]

    def test_clipping_after_backward_gives_every_rank_the_same_gradient(self):
        def clip(rank):
            torch.manual_seed(rank)
            replica = DistributedDataParallel(perceptron())
            replica(10 * torch.randn(4, 3)).square().mean().backward()
            norm = nn.utils.clip_grad_norm_(replica.parameters(), 0.01)
            return norm, gradients(replica)

        (norm0, gradients0), (norm1, gradients1) = on_ranks(clip)
        assert norm0 > 0.01 and torch.equal(norm0, norm1)
        assert all(torch.equal(a, b) for a, b in zip(gradients0, gradients1, strict=True))

    @pytest.mark.parametrize(
        "inner", [lambda replica, model: model, lambda replica, model: replica.module], ids=["model", "replica.module"]
    )
    def test_calling_the_inner_model_averages_nothing_and_raises_nothing(self, inner):
        def gradient(rank):
            model = nn.Linear(1, 1, bias=False)
            replica = DistributedDataParallel(model)
            values = []
            for _ in range(2):
                replica.zero_grad()
                inner(replica, model)(torch.full((1, 1), rank + 1.0)).sum().backward()
                values.append(model.weight.grad.item())
            replica.zero_grad()
            replica(torch.full((1, 1), rank + 1.0)).sum().backward()
            return values + [model.weight.grad.item()]

        assert on_ranks(gradient) == [[1.0, 1.0, 1.5], [2.0, 2.0, 1.5]]

    def test_a_checkpoint_of_rank_0_has_plain_names_and_makes_every_rank_equal(self):
        def resume(rank, path):
            torch.manual_seed(rank)
            replica = DistributedDataParallel(perceptron())
            optimizer = torch.optim.Adam(replica.parameters(), lr=0.01)
            replica(torch.randn(4, 3)).square().mean().backward()
            optimizer.step()
            if rank == 0:
                torch.save({"model": replica.module.state_dict(), "optimizer": optimizer.state_dict()}, path)
            dist.barrier()
            model = perceptron()
            saved = torch.load(path, map_location="cpu")
            model.load_state_dict(saved["model"])
            optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
            optimizer.load_state_dict(saved["optimizer"])
            names = [name.startswith("module.") for name in replica.state_dict()]
            return [p.detach() for p in model.parameters()], optimizer.state_dict()["state"][0]["step"], all(names)

        with tempfile.TemporaryDirectory() as folder:
            first, second = on_ranks(resume, f"{folder}/checkpoint.pt")
        assert all(torch.equal(a, b) for a, b in zip(first[0], second[0], strict=True))
        assert first[1:] == second[1:] == (1, True)

    def test_a_frozen_parameter_is_still_broadcast_once(self):
        def frozen(rank):
            torch.manual_seed(rank)
            model = perceptron()
            model[0].requires_grad_(False)
            before = model[0].weight.clone()
            DistributedDataParallel(model)
            return before, model[0].weight.clone()

        first, second = on_ranks(frozen)
        assert not torch.equal(first[0], second[0])
        assert torch.equal(first[0], first[1]) and torch.equal(second[1], first[0])

    @pytest.mark.parametrize("training", [True, False])
    def test_the_buffers_of_rank_0_are_copied_in_every_forward(self, training):
        class Counter(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(1))
                self.register_buffer("count", torch.zeros(1))

            def forward(self, x):
                self.count += dist.get_rank() + 1
                return self.weight * x

        def counts(rank):
            replica = DistributedDataParallel(Counter())
            replica.train(training)
            values = []
            for _ in range(2):
                replica(torch.ones(1)).sum().backward()
                values.append(replica.module.count.item())
            return values

        assert on_ranks(counts) == [[1, 2], [2, 3]]

    def test_batch_norm_sees_its_own_rank_and_rank_0_overwrites_the_statistics(self):
        def statistics(rank):
            replica = DistributedDataParallel(nn.BatchNorm1d(1, momentum=1.0))
            batch = torch.tensor([[0.0], [2.0]]) + 10 * rank
            replica(batch)
            after_training = replica.module.running_mean.item()
            replica.eval()
            replica(batch)
            return after_training, replica.module.running_mean.item()

        assert on_ranks(statistics) == [(1.0, 1.0), (11.0, 1.0)]

    @pytest.mark.parametrize("context", ["no_grad", "no_sync"])
    def test_the_second_forward_without_synchronization_copies_no_buffer(self, context):
        def statistics(rank):
            replica = DistributedDataParallel(nn.BatchNorm1d(1, momentum=1.0))
            buffer, seen = replica.module.running_mean, []
            replica(torch.tensor([[0.0], [2.0]]) + 10 * rank).sum().backward()
            replica.eval()
            with torch.no_grad() if context == "no_grad" else replica.no_sync():
                for _ in range(2):
                    replica(torch.ones(2, 1))
                    seen.append(buffer.item())
                    buffer += rank
            return seen

        assert on_ranks(statistics) == [[1.0, 1.0], [1.0, 2.0]]

    @pytest.mark.parametrize(("sum_first", "expected"), [(False, [2.5, 3.5]), (True, [3.0, 3.0])])
    def test_after_two_forwards_only_one_backward_averages(self, sum_first, expected):
        def gradient(rank):
            replica = DistributedDataParallel(nn.Linear(1, 1, bias=False))
            first, second = (replica(torch.full((1, 1), rank + 1.0)).sum() for _ in range(2))
            if sum_first:
                (first + second).backward()
            else:
                first.backward()
                second.backward()
            return replica.module.weight.grad.item()

        assert on_ranks(gradient) == expected


class TestDdpBuckets:
    @pytest.mark.parametrize(("bucket_cap_mb", "buckets"), [(0.25, 6), (0.75, 2)])
    def test_the_cap_sets_the_number_of_all_reduces(self, bucket_cap_mb, buckets):
        events = on_ranks(ddp_buckets_events, bucket_cap_mb)[0]
        assert sum("all-reduce" in event for event in events) == buckets

    def test_layers_become_ready_last_first_and_buckets_start_while_layers_are_missing(self):
        per_rank = on_ranks(ddp_buckets_events, 0.5, world_size=3)
        events = per_rank[0]
        ready = [event for event in events if event.startswith("gradient")]
        starts = [number for number, event in enumerate(events) if "all-reduce" in event]
        assert ready == [f"gradient of layer {number}" for number in (5, 4, 3, 2, 1, 0)]
        assert [number < events.index("gradient of layer 0") for number in starts] == [True, True, False]
        assert starts[-1] < events.index("backward() returns") == len(events) - 1
        assert [events[number].split("bucket ")[1][0] for number in starts] == ["0", "1", "2"]
        assert per_rank[1] == per_rank[2] == events, "no rank is a master"

    def test_the_first_backward_uses_one_bucket(self):
        def bucket_counts(rank):
            layers = nn.Sequential(*[nn.Linear(256, 256, bias=False) for _ in range(6)])
            replica = DistributedDataParallel(layers, bucket_cap_mb=0.5)
            calls = []

            def hook(state, bucket):
                calls.append(bucket.index())
                return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda f: f.value()[0])

            replica.register_comm_hook(None, hook)
            counts = []
            for _ in range(3):
                calls.clear()
                replica(torch.ones(1, 256)).sum().backward()
                counts.append(len(calls))
            return counts

        assert on_ranks(bucket_counts)[0] == [1, 3, 3]

    def test_two_dtypes_do_not_share_the_first_bucket(self):
        class Mixed(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 4, dtype=torch.float64)

            def forward(self, x):
                return self.last(self.first(x).double())

        def sizes(rank):
            replica, found = DistributedDataParallel(Mixed()), []

            def hook(state, bucket):
                found.append(len(bucket.parameters()))
                return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda f: f.value()[0])

            replica.register_comm_hook(None, hook)
            replica(torch.ones(1, 4)).sum().backward()
            return found

        assert on_ranks(sizes)[0] == [2, 2]

    @pytest.mark.parametrize(
        ("options", "buckets"),
        [
            ({}, [[12], [4, 8], [4, 8]]),
            ({"bucket_cap_mb": 25}, [[12], [12], [12]]),
            ({"find_unused_parameters": True}, [[8, 4], [8, 4], [8, 4]]),
        ],
        ids=str,
    )
    def test_by_default_the_first_bucket_is_small_from_the_second_backward_on(self, options, buckets):
        def sizes(rank):
            layers = nn.Sequential(*[nn.Linear(256, 256, bias=False) for _ in range(12)])
            replica = DistributedDataParallel(layers, **options)
            calls, found = [], []

            def hook(state, bucket):
                calls.append(len(bucket.parameters()))
                return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda f: f.value()[0])

            replica.register_comm_hook(None, hook)
            for _ in range(3):
                calls.clear()
                replica(torch.ones(1, 256)).sum().backward()
                found.append(list(calls))
            return found

        assert on_ranks(sizes)[0] == buckets


class TestDdpStaticGraph:
    @pytest.mark.parametrize(("static", "expected"), [(False, [3, 3, 3]), (True, [1, 1, 3])])
    def test_looking_for_unused_parameters_keeps_the_buckets_unless_the_graph_is_static(self, static, expected):
        def all_reduces(rank):
            layers = nn.Sequential(*(nn.Linear(256, 256, bias=False) for _ in range(6)))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a static graph finds unused parameters without being told
                replica = DistributedDataParallel(
                    layers, bucket_cap_mb=0.5, static_graph=static, find_unused_parameters=True
                )
            counts = []

            def hook(state, bucket):
                counts[-1] += 1
                return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda f: f.value()[0])

            replica.register_comm_hook(None, hook)
            for _ in range(3):
                counts.append(0)
                replica(torch.ones(2, 256)).sum().backward()
            return counts

        assert on_ranks(all_reduces) == [expected] * 2


class TestDdpNoSync:
    @pytest.mark.parametrize(
        ("forward_inside", "backward_inside", "averaged"),
        [(False, False, True), (True, True, False), (False, True, True), (True, False, False)],
    )
    def test_the_forward_decides_whether_backward_averages(self, forward_inside, backward_inside, averaged):
        def gradient(rank):
            replica = DistributedDataParallel(nn.Linear(1, 1, bias=False))
            x = torch.full((1, 1), rank + 1.0)
            with replica.no_sync() if forward_inside else contextlib.nullcontext():
                loss = replica(x).sum()
            with replica.no_sync() if backward_inside else contextlib.nullcontext():
                loss.backward()
            return replica.module.weight.grad.item()

        assert on_ranks(gradient) == ([1.5, 1.5] if averaged else [1.0, 2.0])

    @pytest.mark.parametrize("micro_batches", [2, 4])
    def test_the_last_backward_averages_the_sums(self, micro_batches):
        torch.manual_seed(1)
        model, x = perceptron(), torch.randn(micro_batches, 6, 3)

        def gradient(rank):
            replica = DistributedDataParallel(copy.deepcopy(model))
            for number in range(micro_batches):
                with contextlib.nullcontext() if number == micro_batches - 1 else replica.no_sync():
                    replica(x[number, rank::2]).square().mean().backward()
            return gradients(replica)

        first, second = on_ranks(gradient)
        for part in x:
            model(part).square().mean().backward()
        torch.testing.assert_close(first, gradients(model))
        assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


class TestDdpSampler:
    @pytest.mark.parametrize(("length", "seed"), [(8, 0), (30, 7)])
    def test_without_set_epoch_every_epoch_has_the_same_order(self, length, seed):
        samplers = [DistributedSampler(range(length), 2, rank, seed=seed) for rank in range(2)]
        first = [list(sampler) for sampler in samplers]
        assert first == [list(sampler) for sampler in samplers]
        assert sorted(first[0] + first[1]) == list(range(length))
        for sampler in samplers:
            sampler.set_epoch(1)
        second = [list(sampler) for sampler in samplers]
        assert second != first and sorted(second[0] + second[1]) == list(range(length))


class TestDdpUneven:
    @pytest.mark.parametrize("sizes", [(7, 0), (1, 2, 6)])
    def test_mean_over_ranks_is_the_mean_over_all_samples(self, sizes):
        torch.manual_seed(1)
        model = perceptron()
        shares = torch.randn(sum(sizes), 3).split(sizes)

        def gradient(rank):
            replica = DistributedDataParallel(copy.deepcopy(model))
            ddp_uneven.mean_over_ranks(replica(shares[rank]).square().flatten()).backward()
            return gradients(replica)

        per_rank = on_ranks(gradient, world_size=len(sizes))
        model(torch.cat(shares)).square().mean().backward()
        for rank in range(len(sizes)):
            torch.testing.assert_close(per_rank[rank], gradients(model))

    @pytest.mark.parametrize(("sizes", "right"), [((4, 1), False), ((3, 3), True)])
    def test_the_mean_of_means_is_right_for_equal_batches_only(self, sizes, right):
        torch.manual_seed(1)
        model = nn.Linear(3, 1)
        shares = torch.randn(sum(sizes), 3).split(sizes)

        def gradient(rank):
            replica = DistributedDataParallel(copy.deepcopy(model))
            replica(shares[rank]).square().mean().backward()
            return gradients(replica)[0]

        ddp_gradient = on_ranks(gradient)[0]
        model(torch.cat(shares)).square().mean().backward()
        assert torch.allclose(ddp_gradient, model.weight.grad) is right

    @pytest.mark.parametrize("short", [0, 1])
    def test_a_rank_with_a_batch_less_pairs_its_next_epoch_with_the_others_last_batch(self, short):
        def gradients_of_four_steps(rank):
            model = nn.Linear(1, 1, bias=False)
            replica, found = DistributedDataParallel(model), []
            batches = [epoch * 100.0 + batch for epoch in range(2) for batch in range(2 if rank == short else 3)]
            for batch in batches[:4]:
                model.weight.grad = None
                replica(torch.full((1, 1), batch)).sum().backward()
                found.append(model.weight.grad.item())
            return found

        # The third step pairs batch 2 of epoch 0 with batch 0 of epoch 1, whose inputs are 2 and 100.
        assert on_ranks(gradients_of_four_steps) == [[0.0, 1.0, 51.0, 100.5]] * 2

    def test_the_sampler_hides_unevenness_by_repeating_samples(self):
        dealt = [list(DistributedSampler(range(5), 2, rank, shuffle=False)) for rank in range(2)]
        assert dealt == [[0, 2, 4], [1, 3, 0]]


class TestDdpUnused:
    def train(self, rank, find_unused, heads):
        replica = DistributedDataParallel(ddp_unused.TwoHeads(), find_unused_parameters=find_unused)
        values = []
        for head in heads:
            replica.zero_grad()
            replica(torch.full((1, 1), rank + 1.0), head=head).sum().backward()
            values.append(replica.module.heads[head].weight.grad.item())
        return values

    @pytest.mark.parametrize("head", [0, 1])
    def test_one_unused_parameter_leaves_the_others_gradients_unaveraged(self, head):
        assert on_ranks(self.train, False, [head]) == [[1.0], [2.0]]

    @pytest.mark.parametrize("view", [False, True])
    def test_a_full_bucket_of_its_own_is_averaged_only_as_a_view(self, view):
        class Skipping(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.skipped, self.last = (nn.Linear(256, 256, bias=False) for _ in range(3))
                self.skip = False

            def forward(self, x):
                x = self.first(x)
                return self.last(x if self.skip else self.skipped(x))

        def ratios(rank):
            torch.manual_seed(0)
            replica = DistributedDataParallel(Skipping(), bucket_cap_mb=0.2, gradient_as_bucket_view=view)
            x, sums = torch.full((1, 256), rank + 1.0), []
            for skip in (False, False, True):
                replica.zero_grad()
                replica.module.skip = skip
                replica(x).sum().backward()
                dist.barrier()  # both ranks have started their all-reduces
                time.sleep(1 if skip else 0)  # nothing waits for that of an unfinished backward
                sums.append([m.weight.grad.sum().item() for m in (replica.module.first, replica.module.last)])
            return sums

        first, second = on_ranks(ratios)
        assert first[:2] == second[:2]
        factors = [b / a for a, b in zip(first[2], second[2], strict=True)]
        assert factors == pytest.approx([2, 1 if view else 2], rel=1e-4)

    @pytest.mark.parametrize("context", ["no_grad", "no_sync"])
    def test_a_forward_without_gradients_does_not_report_the_unfinished_backward(self, context):
        def raised(rank):
            replica = DistributedDataParallel(ddp_unused.TwoHeads())
            x = torch.ones(1, 1)
            replica(x, head=0).sum().backward()
            with torch.no_grad() if context == "no_grad" else replica.no_sync():
                try:
                    replica(x, head=0)
                except RuntimeError:
                    return True
            return False

        assert on_ranks(raised) == [context == "no_sync"] * 2

    def test_find_unused_parameters_averages_and_goes_on(self):
        assert on_ranks(self.train, True, [0, 1, 1, 0]) == [[1.5] * 4] * 2

    def test_the_error_comes_one_forward_late_and_names_the_parameter(self):
        with pytest.raises(mp.ProcessRaisedException) as failure:
            on_ranks(self.train, False, [0, 0])
        assert "Expected to have finished reduction in the prior iteration" in str(failure.value)
        assert "Parameter indices which did not receive grad for rank" in str(failure.value)

    def test_a_frozen_parameter_is_not_an_unused_one(self):
        def train(rank):
            model = ddp_unused.TwoHeads()
            model.heads[1].requires_grad_(False)
            replica = DistributedDataParallel(model)
            for _ in range(2):
                replica.zero_grad()
                replica(torch.full((1, 1), rank + 1.0), head=0).sum().backward()
            return model.heads[0].weight.grad.item()

        assert on_ranks(train) == [1.5, 1.5]
