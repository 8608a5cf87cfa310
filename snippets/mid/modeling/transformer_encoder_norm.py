import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(4, 10, 32)
for norm_first in (False, True):
    for depth in (2, 32):
        layer = nn.TransformerEncoderLayer(
            32, 4, 128, dropout=0.0, batch_first=True, norm_first=norm_first
        )
        encoder = nn.TransformerEncoder(
            layer, depth, enable_nested_tensor=False, norm=None
        )
        for p in encoder.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
        out = encoder(x)
        print("pre-norm " if norm_first else "post-norm", end="  ")
        print(f"{depth:2} layers: standard deviation {out.std():.1f}")
