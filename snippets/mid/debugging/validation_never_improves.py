import torch
import torch.nn.functional as F
from torch import nn

FAULTS = ("none", "train mode", "labels shuffled", "other normalization",
          "labels of other rows", "leak")  # fmt: skip


def accuracies(fault: str, seed: int = 0) -> dict[str, float]:
    """Train on 600 samples. Accuracy on them, on a slice held out, on validation.

    All three are measured with the code that validates.
    """
    torch.manual_seed(seed)
    x = 3 * torch.randn(1200, 20) + 5
    y = (x[:, 0] > 5).long()
    inputs = (x - 5) / 3
    if fault == "labels shuffled":
        y[:900] = y[torch.randperm(900)]
    train, held_out, validation = torch.arange(1200).split((600, 300, 300))
    model = nn.Sequential(
        nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 2)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    rows = torch.cat((train, validation)) if fault == "leak" else train
    for _ in range(100):
        loss = F.cross_entropy(model(inputs[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.train(fault == "train mode")
    if fault == "other normalization":
        inputs[validation] = x[validation] / 255
    if fault == "labels of other rows":
        y[validation] = y[validation.flip(0)]
    found = {"last loss": loss.item()}
    parts = {"train": train, "held out": held_out, "validation": validation}
    for name, part in parts.items():
        part = part[y[part].argsort()]  # files are sorted by class, not shuffled
        with torch.no_grad():
            logits = torch.cat([model(batch) for batch in inputs[part].split(30)])
        found[name] = (logits.argmax(dim=1) == y[part]).float().mean().item()
    return found


if __name__ == "__main__":
    print("fault                 train   held out   validation")
    for fault in FAULTS:
        found = accuracies(fault)
        words = ["high" if found[n] > 0.8 else "low" for n in list(found)[1:]]
        print("{:20}{:>7}{:>11}{:>13}".format(fault, *words))
