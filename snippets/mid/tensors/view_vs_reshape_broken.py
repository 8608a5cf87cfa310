import torch

tokens, heads, size = 2, 3, 4
x = torch.arange(tokens * heads * size).reshape(1, tokens, heads * size)
split = x.view(1, tokens, heads, size).transpose(1, 2)  # (1, heads, tokens, size)

try:
    split.view(1, tokens, heads * size)
except RuntimeError as error:
    print("view:    RuntimeError: ..." + str(error)[-30:])
merged = split.reshape(1, tokens, heads * size)
print("reshape: token 0 =", merged[0, 0].tolist())
merged = split.transpose(1, 2).reshape(1, tokens, heads * size)
print("transpose back, then reshape: token 0 =", merged[0, 0].tolist())
