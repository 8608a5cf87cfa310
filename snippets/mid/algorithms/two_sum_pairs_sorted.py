# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

values = torch.tensor([0, 1, 1, 2, 4, 5, 5, 6, 9, 11, 12, 14])  # sorted
target, tolerance = 12, 1
low = torch.searchsorted(values, target - tolerance - values)
high = torch.searchsorted(values, target + tolerance - values, right=True)
for i in (0, 3, 5, 8):
    print(f"value {values[i]} at {i}: partners at {low[i]}:{high[i]}")

match = (values + values[:, None] - target).abs() <= tolerance
figure, axes = plt.subplots(figsize=(4.2, 3.6))
for name, cells, style in (
    ("no match", ~match.triu(diagonal=1), "C7."),
    ("sum within 12 ± 1", match, "C0s"),
):
    i, j = cells.triu(diagonal=1).nonzero().T
    axes.plot(j, i, style, label=name)
axes.set(xlabel="position j after sorting", ylabel="position i after sorting")
axes.invert_yaxis()
axes.legend(loc="lower left")
plt.show()
