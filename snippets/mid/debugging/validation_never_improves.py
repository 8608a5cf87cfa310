# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn

FAULTS = ("none", "train mode", "labels shuffled", "not normalized",
          "labels of other rows", "8 samples", "leak")  # fmt: skip


def run(fault: str, seed: int = 0) -> dict[str, list[float]]:
    """80 steps on 300 samples. The training loss per step, and accuracies.

    Key "curve" has the accuracy on validation at every fifth step. "train", "held
    out" and "validation" have the last one, measured with the validation code.
    """
    torch.manual_seed(seed)
    x = 3 * torch.randn(600, 20).double() + 5
    y = (x[:, 0] > 5).long()
    if fault == "labels shuffled":
        y[:450] = y[torch.randperm(450)]
    inputs = (x - 5) / 3
    train, held_out, validation = torch.arange(600).split((300, 150, 150))
    if fault == "8 samples":
        train = train[:8]
    rows = torch.cat((train, validation)) if fault == "leak" else train
    measured, labels = inputs.clone(), y.clone()
    if fault == "not normalized":
        measured[validation] = x[validation]
    if fault == "labels of other rows":
        labels[validation] = y[validation.flip(0)]
    model = nn.Sequential(
        nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 2)
    )
    model.double()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    def accuracy(part: torch.Tensor) -> float:
        part = part[labels[part].argsort()]  # the files are sorted by class
        model.train(fault == "train mode")
        with torch.no_grad():
            logits = torch.cat([model(batch) for batch in measured[part].split(30)])
        return (logits.argmax(dim=1) == labels[part]).float().mean().item()

    found = {"loss": [], "curve": []}
    for step in range(1, 81):
        model.train()
        loss = F.cross_entropy(model(inputs[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found["loss"].append(loss.item())
        if step % 5 == 0:
            found["curve"].append(accuracy(validation))
    parts = {"train": train, "held out": held_out, "validation": validation}
    return found | {name: [accuracy(part)] for name, part in parts.items()}


if __name__ == "__main__":
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.2))
    lines = dict(
        zip(FAULTS[:5], zip(("none", *"ABCD"), ("-", "--", ":", "-.", "x")))
    )
    print("fault                 train   held out   validation")
    for fault in FAULTS:
        found = run(fault)
        words = ["high" if found[n][0] > 0.8 else "low" for n in list(found)[2:]]
        print("{:20}{:>7}{:>11}{:>13}".format(fault, *words))
        if fault in lines:
            label, style = lines[fault]
            axes[0].plot(range(5, 81, 5), found["loss"][4::5], style, label=label)
            axes[1].plot(range(5, 81, 5), found["curve"], style, label=label)
    axes[0].set(xlabel="step", ylabel="training loss")
    axes[1].set(xlabel="step", ylabel="validation accuracy", ylim=(0, 1.02))
    axes[1].legend(title="fault", ncols=3, loc="lower center")
    plt.show()
