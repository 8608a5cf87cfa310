import torch
import torch.nn.functional as F


def gradient(logits: list[float], target: list[float]) -> str:
    z, y = torch.tensor(logits, requires_grad=True), torch.tensor(target)
    (found,) = torch.autograd.grad(F.cross_entropy(z, y), z)
    return ", ".join(f"{g:+.1e}" if g else "exactly 0" for g in found.tolist())


p = torch.softmax(torch.tensor([1.0, 2.0, 3.0]), dim=0).tolist()
print("p                ", ", ".join(f"{value:+.1e}" for value in p))
print("y = 0, 1, 0      ", gradient([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]))
print("y = 0.5, 0.5     ", gradient([3.0, 3.0], [0.5, 0.5]))
print("y = 1, 0, gap 10 ", gradient([10.0, 0.0], [1.0, 0.0]))
print("y = 1, 0, gap 110", gradient([110.0, 0.0], [1.0, 0.0]))
