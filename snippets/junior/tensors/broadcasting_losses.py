import warnings

import torch
import torch.nn.functional as F
from torch.distributions import Normal

prediction = torch.tensor([[0.1], [0.2], [0.8], [0.9]])  # (4, 1)
target = torch.tensor([0.0, 0.0, 1.0, 1.0])  # (4,)

losses = {
    "F.mse_loss": F.mse_loss,
    "F.l1_loss": F.l1_loss,
    "F.huber_loss": F.huber_loss,
    "F.binary_cross_entropy": F.binary_cross_entropy,
    "F.binary_cross_entropy_with_logits": F.binary_cross_entropy_with_logits,
    "F.poisson_nll_loss": F.poisson_nll_loss,
    "F.gaussian_nll_loss": lambda p, t: F.gaussian_nll_loss(
        p, t, torch.ones_like(p)
    ),
    "Normal(p, 1).log_prob(t)": lambda p, t: -Normal(p, 1.0).log_prob(t).mean(),
    "((p - t) ** 2).mean()": lambda p, t: ((p - t) ** 2).mean(),
    "accuracy: ((p > 0.5) == t).mean()": lambda p, t: (
        ((p > 0.5) == t).float().mean()
    ),
}

print(f"{'':35} (4, 1), (4, 1)  (4, 1), (4,)")
for name, loss in losses.items():
    right = loss(prediction, target.unsqueeze(1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = loss(prediction, target)
            kind = caught[0].category.__name__ if caught else "silent"
            wrong = f"{value:.4f}  {kind}"
        except ValueError as error:
            wrong = f"        {type(error).__name__}"
    print(f"{name:35} {right:.4f}          {wrong}")
