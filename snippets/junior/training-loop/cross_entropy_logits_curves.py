# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

lead = torch.linspace(-8, 8, 65)  # logit of the right class minus the other logit
logits = torch.stack([lead, torch.zeros(65)], dim=1)
label = torch.zeros(65, dtype=torch.int64)
once = F.cross_entropy(logits, label, reduction="none")
twice = F.cross_entropy(logits.softmax(dim=1), label, reduction="none")
print(f"sure and right: {once[-1]:.2f} and {twice[-1]:.2f}")
print(f"sure and wrong: {once[0]:.2f} and {twice[0]:.2f}")
plt.plot(lead, once, label="logits into cross_entropy")
plt.plot(lead, twice, "--", label="probabilities into cross_entropy")
plt.xlabel("logit of the right class minus the other")
plt.ylabel("loss")
plt.legend()
plt.show()
