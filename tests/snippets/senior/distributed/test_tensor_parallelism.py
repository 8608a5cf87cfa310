"""What docs/senior/distributed/tensor-parallelism.md claims, proven beyond the example shown."""

import pytest
import torch
import torch._dynamo  # before the processes fork
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.tensor import DTensor, Replicate
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import ColwiseParallel, PrepareModuleInput, RowwiseParallel, parallelize_module
from torch.testing._internal.distributed.fake_pg import FakeStore

from warmup.testing import load_snippet

plans = load_snippet("senior/distributed/tensor_parallelism_plans.py")
broken = load_snippet("senior/distributed/tensor_parallelism_broken.py")

MIB = 2**20


def softmax(z):
    return z.softmax(-1)


class Mlp(nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.up, self.down, self.activation = nn.Linear(8, 16), nn.Linear(16, 8), activation

    def forward(self, x):
        return self.down(self.activation(self.up(x)))


def compare(rank, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{folder}/init", rank=rank, world_size=2)
    mesh = dist.init_device_mesh("cpu", (2,))
    found = {}
    for activation in (torch.relu, softmax):
        torch.manual_seed(rank)  # rank 0's weights are to be taken
        model = Mlp(activation)
        parallelize_module(model, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
        torch.manual_seed(0)
        whole = Mlp(activation)
        x = torch.linspace(-2, 2, 32).reshape(4, 8)
        output, expected = model(x), whole(x)
        output.square().sum().backward()
        expected.square().sum().backward()
        gradient = model.up.weight.grad.full_tensor()
        found[activation.__name__] = (
            torch.allclose(output, expected, atol=1e-5),
            torch.allclose(gradient, whole.up.weight.grad, atol=1e-4),
        )
    torch.manual_seed(rank)
    model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 8), nn.Linear(8, 8))
    parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    found["planned"], found["not planned"] = model[0].weight.full_tensor(), model[3].weight.detach()
    try:
        model(torch.ones(2, 8))
    except RuntimeError as error:
        found["norm"] = str(error)
    torch.save(found, f"{folder}/{rank}.pt")
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def of_two_ranks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    mp.start_processes(compare, (folder,), 2, start_method="fork")
    return [torch.load(folder / f"{rank}.pt") for rank in range(2)]


@pytest.fixture(scope="module")
def ranks_8(of_two_ranks):
    dist.init_process_group("fake", rank=0, world_size=8, store=FakeStore())
    yield dist.init_device_mesh("cpu", (8,))
    dist.destroy_process_group()


class TestTensorParallelism:
    def test_two_ranks_equal_one_with_relu_and_not_with_softmax_and_rank_0_gives_the_weights(self, of_two_ranks):
        for found in of_two_ranks:
            assert found["relu"] == (True, True)
            assert found["softmax"] == (False, False)

    def test_rank_0_gives_the_weights_of_the_plan_only(self, of_two_ranks):
        first, second = of_two_ranks
        assert torch.equal(first["planned"], second["planned"])
        assert not torch.equal(first["not planned"], second["not planned"])

    def test_a_layer_norm_of_the_full_size_raises(self, of_two_ranks):
        assert all("normalized_shape=[16]" in found["norm"] for found in of_two_ranks)

    @pytest.mark.parametrize("ranks", [2, 4])
    @pytest.mark.parametrize("activation", [torch.relu, torch.tanh, nn.functional.gelu])
    def test_an_elementwise_activation_may_stand_between(self, activation, ranks, monkeypatch):
        monkeypatch.setattr(broken, "RANKS", ranks)
        x, up, down = torch.randn(3, 5), torch.randn(5, 8), torch.randn(8, 2)
        torch.testing.assert_close(broken.shard(x, up, down, activation), activation(x @ up) @ down)

    @pytest.mark.parametrize("activation", [softmax, lambda z: nn.functional.layer_norm(z, z.shape[-1:])])
    def test_one_that_looks_at_all_hidden_units_may_not(self, activation):
        x, up, down = torch.randn(3, 5), torch.randn(5, 8), torch.randn(8, 2)
        assert (broken.shard(x, up, down, activation) - activation(x @ up) @ down).abs().max() > 1e-2

    @pytest.mark.parametrize("ranks", [2, 4])
    def test_softmax_sums_to_the_number_of_ranks(self, ranks, monkeypatch):
        monkeypatch.setattr(broken, "RANKS", ranks)
        total = broken.shard(torch.ones(1, 1), torch.zeros(1, 8), torch.ones(8, 1), softmax)
        assert total.item() == pytest.approx(ranks)

    @pytest.mark.parametrize("ranks", [2, 4])
    def test_a_bias_that_every_rank_adds_counts_once_per_rank(self, ranks):
        hidden, down, bias = torch.randn(3, 8), torch.randn(8, 2), torch.randn(2)
        parts = [h @ d + bias for h, d in zip(hidden.chunk(ranks, 1), down.chunk(ranks), strict=True)]
        torch.testing.assert_close(sum(parts), hidden @ down + ranks * bias)

    def test_a_fused_gate_cut_in_blocks_gives_rank_0_gates_only(self):
        gate, up = torch.zeros(4, 6), torch.ones(4, 6)
        first, second = torch.cat([gate, up], 1).chunk(2, 1)
        assert torch.equal(first, gate) and torch.equal(second, up)

    @pytest.mark.parametrize("tokens", [64, 256])
    def test_what_each_plan_calls_and_sends(self, tokens, ranks_8):
        x, hidden = tokens * 1024 * 4 / MIB, tokens * 4096 * 4 / MIB
        expected = {
            "columns, rows": ([0, 0, 2], 2 * 2 * x),
            "whole in between": ([2, 0, 2], 2 * 2 * x + 2 * hidden),
            "rows, columns": ([2, 0, 2], 2 * 2 * hidden + 2 * x),
            "sequence parallel": ([2, 2, 0], 4 * x),
        }
        assert expected.keys() == plans.PLANS.keys()
        for name, (plan, of_256) in plans.PLANS.items():
            rows = tokens * of_256 // plans.TOKENS
            traffic = plans.watch(plan, torch.ones(rows, 1024, requires_grad=True))
            calls, sent = expected[name]
            assert list(traffic.calls.values()) == calls
            assert traffic.sent == sent * MIB * 7 / 8

    def test_a_rank_has_its_share_of_hidden_units_and_the_whole_bias_of_the_output(self, ranks_8):
        model = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024))
        parallelize_module(model, ranks_8, {"0": ColwiseParallel(), "2": RowwiseParallel()})
        shapes = [tuple(p.to_local().shape) for p in model.parameters()]
        assert shapes == [(512, 1024), (512,), (1024, 512), (1024,)]

    def test_a_hidden_layer_that_stays_a_dtensor_is_gathered_for_softmax(self, ranks_8):
        counts = []
        for local in (True, False):
            model = nn.Sequential(nn.Linear(8, 16), nn.Softmax(-1))
            parallelize_module(model, ranks_8, {"0": ColwiseParallel(use_local_output=local)})
            with torch.no_grad(), CommDebugMode() as traffic:
                output = model(torch.ones(2, 8))
            assert isinstance(output, DTensor) != local
            counts.append(traffic.get_total_counts())
        assert counts == [0, 1]

    @pytest.mark.parametrize("branches", [2, 3])
    @pytest.mark.parametrize("prepared", [False, True])
    def test_separate_projections_reduce_each_input_gradient_unless_they_share_one_dtensor(
        self, branches, prepared, ranks_8
    ):
        class Projections(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.ModuleList(nn.Linear(16, 16) for _ in range(branches))
                self.outer = nn.Linear(16, 16)

            def forward(self, x):
                return self.outer(torch.stack([layer(x).tanh() for layer in self.inner]).prod(0))

        plan = {f"inner.{i}": ColwiseParallel() for i in range(branches)} | {"outer": RowwiseParallel()}
        model = parallelize_module(Projections(), ranks_8, plan)
        if prepared:
            once = {"input_layouts": Replicate(), "desired_input_layouts": Replicate()}
            parallelize_module(model, ranks_8, PrepareModuleInput(**once, use_local_output=False))
        with CommDebugMode() as forward:
            loss = model(torch.ones(4, 16, requires_grad=True)).sum()
        with CommDebugMode() as backward:
            loss.backward()
        assert forward.get_total_counts() == 1
        assert backward.get_total_counts() == (1 if prepared else branches)

    @pytest.mark.parametrize(("rows", "here"), [(16, 2), (12, 2), (8, 1)])
    def test_sizes_that_do_not_divide_are_cut_unevenly(self, rows, here, ranks_8):
        layer = nn.Sequential(nn.Linear(8, rows))
        parallelize_module(layer, ranks_8, {"0": ColwiseParallel()})
        assert layer[0].weight.to_local().shape == (here, 8)
