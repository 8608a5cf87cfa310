import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

layer = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, device="meta")
print(" tokens  scores, float32  T * T, in GFLOP  layer, in GFLOP")
for T in (512, 1024, 2048, 4096, 8192, 16384):
    q, k, v = torch.randn(3, 1, 8, T, 64, device="meta")
    with FlopCounterMode(display=False) as products:
        (q @ k.mT).softmax(dim=-1) @ v
    with FlopCounterMode(display=False) as whole:
        layer(torch.randn(1, T, 512, device="meta"))
    work = [counter.get_total_flops() / 1e9 for counter in (products, whole)]
    print(
        f"{T:7} {8 * T * T * 4 / 2**20:10.0f} MiB {work[0]:14.1f} {work[1]:17.1f}"
    )
