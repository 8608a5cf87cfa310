# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "triton"]
#
# [tool.warmup]
# needs = "triton"
# ///
import os

os.environ["TRITON_INTERPRET"] = "1"  # on a CPU; leave it out on a GPU
import torch
import triton
import triton.language as tl


@triton.jit
def softmax(x, out, stride, columns, OTHER: tl.constexpr, MASK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, 8)
    mask = cols < columns
    v = tl.load(x + row * stride + cols, mask=mask, other=OTHER)
    e = tl.exp(v - tl.max(v, 0))
    y = e / tl.sum(e, 0)
    tl.store(out + row * columns + cols, y, mask=mask if MASK else cols < 8)


NEUTRAL = -float("inf")
base = torch.zeros(2, 8)
base[:, 5:] = 9.0  # belongs to somebody else
x = base[:, :5]  # two rows of five zeros, stride 8
for name, stride, other, mask in (
    ("right", x.stride(0), NEUTRAL, True),
    ("other=0", x.stride(0), 0.0, True),
    ("row * columns", x.shape[1], NEUTRAL, True),
    ("store without mask", x.stride(0), NEUTRAL, False),
):
    memory = torch.full((14,), -1.0)  # ten for the output, four more
    softmax[(2,)](x, memory, stride, 5, OTHER=other, MASK=mask)
    sums = [round(s, 3) for s in memory[:10].view(2, 5).sum(1).tolist()]
    first = memory[5].item()
    print(f"{name:18} row sums {sums}  row 1 starts with {first:.3f}", end="")
    print(f"  wrote behind: {(memory[10:] != -1).sum()}")
