import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

for bad in (torch.inf, torch.nan):
    for clip in (clip_grad_norm_, clip_grad_value_):
        w = torch.zeros(3, requires_grad=True)
        w.grad = torch.tensor([bad, 5.0, 0.5])
        clip([w], 1.0)
        print(f"{bad}: {clip.__name__:16} {w.grad.tolist()}")
try:
    w.grad = torch.tensor([torch.inf, 5.0, 0.5])
    clip_grad_norm_([w], 1.0, error_if_nonfinite=True)
except RuntimeError as error:
    print("RuntimeError:\n ", str(error).split(", so")[0])
    print("gradient after the error:", w.grad.tolist())
