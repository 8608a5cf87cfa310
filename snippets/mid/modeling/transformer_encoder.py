import torch
from torch import nn

torch.manual_seed(0)
B, T, D, H = 2, 5, 12, 3
x = torch.randn(B, T, D)
attention = nn.MultiheadAttention(D, H, batch_first=True)
qkv = x @ attention.in_proj_weight.mT + attention.in_proj_bias
q, k, v = qkv.view(B, T, 3, H, D // H).permute(2, 0, 3, 1, 4)
scores = q @ k.mT / (D // H) ** 0.5
mixed = scores.softmax(dim=-1) @ v
out = attention.out_proj(mixed.transpose(1, 2).reshape(B, T, D))
steps = {"x": x, "qkv": qkv, "q": q, "scores": scores, "mixed": mixed, "out": out}
for name, step in steps.items():
    print(f"{name:7}", tuple(step.shape))
print("as torch:", torch.allclose(out, attention(x, x, x)[0], atol=1e-6))
