import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
x, places = torch.randn(1, 6, 16), torch.randn(6, 16)
order = torch.tensor([3, 0, 5, 1, 4, 2])
for name, f in {
    "layer": layer,
    "mean over tokens of layer": lambda x: layer(x).mean(dim=1, keepdim=True),
    "layer with positions": lambda x: layer(x + places),
}.items():
    out, permuted = f(x), f(x[:, order])
    same = torch.allclose(permuted, out, atol=1e-5)
    moved = out.shape == x.shape and torch.allclose(
        permuted, out[:, order], atol=1e-5
    )
    print(f"{name:25} invariant: {same!s:5} equivariant: {moved}")
