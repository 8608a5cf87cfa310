"""What docs/senior/distributed/zero.md claims, proven beyond the example shown."""

import gc

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel
from torch.testing._internal.distributed.fake_pg import FakeStore

from warmup.testing import load_snippet

stages = load_snippet("senior/distributed/zero_stages.py")
redundancy = load_snippet("senior/distributed/zero_redundancy.py")


def steps(kind, parameters, gradients, **options):
    """Three steps of one optimizer on all of ``parameters``."""
    parameters = [nn.Parameter(p.clone()) for p in parameters]
    optimizer = kind(parameters, **options)
    for _ in range(3):
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient
        optimizer.step()
    return torch.cat([p.detach() for p in parameters])


class TestZero:
    @pytest.mark.parametrize("ranks", [2, 4, 5])
    @pytest.mark.parametrize(
        ("kind", "options"),
        [
            (torch.optim.AdamW, {"lr": 0.1}),
            (torch.optim.Adam, {"lr": 0.1, "weight_decay": 0.1}),
            (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
        ],
    )
    def test_an_elementwise_optimizer_does_the_same_in_shards(self, kind, options, ranks):
        weight, gradient = torch.randn(1000), torch.randn(1000)
        whole = steps(kind, [weight], [gradient], **options)
        parts = [
            steps(kind, [w], [g], **options) for w, g in zip(weight.chunk(ranks), gradient.chunk(ranks), strict=True)
        ]
        torch.testing.assert_close(torch.cat(parts), whole, rtol=1e-6, atol=1e-6)

    def test_muon_on_half_a_matrix_is_another_step(self):
        weight, gradient = torch.zeros(4, 4), torch.randn(4, 4)

        def step(w, g):
            w = nn.Parameter(w.clone())
            w.grad = g
            torch.optim.Muon([w], lr=0.1).step()
            return w.detach()

        halves = torch.cat([step(weight[half], gradient[half]) for half in (slice(2), slice(2, 4))])
        assert (halves - step(weight, gradient)).abs().max() > 1e-3

    @pytest.mark.parametrize(("stage", "total"), [(0, 120.0), (1, 31.4), (2, 16.6), (3, 1.9)])
    def test_the_stages_have_the_papers_numbers(self, stage, total):
        rows = stages.bytes_per_rank(7_500_000_000, 64, stage)
        assert sum(rows.values()) / 1e9 == pytest.approx(total, abs=0.05)

    @pytest.mark.parametrize("stage", range(4))
    def test_on_one_rank_every_stage_has_16_bytes_per_parameter(self, stage):
        rows = stages.bytes_per_rank(1000, 1, stage)
        assert rows == {"weights": 2000, "gradients": 2000, "states": 12000}

    def test_a_stage_shards_what_the_one_before_shards_and_one_row_more(self):
        kept = [stages.bytes_per_rank(1000, 10, stage) for stage in range(4)]
        assert [row["states"] for row in kept] == [12000, 1200, 1200, 1200]
        assert [row["gradients"] for row in kept] == [2000, 2000, 200, 200]
        assert [row["weights"] for row in kept] == [2000, 2000, 2000, 200]

    def test_from_64_to_128_ranks_the_example_goes_from_1_9_to_0_9_gb(self):
        totals = [sum(stages.bytes_per_rank(7_500_000_000, ranks, 3).values()) / 1e9 for ranks in (64, 128)]
        assert [round(total, 1) for total in totals] == [1.9, 0.9]

    @pytest.mark.parametrize("stage", [-1, 4])
    def test_there_is_no_other_stage(self, stage):
        with pytest.raises(ValueError, match="not 0 to 3"):
            stages.bytes_per_rank(1000, 10, stage)

    def test_clipping_by_the_norm_of_each_shard_turns_the_gradient(self):
        gradient = torch.tensor([3.0, 4.0, 0.0, 12.0])
        wrong = torch.cat([shard / shard.norm() for shard in gradient.chunk(2)])
        right = gradient / sum(shard.square().sum() for shard in gradient.chunk(2)).sqrt()
        assert right.norm().item() == pytest.approx(1) and wrong.norm().item() == pytest.approx(2**0.5)
        assert torch.cosine_similarity(wrong, gradient, 0) < 0.95 < torch.cosine_similarity(right, gradient, 0)

    @pytest.mark.parametrize("rows", [2, 3])
    def test_whole_tensors_per_rank_are_enough_for_a_norm_per_tensor_and_not_for_the_global_one(self, rows):
        torch.manual_seed(0)
        tensors = [scale * torch.randn(rows, 4) for scale in (1.0, 5.0)]  # one on each of two ranks
        together = torch.nn.utils.get_total_norm(tensors)
        alone = [torch.nn.utils.get_total_norm([tensor]) for tensor in tensors]
        for tensor, norm in zip(tensors, alone, strict=True):
            assert norm == tensor.norm()  # what LAMB needs is complete
        assert not torch.allclose(tensors[0] / alone[0], tensors[0] / together, rtol=0.1)

    @pytest.mark.parametrize(("rank", "expected"), [(0, (66560, 512000)), (1, (66560, 33280))])
    def test_whole_parameters_go_to_ranks(self, rank, expected):
        dist.init_process_group("fake", rank=rank, world_size=2, store=FakeStore())
        equal = nn.Sequential(*[nn.Linear(64, 64) for _ in range(4)])
        embedding = nn.Sequential(nn.Embedding(1000, 64), nn.Linear(64, 64))
        found = redundancy.state_bytes(equal, torch.ones(64)), redundancy.state_bytes(embedding, torch.tensor(0))
        dist.destroy_process_group()
        assert found == expected

    def test_in_float32_the_state_is_8_of_16_bytes_and_plain_sgd_has_none(self):
        for kind, size in ((torch.optim.AdamW, 8), (torch.optim.SGD, 0)):
            weight = nn.Parameter(torch.ones(100))
            optimizer = kind([weight], lr=0.1)
            weight.sum().backward()
            optimizer.step()
            tensors = [t for s in optimizer.state.values() for t in s.values() if torch.is_tensor(t) and t.dim()]
            assert sum(t.nbytes for t in tensors) == size * 100


def train(rank, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{folder}/init", rank=rank, world_size=2)
    weights = []
    for kind in (torch.optim.AdamW, ZeroRedundancyOptimizer):
        torch.manual_seed(0)
        model = DistributedDataParallel(nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8)))
        options = {} if kind is torch.optim.AdamW else {"optimizer_class": torch.optim.AdamW}
        optimizer = kind(model.parameters(), lr=0.1, **options)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.full((1, 8), 1.0 + rank)).square().sum().backward()
            optimizer.step()
        weights.append(nn.utils.parameters_to_vector(model.parameters()).detach())
    torch.save(torch.equal(*weights), f"{folder}/{rank}.pt")
    del model, optimizer
    gc.collect()
    dist.destroy_process_group()


def test_two_ranks_with_zero_redundancy_end_with_the_weights_of_adamw(tmp_path):
    mp.start_processes(train, (tmp_path,), 2, start_method="fork")
    assert all(torch.load(tmp_path / f"{rank}.pt") for rank in range(2))
