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
def kernel(x, out, x_stride, out_stride, columns, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    mask = cols < columns
    v = tl.load(x + row * x_stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(v.to(tl.float32) - tl.max(v.to(tl.float32), 0))
    tl.store(out + row * out_stride + cols, e / tl.sum(e, 0), mask=mask)


for shape in ((4, 37), (3, 64), (2, 1)):
    x = torch.randn(shape, generator=torch.manual_seed(0))
    out, block = torch.empty_like(x), triton.next_power_of_2(shape[1])
    kernel[(shape[0],)](x, out, x.stride(0), out.stride(0), shape[1], block)
    same = torch.allclose(out, x.softmax(1), atol=1e-6)
    print(f"{shape[0]} programs, block of {block:2}, equal: {same}")
