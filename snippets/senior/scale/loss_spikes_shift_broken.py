import torch
import torch.nn.functional as F

torch.manual_seed(0)
logits, labels = torch.randn(64, 1000), torch.randint(1000, (64,))


def slope(loss, shift: float) -> float:
    """How fast the loss changes with a number that is added to all logits."""
    added = torch.tensor(shift, requires_grad=True)
    loss(logits + added).backward()
    return added.grad.item()


def z_loss(logits):
    return 1e-4 * logits.logsumexp(1).square().mean()


print("shift   float32   bfloat16   slope of loss   of z-loss")
for shift in (0.0, 10.0, 100.0, 1000.0):
    exact = F.cross_entropy(logits + shift, labels)
    rounded = F.cross_entropy((logits + shift).bfloat16().float(), labels)
    push = abs(slope(lambda z: F.cross_entropy(z, labels), shift))
    back = slope(z_loss, shift)
    print(f"{shift:5.0f}{exact:10.2f}{rounded:11.2f}{push:16.3f}{back:12.3f}")
