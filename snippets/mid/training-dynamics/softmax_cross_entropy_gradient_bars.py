# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

logits = torch.tensor([1.0, 2.0, 3.0, 0.0])
y = torch.tensor([0.0, 1.0, 0.0, 0.0])
p = torch.softmax(logits, dim=0)
print("p - y:", [round(value, 2) for value in (p - y).tolist()])

bars = (("p", p, ""), ("y", y, "//"), ("p - y, the gradient", p - y, ".."))
for shift, (label, heights, hatch) in enumerate(bars, start=-1):
    places = [k + 0.27 * shift for k in range(4)]
    plt.bar(places, heights.tolist(), width=0.25, label=label, hatch=hatch)
plt.xticks(range(4), ["class 0", "class 1, right", "class 2", "class 3"])
plt.ylabel("probability or gradient")
plt.legend()
plt.show()
