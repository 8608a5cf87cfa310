import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import nn


class Encoder(nn.Module):
    """Self-attention, float32 (N, T, 8) to (N, T, 8); ``heads`` must divide 8."""

    def __init__(self, heads: int, dropout: float) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            8, heads, dim_feedforward=16, dropout=dropout, batch_first=True
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


def save(model: nn.Module, config: dict[str, Any], path: Path) -> None:
    """Write the weights of a model and all arguments that it was built with.

    Args:
        model: float32, as ``load`` builds it; not compiled and not wrapped in DDP,
            whose names differ.
        config: plain values: numbers, strings, lists, dicts.
        path: the file, replaced if it exists.
    """
    torch.save({"config": config, "model": model.state_dict()}, path)


def load(path: Path) -> Encoder:
    """Build the model of a file that ``save`` wrote, in eval mode, on the CPU.

    Raises:
        RuntimeError: the weights do not fit the model.
        pickle.UnpicklingError: the file holds more than tensors and plain values.
    """
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    model = Encoder(**checkpoint["config"])
    model.load_state_dict(checkpoint["model"])
    return model.eval()


if __name__ == "__main__":
    torch.manual_seed(0)
    config = {"heads": 2, "dropout": 0.1}
    trained = Encoder(**config).eval()
    x = torch.randn(1, 5, 8)
    expected = trained(x)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.pt")
        save(trained, config, path)
        restored = {"load()": load(path)}
        weights = torch.load(path)["model"]
    for name, heads in (
        ("the same weights, no eval()", 2),
        ("the same weights, 4 heads, eval()", 4),
    ):
        restored[name] = Encoder(heads, dropout=0.1)
        restored[name].load_state_dict(weights)
    restored["the same weights, 4 heads, eval()"].eval()
    for name, model in restored.items():
        pairs = zip(model.state_dict().values(), trained.state_dict().values())
        same = all(torch.equal(a, b) for a, b in pairs)
        difference = (model(x) - expected).abs().max().item()
        print(
            f"{name:34} weights equal: {same}, outputs differ by {difference:.4f}"
        )
