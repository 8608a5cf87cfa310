"""What docs/senior/memory/training-memory-7b.md claims, proven beyond the example shown."""

from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer

from warmup.testing import load_snippet

budget = load_snippet("senior/memory/training_memory_7b.py")
gpus = load_snippet("senior/memory/training_memory_7b_gpus.py")
measured = load_snippet("senior/memory/training_memory_7b_measured.py")
BLOCK = 49.6  # bytes per token and unit of width


def llama(*shape: int) -> nn.Module:
    with torch.device("meta"):
        return measured.Llama(*shape)


def kept(width: int, tokens: int, heads: int, fused: bool, batch: int = 1) -> float:
    x = torch.randn(batch, tokens, width, dtype=torch.bfloat16, requires_grad=True)
    block = measured.Block(width, width * 43 // 16, heads, fused).bfloat16()
    return measured.saved_bytes(block, x) / x.numel()


def _sent_by_step(rank: int, folder: str) -> None:
    """Write how many numbers two steps broadcast per step, of how many parameters."""
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    model = nn.Sequential(*(nn.Linear(32, 32, bias=False) for _ in range(4)))
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW)
    sent, broadcast = [], dist.broadcast

    def counting(*args, **kwargs):
        sent.append((kwargs["tensor"] if "tensor" in kwargs else args[0]).numel())
        return broadcast(*args, **kwargs)

    dist.broadcast = counting
    for _ in range(2):
        for p in model.parameters():
            p.grad = torch.ones_like(p)
        optimizer.step()
    count = sum(p.numel() for p in model.parameters())
    (Path(folder) / f"sent{rank}").write_text(f"{sum(sent) // 2} of {count}")
    dist.destroy_process_group()


class TestTrainingMemory7b:
    @pytest.mark.parametrize(
        ("shape", "expected"), [((32, 4096, 11008, 32, 32000), 6_738_415_616), ((2, 64, 172, 4, 100), None)]
    )
    def test_the_formula_counts_the_parameters_of_a_real_module(self, shape: tuple, expected: int | None):
        layers, width, ffn, _, vocab = shape
        real = sum(p.numel() for p in llama(*shape).parameters())
        assert budget.count(layers, width, ffn, width, vocab) == real and expected in (None, real)

    def test_the_70b_model_has_70_billion_parameters_and_327_680_bytes_of_cache_per_token(self):
        assert budget.seventy == gpus.SEVENTY == 70_553_706_496 and budget.seven == gpus.SEVEN
        assert budget.serve["cache: 32 requests of 8192 tokens"] == 32 * 8192 * gpus.PER_TOKEN
        assert gpus.PER_TOKEN == 2 * 80 * 8 * 128 * 2 and 8 * gpus.PER_TOKEN == 2 * 80 * 64 * 128 * 2

    @pytest.mark.parametrize(("dtype", "total"), [(torch.float32, 16), (torch.bfloat16, 8)])
    @pytest.mark.parametrize("shape", [(2, 64, 172, 4, 100), (3, 32, 96, 2, 50)])
    def test_adamw_needs_16_bytes_per_parameter_in_float32_and_8_if_all_is_bfloat16(self, dtype, total, shape):
        model = llama(*shape).to(dtype)
        count = sum(p.numel() for p in model.parameters())
        assert sum(measured.state_bytes(model).values()) == total * count

    def test_the_training_budget_has_16_bytes_of_states_and_three_rows_of_activations(self):
        rows = list(budget.train.values())
        assert sum(rows[:4]) == 16 * budget.seven
        assert sum(rows[4:]) / 1e9 == pytest.approx(3.0, abs=0.05) and rows[4] == 32 * 4096 * 4096 * 2
        assert rows[0] / sum(rows[:4]) == 1 / 8

    @pytest.mark.parametrize(("width", "tokens", "batch"), [(128, 256, 1), (256, 128, 2)])
    def test_a_block_keeps_about_50_bytes_per_token_and_unit_of_width(self, width: int, tokens: int, batch: int):
        assert kept(width, tokens, 4, True, batch) == pytest.approx(BLOCK, abs=0.2)

    @pytest.mark.parametrize(("width", "tokens", "heads"), [(128, 128, 4), (128, 256, 2), (128, 256, 4)])
    def test_kept_scores_add_two_bytes_per_head_and_token(self, width: int, tokens: int, heads: int):
        more = kept(width, tokens, heads, False) - kept(width, tokens, heads, True)
        assert more == pytest.approx(2 * heads * tokens / width, abs=0.3)

    def test_the_activations_of_the_7b_model_without_checkpoints(self):
        units = 4096 * 4096
        assert BLOCK * units / 1e9 == pytest.approx(0.83, abs=0.01) and round(32 * 50 * units / 1e9) == 27
        assert 2 * 32 * 4096 / 4096 == 64 and round(32 * 64 * units / 1e9) == 34
        assert pytest.approx(107.8, abs=1) == 4 * 27

    def test_stages_divide_optimizer_then_gradients_then_weights(self):
        table = {name: [gpus.SEVEN * f(n) / 1e9 for n in (1, 8)] for name, f in gpus.SHARED.items()}
        assert all(one == pytest.approx(107.8, abs=0.05) for one, _ in table.values())
        assert [round(eight, 1) for _, eight in table.values()] == [107.8, 37.1, 25.3, 13.5]

    @pytest.mark.parametrize(
        ("bits", "gpu", "tokens"), [(16, 2, 8_827), (8, 1, 4_413), (8, 2, 224_140), (4.125, 1, 108_705)]
    )
    def test_what_fits_next_to_the_weights(self, bits: float, gpu: int, tokens: int):
        free = 0.9 * 80e9 * gpu - gpus.SEVENTY * bits / 8
        assert int(free / 327_680) == tokens and tokens * 327_680 + gpus.SEVENTY * bits / 8 <= 72e9 * gpu

    def test_the_numbers_that_the_follow_ups_say(self):
        assert pytest.approx(2.7, abs=0.05) == 8192 * 327_680 / 1e9
        assert pytest.approx(0.61, abs=0.005) == 32 * 8192 * 327_680 / (2 * gpus.SEVENTY)
        assert 2 * gpus.SEVENTY < 100 * 8192 * 327_680 and pytest.approx(220_000, rel=0.01) == 72e9 / 327_680
        assert 16 * budget.seven / 2**30 == pytest.approx(100.4, abs=0.05)

    def test_temporaries_of_4_bytes_are_27_gb_and_80_gb_are_more_than_80_billion_bytes(self):
        assert 4 * budget.seven / 1e9 == pytest.approx(27, abs=0.05)
        assert pytest.approx(85.5, abs=0.05) == 81_559 * 2**20 / 1e9

    def test_zero_redundancy_optimizer_broadcasts_every_parameter_after_its_step(self, tmp_path: Path):
        mp.start_processes(_sent_by_step, args=(str(tmp_path),), nprocs=2, start_method="fork")
        assert all((tmp_path / f"sent{rank}").read_text() == "4096 of 4096" for rank in range(2))
