# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch.nn import functional as F

for gamma, style in ((0, "-"), (0.5, ":"), (2, "--"), (5, "-.")):
    z = torch.linspace(-6, 6, 97, dtype=torch.float64, requires_grad=True)
    loss = (gamma * F.logsigmoid(-z)).exp() * -F.logsigmoid(z)
    (gradient,) = torch.autograd.grad(loss.sum(), z)
    plt.plot(z.detach(), -gradient, style, label=f"gamma {gamma}")
    shares = [-gradient[z == logit].item() for logit in (-3, 0, 3)]
    print(f"gamma {gamma:<3} at -3, 0, 3:", *[f"{share:.4f}" for share in shares])
plt.xlabel("logit of the right answer")
plt.ylabel("size of the gradient")
plt.legend()
plt.show()
