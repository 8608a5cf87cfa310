import torch
import torch.nn.functional as F

target = torch.tensor([[1.0], [0.0]])  # yes, no
bce = F.binary_cross_entropy_with_logits
for name, f in ("cross-entropy", F.cross_entropy), ("BCE", bce):
    logits = torch.zeros(2, 1, requires_grad=True)
    loss = f(logits, target)
    loss.backward()
    print(f"{name:13} {loss:5.2f}, gradient {logits.grad.tolist()}")
