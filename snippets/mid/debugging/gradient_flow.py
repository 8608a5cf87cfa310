# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn


def report(model: nn.Module) -> dict[str, str | float]:
    """Per parameter: "frozen", "None", "zero", "not finite", or the norm of .grad.

    Call it after ``backward()`` and before ``step()``.
    """
    found: dict[str, str | float] = {}
    for name, parameter in model.named_parameters():
        gradient = parameter.grad
        if not parameter.requires_grad:
            found[name] = "frozen"
        elif gradient is None:
            found[name] = "None"
        elif not gradient.isfinite().all():
            found[name] = "not finite"
        else:
            norm = gradient.norm().item()
            found[name] = norm if gradient.any() else "zero"
    return found


class Net(nn.Module):
    """Four layers that look alike; x and the result have shape (N, 8)."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("embed", "gate", "body", "extra", "head"):
            setattr(self, name, nn.Linear(8, 8))
        self.embed.requires_grad_(False)
        nn.init.constant_(self.body.bias, -100)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.embed(x)
        gate = (self.gate(h) > 0).float()
        return self.head(gate * h + self.body(h).relu())


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Net()
    model(torch.randn(32, 8)).square().mean().backward()
    found = report(model)
    weights = {n.split(".")[0]: v for n, v in found.items() if "weight" in n}
    for row, (layer, value) in enumerate(weights.items()):
        text = value if isinstance(value, str) else "flows"
        print(f"{layer:7}{text}")
        plt.barh(row, 0 if isinstance(value, str) else value, color="C0")
        plt.text(0.01, row, "" if text == "flows" else text, va="center")
    plt.yticks(range(len(weights)), list(weights))
    plt.gca().invert_yaxis()
    plt.xlabel("norm of the weight's gradient")
    plt.show()
