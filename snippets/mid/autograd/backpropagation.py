import torch

x, target = torch.tensor([1.0, 2.0]), 4.0
W = torch.tensor([[1.0, 1.0], [1.0, -1.0]], requires_grad=True)
v = torch.tensor([2.0, 5.0], requires_grad=True)
z = W @ x  # forward, one line per layer
h = z.relu()
y = v @ h
((y - target) ** 2).backward()
with torch.no_grad():  # backward by hand, in reverse order
    dy = 2 * (y - target)
    dv, dh = dy * h, dy * v
    dz = dh * (z > 0)
    dW = torch.outer(dz, x)
for name, mine, theirs in ("v", dv, v.grad), ("W", dW, W.grad):
    print(name, mine.tolist(), "as autograd:", torch.equal(mine, theirs))
