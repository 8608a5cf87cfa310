import torch
from torch import nn


class Center(nn.Module):
    """Subtracts a running mean: float (N, D) to (N, D)."""

    def __init__(self, features: int, detach: bool) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.detach = detach

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch = x.detach() if self.detach else x
        self.mean = 0.9 * self.mean + 0.1 * batch.mean(dim=0)
        return x - self.mean


if __name__ == "__main__":
    for detach in (True, False):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(2, 2), Center(2, detach))
        try:
            for step in range(1, 4):
                model(torch.randn(8, 2)).square().mean().backward()
                mean = model[1].mean
                print(
                    f"detach={detach!s:5}  step {step}  a buffer: {'1.mean' in model.state_dict()}  "
                    f"mean requires grad: {mean.requires_grad}"
                )
        except RuntimeError as error:
            print(
                f"detach={detach!s:5}  step {step}  RuntimeError: {str(error).split('(')[0].strip()}"
            )
