# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def dropped(x: torch.Tensor, p: float) -> torch.Tensor:
    return x * (torch.rand_like(x) >= p) / (1 - p)


torch.manual_seed(0)
figure, (left, right) = plt.subplots(1, 2, width_ratios=(3, 4))
mask = dropped(torch.ones(12, 12), 0.5)
for chosen, style in ((mask > 0, "s"), (mask == 0, "x")):
    row, unit = chosen.nonzero().T
    left.plot(unit, row, style, markersize=3)
left.set_xlabel("unit")
left.set_ylabel("sample")
left.set_title("p = 0.5, squares are kept", fontsize=10)

rates = torch.arange(0, 19) * 0.05
outputs = [dropped(torch.ones(400_000), p) for p in rates.tolist()]
right.plot(rates, [y.mean().item() for y in outputs], label="mean")
right.plot(rates, [y.std().item() for y in outputs], label="standard deviation")
right.set_xlabel("p, input all ones")
right.set_ylabel("output in train mode")
right.legend()
print(f"p = 0.5: mean {outputs[10].mean():.2f}, spread {outputs[10].std():.2f}")
plt.show()
