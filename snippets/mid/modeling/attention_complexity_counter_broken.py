import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.flop_counter import FlopCounterMode

for device in ("cpu", "meta"):
    q = torch.randn(1, 8, 1024, 64, device=device)
    for causal in (False, True):
        with FlopCounterMode(display=False) as counter:
            scaled_dot_product_attention(q, q, q, is_causal=causal)
        print(f"{device:4} is_causal={causal!s:5}", counter.get_total_flops())
