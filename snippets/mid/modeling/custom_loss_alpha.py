import torch
from torch.nn import functional as F

logits = torch.zeros(2)  # both at probability 0.5
positive = torch.tensor([True, False])
bce = F.binary_cross_entropy_with_logits(logits, positive.float(), reduction="none")
modulated = 0.5**2 * bce
alpha = torch.tensor([0.25, 0.25])
alpha_t = torch.where(positive, 0.25, 0.75)
for name, weight in (("alpha", alpha), ("alpha_t", alpha_t)):
    loss = weight * modulated
    print(f"{name:8} positive / negative = {loss[0] / loss[1]:.2f}")
