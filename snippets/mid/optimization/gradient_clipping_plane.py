# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

RAW = [(3.0, 0.4), (2.4, 1.6), (-0.6, 2.5), (-2.6, 1.8), (-0.4, -0.5)]

circle = torch.linspace(0, 2 * torch.pi, 49)
plt.figure(figsize=(5, 3.2))
plt.plot(circle.cos(), circle.sin(), ":", color="gray")
plt.plot([1, 1, -1, -1, 1], [-1, 1, 1, -1, -1], "--", color="gray")
for raw in RAW:
    ends = []
    for clip in (clip_grad_norm_, clip_grad_value_):
        w = torch.zeros(2, requires_grad=True)
        w.grad = torch.tensor(raw)
        clip([w], 1.0)
        ends.append(w.grad.tolist())
    (xn, yn), (xv, yv) = ends
    print(f"{raw}: by norm ({xn:.2f}, {yn:.2f}), by value ({xv:.2f}, {yv:.2f})")
    plt.plot([0, raw[0]], [0, raw[1]], color="lightgray")
    plt.plot(*raw, "ko", label="gradient" if raw is RAW[0] else None)
    plt.plot(xn, yn, "C0s", label="clipped by norm" if raw is RAW[0] else None)
    plt.plot(xv, yv, "C1^", label="clipped by value" if raw is RAW[0] else None)
plt.axis("equal")
plt.xlabel("gradient of the first weight")
plt.ylabel("gradient of the second weight")
plt.legend(loc="lower right")
plt.show()
