import torch
from torch import nn


def predict(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Predictions of a model in train mode: float32, from (N, 4) to (N, 2)."""
    model.eval()
    with torch.no_grad():
        output = model(x)
    model.train()
    return output


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.5), nn.Linear(16, 2))
    print("                grad mode  dropout active")
    print(f"before          {torch.is_grad_enabled()!s:10} {model[1].training}")
    predict(model, torch.randn(8, 4))
    print(f"a good batch    {torch.is_grad_enabled()!s:10} {model[1].training}")
    try:
        predict(model, torch.randn(8, 5))
    except RuntimeError as error:
        print(f"RuntimeError: {error}")
    print(f"after a bad one {torch.is_grad_enabled()!s:10} {model[1].training}")
