import torch
from torch.nn.functional import layer_norm, scaled_dot_product_attention

torch.manual_seed(0)
distance = torch.arange(64)[:, None] - torch.arange(64)
band = (distance >= 0) & (distance < 8)  # a window of 8 tokens

print("layers  reach  share of the last 8  share of the farthest")
for layers in (1, 2, 4, 8):
    x = h = torch.randn(64, 16, dtype=torch.float64, requires_grad=True)
    for _ in range(layers):
        q, k, v = layer_norm(h, (16,)) @ torch.randn(3, 16, 16).double() / 4
        h = h + scaled_dot_product_attention(q, k, v, attn_mask=band)
    weight = torch.randn(16, dtype=torch.float64)
    (gradient,) = torch.autograd.grad(h[-1] @ weight, x)
    size = gradient.norm(dim=1) / gradient.norm(dim=1).sum()
    reach = int((size > 0).sum())
    print(f"{layers:6}  {reach:5}  {size[-8:].sum():19.0%}  {size[-reach]:21.0e}")
