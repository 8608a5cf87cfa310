import torch
import torch.nn.functional as F

# One output for yes or no, four samples, two of them wrong.
logits = torch.tensor([[9.0], [-9.0], [9.0], [-9.0]], requires_grad=True)
target = torch.tensor([[1.0], [0.0], [0.0], [1.0]])

bce = F.binary_cross_entropy_with_logits
for name, f in (("cross-entropy", F.cross_entropy), ("BCE", bce)):
    logits.grad = None
    loss = f(logits, target)
    loss.backward()
    largest = logits.grad.abs().max()
    print(f"{name:13} loss {loss.abs():.2f}, gradient {largest:.2f}")
