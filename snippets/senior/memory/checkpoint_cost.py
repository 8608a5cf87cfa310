import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

torch.set_default_device("meta")  # shapes without memory
x, sizes = torch.empty(1024, 1, 1024, requires_grad=True), (1024, 16, 4096)
cases = ("pre-norm", 0, 1), ("with dropout", 0.1, 1), ("post-norm", 0, 0)
for name, drop, first in cases:
    block = nn.TransformerEncoderLayer(*sizes, drop, "gelu", norm_first=first)
    for again in (False, True):
        count = FlopCounterMode(display=False)
        with sdpa_kernel(SDPBackend.MATH), count:
            y = checkpoint(block, x, use_reentrant=False) if again else block(x)
            forward = count.get_total_flops()
            y.sum().backward()
        steps = count.get_total_flops() / forward
        print(f"{name:13} checkpoint {again!s:6}{steps:6.3f} forward passes")
