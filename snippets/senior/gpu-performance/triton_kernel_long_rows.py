# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "triton"]
#
# [tool.warmup]
# needs = "triton"
# ///
import math
import os

os.environ["TRITON_INTERPRET"] = "1"  # on a CPU; leave it out on a GPU
import torch
import triton
import triton.language as tl


@triton.jit
def long_rows(x, out, x_stride, out_stride, columns, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    top = tl.full((), -float("inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    for start in range(0, columns, BLOCK):
        mask = start + cols < columns
        at = x + row * x_stride + start + cols
        v = tl.load(at, mask=mask, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, tl.max(v, 0))
        # Minus infinity so far, as under a mask: inf - inf would be NaN.
        safe = tl.where(new == -float("inf"), 0.0, new)
        total = total * tl.exp(top - safe) + tl.sum(tl.exp(v - safe), 0)
        top = new
    for start in range(0, columns, BLOCK):
        mask = start + cols < columns
        at = x + row * x_stride + start + cols
        v = tl.load(at, mask=mask).to(tl.float32)
        at = out + row * out_stride + start + cols
        tl.store(at, tl.exp(v - top) / total, mask=mask)


def softmax(x: torch.Tensor, block: int = 1024) -> torch.Tensor:
    """Softmax over the last dimension of ``x`` (rows, columns), no gradient.

    Args:
        x: Any strides, if the last is 1. Float16, bfloat16 or float32.
        block: Columns per step, a power of two.

    Raises:
        ValueError: If ``x`` is not 2-D, or its last stride is not 1.
    """
    if x.dim() != 2 or (x.shape[1] > 1 and x.stride(1) != 1):
        raise ValueError("softmax wants (rows, columns) with a last stride of 1")
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel():
        grid = (x.shape[0],)
        strides = x.stride(0), out.stride(0)
        long_rows[grid](x, out, *strides, x.shape[1], BLOCK=block)
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(3, 1000)
    for name, rows in {
        "contiguous": x,
        "a slice": x[:, :37],
        "a slice that starts later": x[1:, 5:300],
        "scores up to 400": 100 * x,
        "70 masked scores first": x.index_fill(1, torch.arange(70), -math.inf),
    }.items():
        same = torch.allclose(softmax(rows, 64), rows.softmax(1), atol=1e-6)
        print(f"{name:26}equal: {same}")
    try:
        softmax(x.T)
    except ValueError as error:
        print(f"x.T  ValueError: {error}")
    y = softmax(torch.randn(2, 4, requires_grad=True), 64)
    print("has a gradient:", y.requires_grad)
