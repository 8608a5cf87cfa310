import torch
from torch import nn

torch.manual_seed(0)
attention = nn.MultiheadAttention(8, 2, batch_first=True)
x = torch.randn(2, 3, 8)
padding = torch.tensor([[False, False, False], [True, True, True]])
for need_weights in (True, False):
    attention.zero_grad()
    out, _ = attention(x, x, x, key_padding_mask=padding, need_weights=need_weights)
    out[0].sum().backward()  # the loss reads the first sequence only
    print(f"need_weights={need_weights!s:5} second output has NaN:", end=" ")
    print(out[1].isnan().any().item(), end=", ")
    print("gradient has:", attention.in_proj_weight.grad.isnan().any().item())
