# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import copy

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn

FAULTS = (
    "none",
    "rate 1e-5",
    "rate 12",
    "bias -20",
    "zero weights",
    "softmax in the model",
    "optimizer has a copy",
    "first layer frozen",
    "labels shuffled",
)


def train(fault: str, seed: int = 0) -> tuple[list[float], dict[str, str]]:
    """The loss of 300 steps of SGD on four classes, and what the checks show."""
    torch.manual_seed(seed)
    x = torch.randn(1024, 20)
    y = (x[:, :2].sum(dim=1) > 0) + 2 * (x[:, 2] > 0)
    if fault == "labels shuffled":
        y = y[torch.randperm(1024)]
    model = nn.Sequential(nn.Linear(20, 8), nn.ReLU(), nn.Linear(8, 4))
    first = model[0]
    if fault == "bias -20":
        nn.init.constant_(first.bias, -20)
    if fault == "zero weights":
        for parameter in model.parameters():
            nn.init.zeros_(parameter)
    if fault == "softmax in the model":
        model.append(nn.Softmax(dim=1))
    if fault == "first layer frozen":
        first.requires_grad_(False)
    trained = copy.deepcopy(model) if fault == "optimizer has a copy" else model
    rate = float(fault.removeprefix("rate ")) if "rate" in fault else 0.3
    optimizer = torch.optim.SGD(trained.parameters(), lr=rate)
    losses, seen = [], {}
    for _ in range(300):
        rows = torch.randint(1024, (128,))
        output = model(x[rows])
        loss = F.cross_entropy(output, y[rows])
        optimizer.zero_grad()
        loss.backward()
        before = first.weight.detach().clone()
        optimizer.step()
        losses.append(loss.item())
        if not seen:
            gradient = first.weight.grad
            change = (first.weight.detach() - before).norm() / before.norm()
            ones = torch.allclose(output.sum(dim=1), torch.ones(128))
            size = f"{change:.0e}" if change > 0 else "0"
            some = None if gradient is None else gradient.any()
            seen = {
                "gradient": "None" if some is None else "yes" if some else "0",
                "update": size,
                "rows add to 1": "yes" if ones else "no",
            }
    seen["active at the end"] = f"{first(x).gt(0).float().mean():.1f}"
    return losses, seen


if __name__ == "__main__":
    shown = {
        "none": "-",
        "softmax in the model": "--",
        "labels shuffled": "-.",
        "optimizer has a copy": ":",
    }
    print(
        "                                     step 1:               rows     active"
    )
    print(
        "fault                        loss  gradient  update  add to 1  at the end"
    )
    for fault in FAULTS:
        losses, seen = train(fault)
        last = sum(losses[-50:]) / 50
        verdict = "falls" if last < 0.3 else "stops" if last < 1.35 else "flat"
        verdict = "rises" if last > 1.5 else verdict
        print(f"{fault:20}{verdict:>13}", *(f"{v:>9}" for v in seen.values()))
        if fault in shown:
            blocks = torch.tensor(losses).view(-1, 10).mean(dim=1)
            plt.plot(range(5, 300, 10), blocks, shown[fault], label=fault)
    plt.xlabel("step")
    plt.ylabel("training loss")
    plt.legend(loc="lower right", bbox_to_anchor=(1, 0.08))
    plt.show()
