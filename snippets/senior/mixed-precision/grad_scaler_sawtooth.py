# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=3)
scales, skipped = [], []
for step in range(70):
    true_gradient = 1.0 if step < 35 else 1 / 64
    with torch.autocast("cpu", dtype=torch.float16):
        output = model(torch.ones(1, 1))
    scaler.scale(true_gradient * output.float().sum()).backward()
    scales.append(scaler.get_scale())
    scaler.step(optimizer)
    scaler.update()
    if scaler.get_scale() < scales[-1]:
        skipped.append(step)
    optimizer.zero_grad()

print("skipped steps:", *skipped)
plt.step(range(70), scales, where="mid", label="scale")
plt.plot(skipped, [scales[i] for i in skipped], "x", label="skipped step")
largest = [65504.0] * 35 + [65504.0 * 64] * 35
plt.plot(largest, "--", label="65504 / gradient")
plt.yscale("log", base=2)
plt.xlabel("step")
plt.ylabel("scale")
plt.legend()
plt.show()
