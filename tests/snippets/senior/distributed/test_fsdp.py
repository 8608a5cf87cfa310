"""What docs/senior/distributed/fsdp.md claims, proven beyond the example shown."""

import tempfile

import pytest
import torch
import torch._dynamo  # before the processes fork: fully_shard imports it
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore

from warmup.testing import load_snippet

settings = load_snippet("senior/distributed/fsdp_settings.py")
equal = load_snippet("senior/distributed/fsdp_equal.py")

MIB = 2**20


@pytest.fixture(scope="module")
def ranks_64():
    dist.init_process_group("fake", rank=0, world_size=64, store=FakeStore())
    yield dist.init_device_mesh("cpu", (64,))
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def steps(ranks_64):
    return {name: settings.watch(shard) for name, shard in settings.settings().items()}


class TestFsdp:
    def test_rank_0_keeps_a_64th_of_parameters_gradients_and_states(self, ranks_64):
        model = settings.four_layers()
        settings.per_layer(mesh=ranks_64)(model)
        optimizer = torch.optim.AdamW(model.parameters())
        model(torch.ones(2, 1024)).sum().backward()
        optimizer.step()
        for parameter in model.parameters():
            state = optimizer.state[parameter]
            for tensor in (parameter, parameter.grad, state["exp_avg"], state["exp_avg_sq"]):
                assert tensor.shape == (1024, 1024) and tensor.to_local().shape == (16, 1024)

    def test_two_gathers_and_a_scatter_are_three_times_the_weights_and_all_reduce_is_two(self, steps):
        each, kept = steps["each layer"], steps["reshard_after_forward=False"]
        assert list(each.calls.values()) == [8, 4, 0] and each.sent == 3 * 16 * MIB * 63 // 64
        assert list(kept.calls.values()) == [4, 4, 0] and kept.sent == 2 * 16 * MIB * 63 // 64

        weights = torch.ones(16 * MIB // 4)
        with settings.Step(nn.Sequential()) as ddp:
            dist.all_reduce(weights)
        assert ddp.calls["allreduce"] == 1 and ddp.sent == kept.sent

    def test_one_layer_is_whole_at_a_time_and_with_the_root_only_all_of_them(self, steps):
        assert {sum(row) for row in steps["each layer"].whole} == {1}
        assert {sum(row) for row in steps["root only"].whole} == {4}
        order = [row.index(True) for row in steps["each layer"].whole]
        assert order == [0, 1, 2, 3, 3, 3, 2, 2, 1, 1, 0]

    def test_backward_gathers_one_layer_ahead(self, ranks_64):
        issued = []

        class Issued(settings.Step):
            def __torch_dispatch__(self, op, types, args=(), kwargs=None):
                if op is torch.ops.aten.mm.default:
                    issued.append(self.calls["allgather"])
                return super().__torch_dispatch__(op, types, args, kwargs)

        layers = nn.Sequential(*[nn.Linear(64, 64, bias=False) for _ in range(4)])
        settings.per_layer(mesh=ranks_64)(layers)
        with Issued(layers):
            layers(torch.ones(2, 64)).sum().backward()
        assert issued == [1, 2, 3, 4, 6, 6, 7, 7, 8, 8, 8]

    def test_without_resharding_layers_pile_up_in_forward_and_go_in_backward(self, steps):
        whole = [sum(row) for row in steps["reshard_after_forward=False"].whole]
        assert whole == [1, 2, 3, 4, 4, 4, 3, 3, 2, 2, 1]

    def test_every_rank_computes_with_the_whole_weight(self, ranks_64):
        shapes = []

        class Watched(nn.Linear):
            def forward(self, x):
                shapes.append((type(self.weight), tuple(self.weight.shape)))
                return super().forward(x)

        layer = fully_shard(Watched(8, 640), mesh=ranks_64)
        layer(torch.ones(2, 8))
        assert not isinstance(shapes[0][0], DTensor) and shapes[0][1] == (640, 8)

    def test_the_policy_gathers_in_bfloat16_and_reduces_in_float32(self, steps, ranks_64):
        step = steps["param_dtype=torch.bfloat16"]
        assert step.sent == 2 * 16 * MIB * 63 // 64 and step.calls == steps["each layer"].calls
        layer = nn.Linear(4, 64)
        fully_shard(layer, mesh=ranks_64, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
        output = layer(torch.ones(1, 4))
        assert output.dtype == torch.bfloat16
        output.sum().backward()
        assert layer.weight.dtype == layer.weight.grad.dtype == torch.float32

    def test_eight_copies_of_eight_shards_keep_an_eighth_and_all_reduce_the_shards(self, steps, ranks_64):
        calls, sent = steps["8 copies of 8 shards"].calls, steps["8 copies of 8 shards"].sent
        assert list(calls.values()) == [8, 4, 4]
        assert sent == (3 * 16 + 2 * 16 // 8) * MIB * 7 // 8
        grid = dist.init_device_mesh("cpu", (8, 8), mesh_dim_names=("copy", "shard"))
        assert fully_shard(nn.Linear(4, 64), mesh=grid).weight.to_local().shape == (8, 4)

    def test_without_gradient_sync_the_gathers_stay_and_whole_gradients_are_kept(self, steps, ranks_64):
        assert list(steps["no gradient sync"].calls.values()) == [8, 0, 0]
        layers = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 64))
        settings.per_layer(mesh=ranks_64)(layers)
        layers.set_requires_gradient_sync(False)
        layers(torch.ones(1, 64)).sum().backward()
        groups = [g for layer in layers for g in layer._get_fsdp_state()._fsdp_param_groups]
        kept = [p.unsharded_accumulated_grad or p.unsharded_param.grad for g in groups for p in g.fsdp_params]
        assert [g.numel() for g in kept if g is not None] == [64 * 64, 64] * 2

    def test_parameters_of_the_roots_unit_are_gathered_once_unless_resharding_is_asked_for(self, ranks_64):
        for reshard, gathers in ((None, 1), (True, 2)):
            layer = nn.Linear(64, 64, bias=False)
            fully_shard(layer, mesh=ranks_64, reshard_after_forward=reshard)
            with settings.Step(nn.Sequential()) as step:
                layer(torch.ones(1, 64)).sum().backward()
            assert step.calls["allgather"] == gathers and step.calls["reduce_scatter"] == 1

    @pytest.mark.parametrize(("rows", "kept"), [(128, 2), (100, 2), (64, 1), (10, 1)])
    def test_rows_are_cut_as_chunk_cuts_them(self, rows, kept, ranks_64):
        weight = fully_shard(nn.Linear(2, rows, bias=False), mesh=ranks_64).weight
        chunks = torch.empty(rows, 2).chunk(64)
        assert weight.to_local().shape == chunks[0].shape == (kept, 2)
        assert len(chunks) == -(-rows // kept)

    @pytest.mark.parametrize("used", [1, 2, 3])
    def test_a_rank_that_skips_a_unit_skips_its_collectives(self, used, ranks_64):
        class Branches(nn.Module):
            def __init__(self):
                super().__init__()
                self.branches = nn.ModuleList(nn.Linear(8, 64) for _ in range(3))

            def forward(self, x):
                return sum(branch(x) for branch in self.branches[:used])

        model = Branches()
        for module in (*model.branches, model):
            fully_shard(module, mesh=ranks_64)
        with settings.Step(nn.Sequential()) as step:
            model(torch.ones(1, 8)).sum().backward()
        assert step.calls == {"allgather": 2 * used, "reduce_scatter": used, "allreduce": 0}

    def test_a_frozen_layer_is_gathered_and_has_no_gradient_to_reduce(self, ranks_64):
        model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))
        model[0].requires_grad_(False)
        settings.per_layer(mesh=ranks_64)(model)
        with settings.Step(nn.Sequential()) as step:
            model(torch.ones(1, 8)).sum().backward()
        assert step.calls["reduce_scatter"] == 1 and model[0].weight.grad is None

    def test_forward_by_name_and_a_layer_that_is_no_unit_raise(self, ranks_64):
        model = fully_shard(settings.four_layers(), mesh=ranks_64)
        with pytest.raises(RuntimeError, match="mixed torch.Tensor and DTensor"):
            model.forward(torch.ones(2, 1024))
        with pytest.raises(RuntimeError, match="mixed torch.Tensor and DTensor"):
            model[0](torch.ones(2, 1024))

    @pytest.mark.parametrize("called", ["forward", "layer"])
    def test_a_first_call_that_leaves_out_the_root_makes_the_next_one_raise(self, called, ranks_64):
        model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8))
        settings.per_layer(mesh=ranks_64)(model)
        (model.forward if called == "forward" else model[0])(torch.ones(1, 8))
        with pytest.raises(RuntimeError, match="through the root module first"):
            model(torch.ones(1, 8))

    def test_clipping_a_model_that_is_sharded_in_part_raises(self, ranks_64):
        model = nn.Sequential(nn.Linear(8, 64), nn.Linear(64, 8))
        fully_shard(model[0], mesh=ranks_64)
        model(torch.ones(1, 8)).sum().backward()
        with pytest.raises(RuntimeError, match="mixed torch.Tensor and DTensor"):
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)

    @pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.AdamW])
    def test_an_optimizer_that_is_built_first_holds_parameters_without_gradients(self, kind, ranks_64):
        model = nn.Sequential(nn.Linear(4, 64), nn.Linear(64, 64))
        optimizer = kind(model.parameters(), lr=0.1)
        settings.per_layer(mesh=ranks_64)(model)
        before = [p.to_local().clone() for p in model.parameters()]
        model(torch.ones(1, 4)).sum().backward()
        assert all(p.grad is None for group in optimizer.param_groups for p in group["params"])
        optimizer.step()
        assert all(torch.equal(b, p.to_local()) for b, p in zip(before, model.parameters(), strict=True))


def worker(rank, file):
    if dist.is_initialized():  # the fake group of the process that forked
        dist.destroy_process_group()
    equal.worker(rank, file)
    dist.init_process_group("gloo", f"file://{file}2", rank=rank, world_size=2)
    mesh = dist.init_device_mesh("cpu", (2,))
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    offloaded = len(get_model_state_dict(fully_shard(nn.Linear(2, 2), mesh=mesh), options=options))
    print(f"offloaded {rank} {offloaded}\n", end="")  # one write: the other rank prints, too
    model = nn.ModuleList(nn.Linear(4, 4, bias=False) for _ in range(2))
    for value, branch in enumerate(model, 2):
        nn.init.constant_(branch.weight, value)
        fully_shard(branch, mesh=mesh)
    print(f"branch {rank} {model[rank](torch.ones(1, 4)).tolist()}\n", end="")
    dist.destroy_process_group()


def test_two_ranks_clip_by_the_norm_of_all_shards_and_train_like_one_process(tmp_path, capfd):
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (f"{folder}/init",), 2, start_method="fork")
    printed = capfd.readouterr().out
    assert "offloaded 0 2" in printed and "offloaded 1 0" in printed
    for rank in range(2):  # instead of 8 four times and 12 four times
        assert f"branch {rank} [[8.0, 8.0, 12.0, 12.0]]" in printed
    assert "rank 0: norm of its shard 3.0, clip_grad_norm_() 5.0" in printed
    assert "rank 1: norm of its shard 4.0, clip_grad_norm_() 5.0" in printed
    assert "weights equal those of one process: True" in printed
    assert "state_dict(): (5, 6), full state dict: (10, 6)" in printed
