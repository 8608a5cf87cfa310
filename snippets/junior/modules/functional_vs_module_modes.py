import torch
import torch.nn.functional as F
from torch import nn


class Dropped(nn.Module):
    """Four ways to write dropout with p=0.5; each keeps the shape of x."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "self.dropout(x)": self.dropout(x),
            "nn.Dropout(0.5)(x)": nn.Dropout(0.5)(x),
            "F.dropout(x, 0.5)": F.dropout(x, 0.5),
            "F.dropout(x, 0.5, self.training)": F.dropout(x, 0.5, self.training),
        }


if __name__ == "__main__":
    torch.manual_seed(0)
    linear, x = nn.Linear(4, 3), torch.randn(2, 4)
    print(
        "F.linear equals nn.Linear:",
        torch.equal(F.linear(x, linear.weight, linear.bias), linear(x)),
    )

    model, ones = Dropped(), torch.ones(10_000)
    training = model.train()(ones)
    evaluation = model.eval()(ones)
    print(f"\n{'share of zeros':33} train   eval")
    for name in training:
        shares = [(y[name] == 0).float().mean() for y in (training, evaluation)]
        print(f"{name:33} {shares[0]:5.2f}  {shares[1]:5.2f}")
