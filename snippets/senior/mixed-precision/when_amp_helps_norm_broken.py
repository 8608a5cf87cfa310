import torch
from torch import nn


def rms_norm(x: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True))


def rms_norm_float32(x: torch.Tensor) -> torch.Tensor:
    return rms_norm(x.float()).to(x.dtype)


layer = nn.Linear(4, 4, bias=False)
nn.init.eye_(layer.weight)
x = torch.full((1, 4), 300.0)
for dtype in (torch.bfloat16, torch.float16):
    with torch.autocast("cpu", dtype=dtype):
        h = layer(x)
        rows = [norm(h)[0, 0].item() for norm in (rms_norm, rms_norm_float32)]
    print(f"{str(dtype)[6:]:9} by hand {rows[0]:.2f}, in float32 {rows[1]:.2f}")
