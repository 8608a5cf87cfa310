# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def estimates(gap):
    return {"k1": -gap, "k2": gap**2 / 2, "k3": gap.expm1() - gap}


for rare in (0.4, 0.1, 0.001):
    p, ref = torch.tensor([[1 - rare, rare], [0.5, 0.5]]).double()
    print(f"P(second token) {rare:<5}", end="")
    for name, k in estimates((ref / p).log()).items():
        mean = (p * k).sum()
        std = (p * (k - mean) ** 2).sum().sqrt()
        print(f"  {name} {mean:5.2f} +- {std:5.2f}", end="")
    print()

gap = torch.linspace(-3, 3, 121)
figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
for (name, k), style in zip(estimates(gap).items(), ("--", "-.", "-")):
    axes.plot(gap, k, style, label=name)
axes.set_ylim(-3.5, 12)
axes.set_xlabel("log(reference / policy)")
axes.set_ylabel("estimate of one sample")
axes.legend()
plt.show()
