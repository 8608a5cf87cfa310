# /// script
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.02
# ///
import torch
import torch.nn.functional as F
from torch import nn


def train(steps: int = 100) -> nn.Module:
    """A trained classifier with batch norm and without dropout."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for x in torch.randn(steps, 64, 8):
        optimizer.zero_grad()
        F.cross_entropy(model(x), label(x)).backward()
        optimizer.step()
    return model


def label(x: torch.Tensor) -> torch.Tensor:
    return (x.sum(dim=1) > 0).long()


@torch.no_grad()
def accuracy(model: nn.Module, x: torch.Tensor, batch_size: int = 50) -> float:
    """Share of right answers in the mode that the model is in; x float32 (N, 8)."""
    hits = sum(
        (model(part).argmax(dim=1) == label(part)).sum().item()
        for part in x.split(batch_size)
    )
    return hits / len(x)


def report(name: str, model: nn.Module, x: torch.Tensor) -> None:
    """Print the accuracy twice: nothing in this model is random."""
    print(f"{name:16} {accuracy(model, x):.3f}    {accuracy(model, x):.3f}")


if __name__ == "__main__":
    model = train()
    x = torch.randn(1000, 8)
    held_out = x[label(x).argsort()]  # sorted by class, as files in folders are

    print("validated        reported  again")
    report("with eval()", model.eval(), held_out)
    saved = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    report("without eval()", model.train(), held_out)
    now = model.state_dict()
    print(
        "changed by that:", [k for k in saved if not torch.equal(saved[k], now[k])]
    )
    report("with eval()", model.eval(), held_out)
