import torch

a, b = torch.zeros(2, 3), torch.ones(2, 3)
for dim in (0, 1, -1):
    cat, stack = torch.cat([a, b], dim), torch.stack([a, b], dim)
    print(f"dim={dim:2}  cat {tuple(cat.shape)}  stack {tuple(stack.shape)}")

last = torch.ones(1, 3)
print("(2, 3) and (1, 3):  cat", tuple(torch.cat([a, last]).shape))
try:
    torch.stack([a, last])
except RuntimeError as error:
    print("RuntimeError:", str(error).split(",")[0])
