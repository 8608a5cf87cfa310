import torch
from torch import nn

attention = nn.MultiheadAttention(4, 2, dropout=0.0, batch_first=True)
x = torch.ones(1, 3, 4)
all_padding = torch.ones(1, 3, dtype=torch.bool)

for mode in (True, False):
    attention.train(mode)
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            output, _ = attention(x, x, x, all_padding, need_weights=False)
        name = "train()" if mode else "eval()"
        name += "" if grad else " and no_grad()"
        print(f"{name:21} nan: {output.isnan().any().item()}")
