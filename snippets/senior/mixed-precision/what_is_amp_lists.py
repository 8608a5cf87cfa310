import torch
from torch.nn import functional as F

x, w, y = torch.ones(2, 4), torch.ones(4, 4), torch.tensor([0, 1])
h = x.bfloat16()
with torch.autocast("cpu", dtype=torch.bfloat16):
    rows = {
        "float32 @ float32": x @ w,
        "float32 conv1d": F.conv1d(x.view(2, 1, 4), w.view(4, 1, 4)),
        "bfloat16 @ float32": h @ w,
        "bfloat16 + float32": h + x,
        "bfloat16 gelu": F.gelu(h),
        "bfloat16 softmax": h.softmax(-1),
        "bfloat16 layer_norm": F.layer_norm(h, (4,)),
        "bfloat16 sum": h.sum(),
        "bfloat16 cross_entropy": F.cross_entropy(h, y),
        "bfloat16 mse_loss": F.mse_loss(h, x),
        "float64 @ float64": x.double() @ w.double(),
        "float32 addmm_, in place": torch.zeros(2, 4).addmm_(x, w),
    }
for name, result in rows.items():
    print(f"{name:26}{str(result.dtype).removeprefix('torch.')}")
