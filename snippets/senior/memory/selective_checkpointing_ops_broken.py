from functools import partial

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
from torch.utils.flop_counter import FlopCounterMode

aten, x = torch.ops.aten, torch.randn(4, 16, 64)
for op in (aten.mm.default, aten.addmm.default):
    for bias in (True, False):
        layers = [
            nn.Linear(64, 64, bias=bias),
            nn.GELU(),
            nn.Linear(64, 64, bias=bias),
        ]
        block = nn.Sequential(*layers, nn.GELU())
        contexts = partial(create_selective_checkpoint_contexts, [op])
        with FlopCounterMode(display=False) as counter:
            y = checkpoint(block, x, use_reentrant=False, context_fn=contexts)
            forward = counter.get_total_flops()
            loss = y.sum()
        with FlopCounterMode(display=False) as counter:
            loss.backward()
        ratio = counter.get_total_flops() / forward
        print(f"keep {op!s:18} bias {bias!s:6} backward {ratio:.1f} forward passes")
