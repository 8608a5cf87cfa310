import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode


def model_flops(matrices: int, layers: int, width: int, length: int) -> int:
    """FLOPs of a dense transformer per trained token, forward and backward.

    Args:
        matrices: Parameters that multiply each token: no input table.
        width: Heads times the size of a head.
        length: Tokens per sequence. Attention counts as full, not causal.
    """
    return 6 * matrices + 12 * layers * width * length


def mfu(flops_per_token: float, tokens_per_second: float, peak: float) -> float:
    """Model FLOPs utilization; rate and peak are of one GPU, or of all."""
    if min(flops_per_token, tokens_per_second, peak) <= 0:
        raise ValueError("FLOPs, tokens per second and peak must be positive")
    return flops_per_token * tokens_per_second / peak


def executed(
    blocks: nn.ModuleList, head: nn.Module, x: torch.Tensor, again: bool
) -> int:
    """FLOPs of a step, what checkpointing computes again included."""
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as count:
        for block in blocks:
            x = checkpoint(block, x, use_reentrant=False) if again else block(x)
        head(x).sum().backward()
    return count.get_total_flops()


if __name__ == "__main__":
    torch.set_default_device("meta")
    L, d, T = 12, 768, 1024
    layers = [
        nn.TransformerEncoderLayer(d, 12, 4 * d, 0, "gelu", batch_first=True)
        for _ in range(L)
    ]
    blocks, head = nn.ModuleList(layers), nn.Linear(d, 50304, bias=False)
    N = sum(p.numel() for p in (*blocks.parameters(), *head.parameters()))
    print("the GPU executes 400 TFLOP/s of its 989")
    for again in (False, True):
        x = torch.empty(1, T, d, requires_grad=True)
        per_token = executed(blocks, head, x, again) / T
        rate = 400e12 / per_token
        print(f"checkpoint {again!s:6}{rate:9,.0f} tokens/s", end="   ")
        print(f"counted {mfu(per_token, rate, 989e12):.1%}", end="   ")
        print(f"MFU {mfu(model_flops(N, L, d, T), rate, 989e12):.1%}")
