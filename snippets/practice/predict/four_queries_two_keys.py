import torch
from torch.nn.functional import scaled_dot_product_attention as attend

q = torch.ones(1, 4, 1, 2)  # (batch, heads, tokens, channels)
k = torch.ones(1, 2, 1, 2)
v = torch.tensor([10.0, 20.0]).view(1, 2, 1, 1).expand(1, 2, 1, 2)
out = attend(q, k, v, enable_gqa=True)
print(out[0, :, 0, 0].tolist())
