import torch
from torch import nn

torch.manual_seed(0)
attention = nn.MultiheadAttention(8, 2, batch_first=True)
x = torch.randn(2, 3, 8)
padding = torch.tensor([[False, False, False], [True, True, True]])
for need in (True, False):
    attention.zero_grad()
    out, _ = attention(x, x, x, key_padding_mask=padding, need_weights=need)
    out[0].sum().backward()  # the loss reads the first sequence only
    bad = attention.in_proj_weight.grad.isnan().any().item()
    print(f"need_weights={need!s:5} train: second output NaN:", end=" ")
    print(f"{out[1].isnan().all().item()}, gradient NaN: {bad}")
with torch.no_grad():
    attention.eval()
    out, _ = attention(x, x, x, key_padding_mask=padding, need_weights=False)
print("need_weights=False eval:  second output NaN:", out[1].isnan().all().item())
