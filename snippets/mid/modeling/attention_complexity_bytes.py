# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.functional import scaled_dot_product_attention


def by_hand(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return (q @ k.mT / q.shape[-1] ** 0.5).softmax(dim=-1) @ v


def kept_bytes(attend, tokens: int) -> int:
    """Bytes of all distinct tensors that autograd keeps: 8 heads of 64, float32."""
    kept = {}

    def pack(t: torch.Tensor) -> torch.Tensor:
        kept[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
        return t

    q, k, v = (torch.randn(1, 8, tokens, 64).requires_grad_() for _ in range(3))
    with saved_tensors_hooks(pack, lambda t: t):
        out = attend(q, k, v)
    del out
    return sum(kept.values())


if __name__ == "__main__":
    lengths = [64, 128, 256, 512, 1024]
    figure, axes = plt.subplots(figsize=(5.2, 3.8), layout="constrained")
    for name, attend, style in (
        ("by hand", by_hand, "o-"),
        ("fused", scaled_dot_product_attention, "s--"),
    ):
        mib = [kept_bytes(attend, tokens) / 2**20 for tokens in lengths]
        axes.loglog(lengths, mib, style, label=name)
        print(
            f"{name:8}", *[f"{tokens}: {m:.2f}" for tokens, m in zip(lengths, mib)]
        )
    axes.set_xlabel("sequence length T (tokens)")
    axes.set_ylabel("kept for backward (MiB)")
    axes.legend()
    plt.show()
