"""What docs/senior/behavioral/beyond-the-basics.md claims, proven beyond the example shown."""

import math
import warnings

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DistributedSampler, RandomSampler

from warmup.testing import load_snippet

probes = load_snippet("senior/behavioral/beyond_the_basics.py")


class TestBeyondTheBasics:
    @pytest.mark.parametrize(("dtype", "stops"), [(torch.bfloat16, 256), (torch.float16, 2048)])
    def test_counting_by_ones_stops_where_the_next_number_needs_one_more_bit(self, dtype, stops):
        end = torch.tensor(float(stops), dtype=dtype)
        assert end + 1 == end and end - 1 != end
        assert torch.ones(2 * stops, dtype=dtype).sum() == 2 * stops

    @pytest.mark.parametrize("decay", [0.01, 0.1])
    def test_a_gradient_of_zero_moves_the_weight_by_its_decay(self, decay):
        weight = probes.stepped(torch.optim.AdamW, 0.0, weight_decay=decay)
        assert weight.item() == pytest.approx(1 - 0.1 * decay)
        assert probes.stepped(torch.optim.AdamW, 0.0, weight_decay=0.0) == 1

    def test_after_a_step_a_gradient_of_zero_moves_it_by_momentum_and_none_does_not(self):
        weight = torch.ones(1, requires_grad=True)
        optimizer = torch.optim.AdamW([weight], lr=0.1, weight_decay=0.0)
        weight.grad = torch.ones(1)
        optimizer.step()
        first, weight.grad = weight.item(), torch.zeros(1)
        optimizer.step()
        second, weight.grad = weight.item(), None
        optimizer.step()
        assert 1 > first > second == weight.item()

    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW, torch.optim.Adam])
    def test_a_fused_step_on_a_cpu_writes_and_does_not_count(self, optimizer):
        fused, plain = probes.stepped(optimizer, 1.0, fused=True), probes.stepped(optimizer, 1.0)
        assert fused._version == 0 < plain._version
        assert fused.item() == pytest.approx(plain.item()) and fused < 1

    @pytest.mark.parametrize(("rows", "columns"), [(100, 10), (7, 3)])
    def test_a_detached_row_keeps_all_rows_and_a_clone_its_own(self, rows, columns):
        row = torch.ones(rows, columns)[:1].detach()
        assert row.untyped_storage().nbytes() == 4 * rows * columns
        assert row.clone().untyped_storage().nbytes() == 4 * columns

    @pytest.mark.parametrize("ranks", [1, 4])
    def test_a_sampler_repeats_its_order_until_set_epoch(self, ranks):
        sampler = DistributedSampler(range(101), ranks, 0)
        first = list(sampler)
        assert sampler.shuffle and list(sampler) == first
        sampler.set_epoch(1)
        assert list(sampler) != first

    def test_the_sampler_of_one_process_needs_no_set_epoch(self):
        sampler = RandomSampler(range(101))
        assert list(sampler) != list(sampler) and not hasattr(sampler, "set_epoch")

    @pytest.mark.parametrize(("counts", "right"), [([2, 6], False), ([4, 4], True), ([1, 2, 5], False)])
    def test_the_mean_of_means_is_the_mean_for_equal_counts(self, counts, right):
        x = torch.arange(8.0)
        means = torch.stack([part.mean() for part in x.split(counts)])
        assert (means.mean() == x.mean()).item() is right


class TestBeyondTheBasicsTraining:
    @pytest.mark.parametrize(("old", "new", "at"), [(2.0, 5.0, 1.0), (3.0, 4.0, 2.0)])
    def test_a_factor_that_changes_before_backward_gives_the_gradient_of_no_function(self, old, new, at):
        factor = old
        z = torch.tensor(at, requires_grad=True)
        y = checkpoint(lambda z: factor * z * z, z, use_reentrant=False)
        factor = new
        y.backward()
        assert y == old * at**2
        assert z.grad == (old + new) * at not in (2 * old * at, 2 * new * at)

    @pytest.mark.parametrize("factor", [2.0, 5.0])
    def test_a_function_that_reads_only_its_arguments_has_its_gradient(self, factor):
        z = torch.tensor(1.0, requires_grad=True)
        checkpoint(lambda z, f: f * z * z, z, factor, use_reentrant=False).backward()
        assert z.grad == 2 * factor

    def test_autocast_keeps_the_cast_weight_until_the_outermost_region_ends(self):
        layer, x = nn.Linear(3, 4), torch.ones(2, 3)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            before = layer(x)
            with torch.no_grad():
                layer.weight.add_(1)
            assert layer(x).equal(before)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                assert layer(x).equal(before)
            assert layer(x).equal(before)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert not layer(x).equal(before)

    @pytest.mark.parametrize(("grad", "cache"), [(True, False), (False, True)])
    def test_a_frozen_weight_and_a_region_without_a_cache_use_the_current_weight(self, grad, cache):
        weight, x = nn.Parameter(torch.ones(4, 4), requires_grad=grad), torch.ones(1, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16, cache_enabled=cache):
            before = nn.functional.linear(x, weight)
            with torch.no_grad():
                weight.mul_(2)
            assert nn.functional.linear(x, weight).equal(2 * before)

    @pytest.mark.parametrize(("lengths", "count"), [([1, 2, 3, 4], 2), ([8, 7, 6, 5], 2), ([2, 3, 1, 0], 4)])
    def test_lengths_0_and_1_get_graphs_of_their_own(self, lengths, count):
        torch._dynamo.reset()
        graphs = []
        double = torch.compile(lambda x: 2 * x, backend=lambda graph, _: graphs.append(graph) or graph)
        for length in lengths:
            double(torch.ones(length))
        assert len(graphs) == count

    @pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan])
    def test_a_scaler_skips_the_step_and_says_nothing(self, bad):
        w = nn.Parameter(torch.ones(2))
        scaler, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD([w], lr=0.1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scaler.scale((w * torch.tensor([bad, 1.0])).sum()).backward()
            assert scaler.step(optimizer) is None
            scaler.update()
        assert w.tolist() == [1, 1] and scaler.get_scale() == 2**15

    @pytest.mark.parametrize("sizes", [(2, 3, 4, 5), (7, 9, 30)])
    def test_the_second_size_makes_it_dynamic(self, sizes):
        torch._dynamo.reset()
        graphs = []

        def backend(graph, example_inputs):
            graphs.append(graph)
            return graph

        compiled = torch.compile(lambda x: x * 3, backend=backend)
        for size in sizes:
            assert compiled(torch.ones(size)).sum() == 3 * size
        assert len(graphs) == 2


class TestBeyondTheBasicsToday:
    @pytest.mark.parametrize("instead", ["torch.compile", "torch.export"])
    def test_torchscript_warns_and_names_what_replaces_it(self, instead):
        with pytest.warns(DeprecationWarning, match=instead):
            torch.jit.script(nn.ReLU())
