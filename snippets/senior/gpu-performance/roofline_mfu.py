import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

torch.set_default_device("meta")  # shapes without memory
for d, L, T in (768, 12, 1024), (768, 12, 8192), (4096, 32, 8192):
    layer = nn.TransformerEncoderLayer(d, d // 64, 4 * d, 0, batch_first=True)
    blocks = nn.TransformerEncoder(layer, L, enable_nested_tensor=False)
    head = nn.Linear(d, 50304, bias=False)
    x = torch.empty(1, T, d, requires_grad=True)  # rows of the input table
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as count:
        head(blocks(x)).sum().backward()
    per_token = count.get_total_flops() / T
    N = sum(p.numel() for m in (blocks, head) for p in m.parameters())
    print(f"N = {N / 1e6:5,.0f} million, T = {T}: 6N is", end=" ")
    print(f"{6 * N / per_token:.1%} of the FLOPs,", end=" ")
    print(f"6N + 12LdT {(6 * N + 12 * L * d * T) / per_token:.1%}")
