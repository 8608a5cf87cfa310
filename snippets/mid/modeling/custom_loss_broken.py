import torch
from torch.nn import functional as F


def from_probability(z, gamma):
    p = z.sigmoid()
    return (1 - p) ** gamma * -p.log()


def clamped(z, gamma):
    p = z.sigmoid().clamp(1e-7, 1 - 1e-7)
    return (1 - p) ** gamma * -p.log()


def times_bce(z, gamma):
    bce = F.binary_cross_entropy_with_logits(z, torch.ones_like(z))
    return (1 - z.sigmoid()) ** gamma * bce


def from_log_sigmoid(z, gamma):
    return (gamma * F.logsigmoid(-z)).exp() * -F.logsigmoid(z)


print("a positive example   logit -120, gamma 2           logit 20, gamma 0.5")
for form in (from_probability, clamped, times_bce, from_log_sigmoid):
    found = []
    for logit, gamma in ((-120.0, 2.0), (20.0, 0.5)):
        z = torch.tensor(logit, requires_grad=True)
        loss = form(z, gamma)
        loss.backward()
        found += [f"loss {loss.abs():5.1f}, gradient {z.grad:6.0e}"]
    print(f"{form.__name__:20}", "    ".join(found))
