import torch
from torch import nn


class Center(nn.Module):
    """Subtracts a running mean: float (N, D) to (N, D)."""

    def __init__(self, features: int, detach: bool) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.detach = detach

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            batch = x.detach() if self.detach else x
            self.mean = 0.9 * self.mean + 0.1 * batch.mean(dim=0)
        return x - self.mean


if __name__ == "__main__":
    for detach in (True, False):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(2, 2), Center(2, detach))
        print(f"detach={detach}")
        try:
            for step in range(1, 4):
                model(torch.randn(8, 2)).square().mean().backward()
                mean = model[1].mean.requires_grad
                kept = "1.mean" in model.state_dict()
                print(
                    f"  step {step}  a buffer: {kept}  mean requires grad: {mean}"
                )
        except RuntimeError as error:
            message = str(error).split(" (")[0]
            print(f"  step {step}  RuntimeError: {message}")
