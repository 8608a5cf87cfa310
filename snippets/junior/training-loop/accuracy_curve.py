# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
pixels, digits = load_digits(return_X_y=True)
x = torch.tensor(pixels, dtype=torch.float32) / 16
y = torch.tensor(digits) == 8
train, test = torch.randperm(len(x)).split([1200, 597])
model = nn.Linear(64, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses, accuracies = [], []
for _ in range(1001):
    logits = model(x).squeeze(1)
    loss = F.binary_cross_entropy_with_logits(logits[train], y[train].float())
    losses.append(loss.item())
    accuracies.append(((logits > 0) == y)[test].float().mean().item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"step  10: loss {losses[10]:.2f}, accuracy {accuracies[10]:.3f}")
print(f"step 300: loss {losses[300]:.2f}, accuracy {accuracies[300]:.3f}")
steps = range(10, 1001, 10)
plt.plot(steps, accuracies[10::10], label="test accuracy")
plt.plot(steps, losses[10::10], "--", label="training loss")
plt.xlabel("step")
plt.ylabel("accuracy, loss")
plt.ylim(0, 1)
plt.legend()
plt.show()
