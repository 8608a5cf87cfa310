import torch
from torch import nn

torch.manual_seed(0)
mask = torch.tensor([[True, True, True], [True, True, False]])  # True: a token
x = torch.randn(2, 3, 4)
attention = nn.MultiheadAttention(4, num_heads=1, batch_first=True)
for name, hide in (("~mask", ~mask), ("mask", mask)):
    for need_weights in (True, False):
        out, _ = attention(
            x, x, x, key_padding_mask=hide, need_weights=need_weights
        )
        nan = out.isnan().flatten(1).any(dim=1).tolist()
        print(
            f"key_padding_mask={name:5} need_weights={need_weights!s:5} NaN: {nan}"
        )
