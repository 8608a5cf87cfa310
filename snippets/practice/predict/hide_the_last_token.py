import torch
from torch.nn.functional import scaled_dot_product_attention

q = torch.ones(1, 3, 2)
v = torch.tensor([[[1.0], [2.0], [9.0]]])
padding = torch.tensor([False, False, True])
out = scaled_dot_product_attention(q, q, v, attn_mask=padding)
print(out.flatten().tolist())
