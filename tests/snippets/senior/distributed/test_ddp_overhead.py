"""What docs/senior/distributed/ddp-overhead.md claims, proven beyond the example shown."""

import warnings

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from warmup import testing
from warmup.testing import load_snippet

ddp_overhead = load_snippet("senior/distributed/ddp_overhead.py")
buckets = load_snippet("senior/distributed/ddp_overhead_buckets.py")
fp16 = load_snippet("senior/distributed/ddp_overhead_fp16_broken.py")
ring = load_snippet("senior/distributed/ddp_overhead_ring.py")
X = torch.ones(1, 512)


@pytest.fixture(autouse=True, scope="module")
def one_rank():
    with testing.one_rank():
        yield


class TestDdpOverhead:
    @pytest.mark.parametrize(
        ("sizes", "computed", "sent"),
        [([8], 8, 13), ([4, 4], 8, 11), ([2] * 4, 8, 10), ([1] * 8, 8, 13), ([2, 2, 2, 2, 8], 16, 21), ([], 0, 0)],
    )
    def test_the_step_is_ready_when_the_last_all_reduce_is(self, sizes, computed, sent):
        assert ddp_overhead.schedule(sizes) == (computed, sent)

    @pytest.mark.parametrize(("latency", "per_mib", "best"), [(1.0, 0.5, 2), (0.0, 0.5, 1), (6.0, 0.5, 8)])
    def test_latency_moves_the_best_size_of_a_bucket_up(self, monkeypatch, latency, per_mib, best):
        monkeypatch.setattr(ddp_overhead, "LATENCY", latency)
        monkeypatch.setattr(ddp_overhead, "PER_MIB", per_mib)
        sent = {size: ddp_overhead.schedule([size] * (8 // size))[1] for size in (1, 2, 4, 8)}
        assert min(sent, key=sent.get) == best

    @pytest.mark.parametrize("last", [1, 2, 8])
    def test_the_last_bucket_is_never_hidden(self, last):
        computed, sent = ddp_overhead.schedule([1] * 3 + [last])
        assert sent - computed >= ddp_overhead.LATENCY + ddp_overhead.PER_MIB * last


class TestDdpOverheadBuckets:
    @pytest.mark.parametrize(
        ("cap", "second"), [(8, [8]), (4, [4, 4]), (2, [2] * 4), (1, [1] * 8), (0.5, [1] * 8), (None, [1, 7])]
    )
    def test_the_cap_sets_the_buckets_from_the_second_backward_on_and_not_the_bytes(self, cap, second):
        sizes = buckets.bucket_sizes(nn.Sequential(*buckets.layers()), X, bucket_cap_mb=cap)
        assert sizes == [[8], second]
        assert sum(second) == 8

    @pytest.mark.parametrize(("layers", "last"), [(8, [2, 8]), (7, [9])])
    def test_a_tensor_is_not_split_and_an_input_embedding_comes_last(self, layers, last):
        model = nn.Sequential(nn.Embedding(4096, 512), *buckets.layers()[:layers])
        sizes = buckets.bucket_sizes(model, torch.zeros(1, dtype=torch.long), bucket_cap_mb=2)
        assert sizes[1] == [2, 2, 2, *last]

    @pytest.mark.parametrize(
        ("option", "first_two"),
        [("find_unused_parameters", [[2] * 4] * 2), ("static_graph", [[8], [8]])],
    )
    def test_these_options_change_which_backwards_have_one_bucket(self, option, first_two):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = nn.Sequential(*buckets.layers())
            assert buckets.bucket_sizes(model, X, bucket_cap_mb=2, **{option: True}) == first_two

    def test_a_tied_embedding_is_complete_only_at_the_end(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Embedding(512, 512)
                self.inner = nn.Sequential(*buckets.layers()[:4])
                self.head = nn.Linear(512, 512, bias=False)
                self.head.weight = self.embed.weight

            def forward(self, x):
                return self.head(self.inner(self.embed(x)))

        replica, last = DistributedDataParallel(Tied(), bucket_cap_mb=1), []

        def look(_: object, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
            last.append(bucket.parameters()[0] is replica.module.embed.weight)
            future = torch.futures.Future()
            future.set_result(bucket.buffer())
            return future

        replica.register_comm_hook(None, look)
        for _ in range(2):
            last.clear()
            replica(torch.zeros(1, dtype=torch.long)).sum().backward()
        assert last == [False] * 4 + [True]

    @pytest.mark.parametrize(("find_unused", "computed"), [(False, 2), (True, 8)])
    def test_looking_for_unused_parameters_keeps_the_registered_order(self, find_unused, computed):
        class Backwards(nn.Module):
            """The layer that is registered last is used first."""

            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList(buckets.layers())

            def forward(self, x):
                for layer in reversed(self.layers):
                    x = layer(x)
                return x

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            replica = DistributedDataParallel(Backwards(), bucket_cap_mb=2, find_unused_parameters=find_unused)
        events = []

        def look(_: object, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
            events.append("all-reduce")
            future = torch.futures.Future()
            future.set_result(bucket.buffer())
            return future

        replica.register_comm_hook(None, look)
        for parameter in replica.parameters():
            parameter.register_hook(lambda grad: events.append("gradient"))
        for _ in range(2):
            events.clear()
            replica(X).sum().backward()
        assert events.count("all-reduce") == 4
        assert events.index("all-reduce") == computed

    @pytest.mark.parametrize("view", [False, True])
    def test_gradients_share_the_memory_of_their_bucket_only_as_views(self, view):
        model = nn.Sequential(*buckets.layers())
        replica = DistributedDataParallel(model, bucket_cap_mb=2, gradient_as_bucket_view=view)
        for _ in range(2):
            replica.zero_grad()
            replica(X).sum().backward()
        storages = {p.grad.untyped_storage().data_ptr() for p in model.parameters()}
        assert len(storages) == (4 if view else 8)
        if view:
            with pytest.raises(RuntimeError, match="detach"):
                model[0].weight.grad.detach_()
        else:
            model[0].weight.grad.detach_()

    @pytest.mark.parametrize(
        ("view", "none", "into", "back"),
        [(False, True, 8, 8), (False, False, 8, 8), (True, True, 8, 0), (True, False, 0, 0)],
    )
    def test_views_spare_the_copy_back_and_with_zeros_also_the_one_into_the_bucket(self, view, none, into, back):
        model = nn.Sequential(*[nn.Linear(4, 4, bias=False) for _ in range(8)])
        replica = DistributedDataParallel(model, gradient_as_bucket_view=view)
        for _ in range(2):
            replica(torch.ones(1, 4)).sum().backward()
        replica.zero_grad(set_to_none=none)
        loss = replica(torch.ones(1, 4)).sum()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
            loss.backward()
        counts = {event.key: event.count for event in profiler.key_averages()}
        # Into a bucket, DDP multiplies by one over the ranks; in place, it divides.
        assert counts.get("aten::mul", 0) == into
        assert counts.get("torch.distributed.ddp.reducer::copy_bucket_to_grad", 0) == back

    def test_the_picture_draws_what_the_schedule_computes(self):
        figure, panel = buckets.plt.subplots()
        try:
            for sizes in ([8], [4, 4], [2] * 4, [1] * 8, [2, 2, 8]):
                assert buckets.draw(panel, sizes, "") == ddp_overhead.schedule(sizes)[1]
        finally:
            buckets.plt.close(figure)


class TestDdpOverheadFp16:
    @pytest.mark.parametrize(
        ("x", "compressed"), [(0.5, 0.5), (65504.0, 65504.0), (65520.0, torch.inf), (2e-8, 0.0), (4e-8, 2.0**-24)]
    )
    def test_float16_ends_at_65504_and_loses_what_is_below_half_its_smallest_number(self, x, compressed):
        assert fp16.gradient(x, compress=True) == compressed
        assert fp16.gradient(x, compress=False) == pytest.approx(x)

    @pytest.mark.parametrize("ranks", [1, 2, 64])
    def test_the_hook_divides_by_the_ranks_after_the_cast(self, monkeypatch, ranks):
        class Ranks:
            def size(self):
                return ranks

        class Work:
            def __init__(self, tensor):
                self.tensor = tensor

            def get_future(self):
                future = torch.futures.Future()
                future.set_result([self.tensor * ranks])  # the same gradient on each rank
                return future

        monkeypatch.setattr(fp16.default_hooks.dist, "all_reduce", lambda tensor, **_: Work(tensor))
        lost, kept, large = ranks * 2.5e-8, ranks * 6e-8, 7e4
        hook = fp16.default_hooks.fp16_compress_hook
        result = hook(Ranks(), (torch.tensor([lost, kept, large]),)).wait()
        assert result[0] == 0 and result[1] > 0 and result[2].isinf()

    def test_the_hook_for_bfloat16_does_not_run_on_gloo(self):
        replica = DistributedDataParallel(nn.Linear(1, 1))
        with pytest.raises(TypeError, match="BF16 all reduce communication hook required"):
            replica.register_comm_hook(None, fp16.default_hooks.bf16_compress_hook)

    @pytest.mark.parametrize("x", [1e5, 1e-8])
    def test_bfloat16_has_the_range(self, x):
        assert torch.tensor(x).bfloat16().item() == pytest.approx(x, rel=2**-8)


class TestDdpOverheadRing:
    @pytest.mark.parametrize("ranks", [1, 2, 3, 5, 16])
    @pytest.mark.parametrize("shape", [(240,), (4, 60), (7,)])
    def test_every_rank_holds_the_sum(self, ranks, shape):
        torch.manual_seed(0)
        tensors = [torch.randn(shape, dtype=torch.float64) for _ in range(ranks)]
        sums, _ = ring.ring_all_reduce(tensors)
        for got in sums:
            torch.testing.assert_close(got, sum(tensors))

    @pytest.mark.parametrize("ranks", [2, 3, 8, 16])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
    def test_each_rank_sends_two_times_n_minus_1_over_n(self, ranks, dtype):
        tensors = [torch.ones(48, dtype=dtype)] * ranks
        _, sent = ring.ring_all_reduce(tensors)
        assert sent == [2 * (ranks - 1) * tensors[0].nbytes // ranks] * ranks

    def test_it_leaves_its_arguments_alone(self):
        tensors = [torch.ones(6), torch.ones(6)]
        ring.ring_all_reduce(tensors)
        assert all((t == 1).all() for t in tensors)
