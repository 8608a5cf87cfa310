# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

logits = torch.tensor([1.0, 2.0, 3.0])
y = torch.tensor([0.0, 1.0, 0.0])
p = torch.softmax(logits, dim=0)
print("p - y:", [round(value, 2) for value in (p - y).tolist()])

_, panels = plt.subplots(1, 3, sharey=True)
bars = {"p": p, "y": y, "p - y": p - y}
for panel, (name, heights) in zip(panels, bars.items(), strict=True):
    panel.bar(range(3), heights.tolist())
    panel.set_title(name)
    panel.set_xticks(range(3))
panels[0].set_ylabel("probability or gradient")
panels[1].set_xlabel("class, 1 is right")
plt.show()
