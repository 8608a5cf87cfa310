import torch
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

PEAK, PCIE, C2C = 989e12, 64e9, 450e9  # bfloat16 FLOP/s; bytes/s, one way
square, short, long = (
    torch.empty(shape, dtype=torch.bfloat16, device="meta")
    for shape in ((4096, 4096), (1, 32, 4096, 128), (1, 32, 32768, 128))
)
print(
    f"FLOPs in the time of one byte: PCIe {PEAK / PCIE:,.0f}, C2C {PEAK / C2C:,.0f}"
)
for name, run, args in (
    ("GELU", F.gelu, [square]),
    ("linear, 4096 inputs", F.linear, [square] * 2),
    ("attention, 4096 tokens", F.scaled_dot_product_attention, [short] * 3),
    ("attention, 32768 tokens", F.scaled_dot_product_attention, [long] * 3),
):
    with FlopCounterMode(display=False) as flops:
        ratio = 1 / run(*args).nbytes * flops.get_total_flops()
    best = [
        "offload" if ratio > PEAK / link else "recompute" for link in (PCIE, C2C)
    ]
    print(f"{name:24}{ratio:7,.0f} a byte, PCIe: {best[0]:9}  C2C: {best[1]}")
