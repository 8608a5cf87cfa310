import torch
from torch import nn
from torch.nn import functional as F

x = torch.randn(2, 4, 3, 3, dtype=torch.float64)
one_group = F.group_norm(x, 1)
whole_sample = F.layer_norm(x, x.shape[1:])
per_token = F.layer_norm(x.movedim(1, -1), (4,)).movedim(-1, 1)
print(
    "one group is layer norm over C, H, W:", torch.allclose(one_group, whole_sample)
)
print("one group is layer norm per token:   ", torch.allclose(one_group, per_token))
print("learned scale:", *nn.GroupNorm(1, 4).weight.shape, "values, or", end=" ")
print(nn.LayerNorm(x.shape[1:]).weight.numel(), "values")
x = x[..., :1, :1]
per_token = F.layer_norm(x.movedim(1, -1), (4,)).movedim(-1, 1)
print("and with one position:", torch.allclose(F.group_norm(x, 1), per_token))
