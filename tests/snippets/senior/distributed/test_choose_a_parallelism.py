"""What docs/senior/distributed/choose-a-parallelism.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode

from warmup.testing import load_snippet

choose = load_snippet("senior/distributed/choose_a_parallelism.py")
ring = load_snippet("senior/distributed/choose_a_parallelism_ring.py")


def seconds(plan: dict, model: str = "70B", link: float = 400e9, batch: int = 128) -> dict:
    return choose.step(plan, model, link, batch)


class TestBudget:
    @pytest.mark.parametrize(("model", "link"), [("8B", 12.5e9), ("70B", 400e9), ("70B", 12.5e9)])
    def test_compute_waits_and_bubble_add_up_for_every_plan(self, model, link):
        plans = choose.every_plan(64)
        assert len(plans) > 70
        for plan in plans:
            cost = seconds(plan, model, link)
            assert cost["step"] == pytest.approx(cost["compute"] + cost["waits"] + cost["bubble"])
            assert cost["waits"] >= 0
            assert cost["compute"] == seconds({"copies": 64}, model, link)["compute"]

    @pytest.mark.parametrize(("model", "gigabytes"), [("8B", 128), ("70B", 1129)])
    def test_states_are_16_bytes_per_parameter_over_all_axes_but_copies(self, model, gigabytes):
        params, layers, width = choose.MODELS[model]
        assert round(16 * params / 1e9) == gigabytes
        kept = layers * 2 * 8192 * width * 2  # block inputs of two sequences
        assert seconds({"shard": 64}, model)["bytes"] == pytest.approx(16 * params / 64 + kept)
        assert seconds({"copies": 64}, model)["bytes"] == pytest.approx(16 * params + kept)
        in_node = {"shard": 8, "copies": 8}
        assert seconds(in_node, model)["bytes"] == pytest.approx(2 * params + kept)

    @pytest.mark.parametrize("model", ["8B", "70B"])
    @pytest.mark.parametrize(("link", "tokens"), [(400e9, 750), (12.5e9, 24_000)])
    def test_fsdp_hides_its_traffic_above_tokens_that_no_model_changes(self, model, link, tokens):
        assert 0.75 * choose.FLOPS / link == tokens
        for batch in (64, 128, 192, 256, 640):
            cost = seconds({"shard": 64}, model, link, batch)
            per_gpu = 8192 * batch / 64
            # 63/64 of a ring's bytes are sent, which the rule leaves out.
            assert (cost["waits"] == 0) == (per_gpu >= tokens * 63 / 64)

    def test_full_sharding_sends_half_more_than_copies(self):
        for link in (400e9, 12.5e9):
            shard = seconds({"shard": 64}, link=link)["traffic"]["shard"]
            assert shard == pytest.approx(1.5 * seconds({"copies": 64}, link=link)["traffic"]["copies"])

    def test_423_gb_per_node_against_134_mb_at_a_border(self):
        params, _, width = choose.MODELS["70B"]
        assert round(3 * 2 * params / 1e9) == 423
        assert round(2 * 8192 * width / 1e6) == 134
        assert seconds({"shard": 64})["traffic"]["shard"] == pytest.approx(423.3e9 * 63 / 64 / 400e9)

    @pytest.mark.parametrize("gpus", [256, 1024])
    def test_data_parallel_ranks_cannot_outnumber_sequences(self, gpus):
        for plan in ({"copies": gpus}, {"shard": gpus}, {"shard": 8, "copies": gpus // 8}):
            with pytest.raises(ValueError, match="no batch"):
                seconds(plan)
        assert seconds({"tp": 8, "shard": gpus // 8})["waits"] > 0

    @pytest.mark.parametrize("link", [12.5e9, 400e9])
    def test_tp_that_leaves_the_node_waits_for_the_network(self, link):
        waits = [seconds({"tp": tp, "shard": 64 // tp}, link=link)["traffic"]["tp"] for tp in (8, 16)]
        assert waits[1] > 2 * waits[0]
        assert (waits[1] > 70 * waits[0]) == (link == 12.5e9)

    @pytest.mark.parametrize(("link", "added", "at_best"), [(12.5e9, 33.6, 29.6), (400e9, 27.1, 27.1)])
    def test_the_budget_adds_tp_and_fsdp_which_matters_where_the_network_is_the_limit(self, link, added, at_best):
        cost = seconds({"tp": 8, "shard": 8}, link=link)
        traffic = cost["traffic"]
        assert round(cost["step"], 1) == added
        assert round(max(cost["compute"] + traffic["tp"], traffic["shard"]), 1) == at_best

    @pytest.mark.parametrize(
        ("model", "more"), [((8.03e9, 32, 4096), True), ((70.55e9, 80, 8192), True), ((405e9, 126, 16384), False)]
    )
    def test_attention_over_128000_tokens_costs_more_than_the_weights_of_70b_but_not_of_405b(self, model, more):
        params, layers, width = model
        assert (6 * 128_000 * width * layers > 6 * params) == more

    @pytest.mark.parametrize(("batch", "micro"), [(128, 16), (512, 64)])
    def test_the_bubble_is_p_minus_1_over_m_of_the_busy_time(self, batch, micro):
        cost = seconds({"shard": 8, "pp": 8}, batch=batch)
        assert cost["bubble"] == pytest.approx(7 / micro * cost["compute"])
        assert cost["bubble"] / cost["step"] == pytest.approx(7 / (micro + 7))

    @pytest.mark.parametrize(("length", "percent"), [(8192, 8), (131_072, 122)])
    def test_causal_attention_adds_8_percent_of_flops_and_more_than_the_weights_at_128k(self, length, percent):
        params, layers, width = choose.MODELS["70B"]
        # Scores and values: 2 products of 2 * length * width FLOPs per token, thrice for training, half if causal.
        attention = 3 * 2 * 2 * length * width * layers / 2
        assert round(100 * attention / (6 * params)) == percent

    def test_the_best_of_all_plans_is_not_far_below_the_best_of_the_table(self):
        costs = [seconds(plan, link=12.5e9) for plan in choose.every_plan(64)]
        best = min(cost["step"] for cost in costs if cost["bytes"] <= choose.ROOM)
        table = seconds({"tp": 8, "pp": 8}, link=12.5e9)["step"]
        assert 1 < table / best < 1.06
        assert table < seconds({"shard": 64}, link=12.5e9)["step"]


class TestRing:
    @pytest.mark.parametrize(("ranks", "per_node"), [(64, 8), (12, 4), (6, 6)])
    def test_a_gpu_and_a_node_send_all_but_one_part(self, ranks, per_node):
        gpus, nodes = ring.all_gather(list(range(ranks)), ranks, per_node)
        assert set(gpus.values()) == {ranks - 1}
        assert set(nodes.values()) == (set() if ranks == per_node else {ranks - 1})

    @pytest.mark.parametrize(("nodes", "per_node"), [(8, 8), (4, 2)])
    def test_rings_of_one_gpu_per_node_share_its_link_and_hardly_relieve_it(self, nodes, per_node):
        total = 0
        for first in range(per_node):
            group = list(range(first, nodes * per_node, per_node))
            total += ring.all_gather(group, 1 / per_node, per_node)[1][0]
        assert total == pytest.approx((nodes - 1) / nodes)


class Sent(TorchDispatchMode):
    """Counts, for each kind of collective, the elements that a rank sends around a ring."""

    def __init__(self, ranks: dict[str, int]) -> None:
        super().__init__()
        self.ranks, self.sent = ranks, dict.fromkeys(ranks, 0.0)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.__name__.strip("_").split(".")[0].rstrip("_").removesuffix("_base")
        if func.namespace == "c10d" and name in self.ranks:
            tensor = args[0][0] if name == "allreduce" else args[name == "reduce_scatter"]
            times, n = 1 + (name == "allreduce"), self.ranks[name]
            self.sent[name] += times * (n - 1) / n * tensor.numel()
        return func(*args, **(kwargs or {}))


@pytest.fixture
def fake_group():
    dist.init_process_group("fake", rank=0, world_size=64, store=FakeStore())
    yield
    dist.destroy_process_group()


@pytest.mark.parametrize(
    ("reshard", "sync", "gathered", "reduced"), [(True, True, 4, 2), (False, True, 2, 2), (True, False, 4, 1)]
)
def test_two_passes_gather_weights_twice_each_unless_they_stay_and_gradients_can_wait(
    fake_group, reshard, sync, gathered, reduced
):
    mesh = init_device_mesh("cpu", (64,))
    model = nn.Sequential(*[nn.Linear(64, 64, bias=False) for _ in range(3)])
    for layer in model:
        fully_shard(layer, mesh=mesh, reshard_after_forward=reshard)
    fully_shard(model, mesh=mesh)
    with Sent({"allgather": 64, "reduce_scatter": 64}) as traffic:
        for last in (False, True):
            model.set_requires_gradient_sync(sync or last)
            model(torch.ones(2, 64)).sum().backward()
    part = 63 / 64 * 3 * 64 * 64
    assert traffic.sent["allgather"] == pytest.approx(gathered * part)
    assert traffic.sent["reduce_scatter"] == pytest.approx(reduced * part)


@pytest.mark.parametrize("copies", [1, 8])
def test_fsdp_sends_three_times_the_weights_and_its_copies_twice_their_part(fake_group, copies):
    shape, names = ((64,), ("shard",)) if copies == 1 else ((8, 8), ("copies", "shard"))
    mesh = init_device_mesh("cpu", shape, mesh_dim_names=names)
    model = nn.Sequential(*[nn.Linear(64, 64, bias=False) for _ in range(3)])
    weights = 3 * 64 * 64
    for layer in model:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    shard = 64 // copies
    with Sent({"allgather": shard, "reduce_scatter": shard, "allreduce": copies}) as traffic:
        model(torch.ones(2, 64)).sum().backward()
    part = (shard - 1) / shard * weights
    assert traffic.sent["allgather"] == pytest.approx(2 * part)
    assert traffic.sent["reduce_scatter"] == pytest.approx(part)
    assert traffic.sent["allreduce"] == pytest.approx(2 * (copies - 1) / copies * weights / shard)
