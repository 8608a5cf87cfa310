from unittest.mock import patch

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(
    d_model=64, nhead=4, dropout=0.0, batch_first=True
)
x = torch.randn(8, 16, 64)
reference = layer(x).detach()
fused = torch._transformer_encoder_layer_fwd

print("                    fused path  close")
for training in (True, False):
    for how in ("", " + no_grad()", " + frozen"):
        layer.train(training).requires_grad_(how != " + frozen")
        with (
            torch.set_grad_enabled(how != " + no_grad()"),
            patch("torch._transformer_encoder_layer_fwd", side_effect=fused) as spy,
        ):
            output = layer(x).detach()
        name = ("train()" if training else "eval()") + how
        close = torch.allclose(output, reference, atol=1e-5)
        print(f"{name:19} {spy.called!s:11} {close}")
