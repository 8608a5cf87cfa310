import torch
from torch.nn import functional as F


def focal(logits, positive, gamma=2.0):
    z = torch.where(positive, logits, -logits)  # above 0: on the right side
    return (gamma * F.logsigmoid(-z)).exp() * -F.logsigmoid(z)


logits = torch.tensor([-3.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
positive = torch.tensor([True, False, True])
bce = F.binary_cross_entropy_with_logits(
    logits, positive.double(), reduction="none"
)
print("gamma 0 is BCE:", torch.allclose(focal(logits, positive, gamma=0), bce))
print("gradcheck:", torch.autograd.gradcheck(focal, (logits, positive)))
wrong = torch.tensor([-1000.0], requires_grad=True)  # float32
focal(wrong, torch.tensor([True])).backward()
print("gradient at a logit of -1000:", wrong.grad.item())
