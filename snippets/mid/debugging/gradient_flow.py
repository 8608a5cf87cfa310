# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn


def report(model: nn.Module) -> dict[str, str | float]:
    """Per parameter: "frozen", "None", "zero", "not finite", or the norm of .grad.

    Call it after ``zero_grad()`` and one ``backward()``, and before ``step()``.
    """
    found: dict[str, str | float] = {}
    for name, parameter in model.named_parameters():
        gradient = parameter.grad
        if not parameter.requires_grad:
            found[name] = "frozen"
        elif gradient is None:
            found[name] = "None"
        else:
            if gradient.is_sparse:
                gradient = gradient.coalesce().values()
            if not gradient.isfinite().all():
                found[name] = "not finite"
            else:
                norm = gradient.abs().double().norm().item()
                found[name] = norm if gradient.any() else "zero"
    return found


class Net(nn.Module):
    """Five layers that look alike; x and the result have shape (N, 8)."""

    def __init__(self, broken: bool) -> None:
        super().__init__()
        self.broken = broken
        for name in ("embed", "gate", "body", "extra", "head"):
            setattr(self, name, nn.Linear(8, 8))
        if broken:
            self.embed.requires_grad_(False)
            nn.init.constant_(self.body.bias, -100)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.embed(x)
        if self.broken:
            gate = (self.gate(h) > 0).float()
            return self.head(gate * h + self.body(h).relu())
        gate = self.gate(h).sigmoid()
        return self.head(self.extra(gate * h + self.body(h).relu()))


if __name__ == "__main__":
    print("layer  broken  healthy")
    columns = []
    for shift, broken in ((0.2, True), (-0.2, False)):
        torch.manual_seed(0)
        model = Net(broken)
        model(torch.randn(32, 8)).square().mean().backward()
        found = {
            n.split(".")[0]: v for n, v in report(model).items() if "weight" in n
        }
        columns.append(
            [v if isinstance(v, str) else "flows" for v in found.values()]
        )
        rows = [row + shift for row in range(5)]
        norms = [0 if isinstance(v, str) else v for v in found.values()]
        plt.barh(rows, norms, 0.38, label="broken" if broken else "healthy")
        for row, text in zip(rows, columns[-1]):
            plt.text(0.005, row, "" if text == "flows" else text, va="center")
    for layer, *texts in zip(found, *columns):
        print("{:7}{:8}{}".format(layer, *texts))
    plt.yticks(range(5), list(found))
    plt.gca().invert_yaxis()
    plt.xlabel("norm of the weight's gradient")
    plt.legend()
    plt.show()
