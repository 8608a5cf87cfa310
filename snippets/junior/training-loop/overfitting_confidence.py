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


def two_clouds(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Overlapping classes: float32 points (count, 10), int64 labels (count,)."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.arange(count) % 2
    return torch.randn(count, 10, generator=generator) + 0.6 * y.unsqueeze(1), y


def fit(steps: int, seed: int = 1) -> tuple[float, float, float, float]:
    """Train on 200 points.

    Returns:
        Training loss, and held-out loss, accuracy and mean confidence.
    """
    (x, y), (held_out_x, held_out_y) = (
        two_clouds(200, seed),
        two_clouds(1000, seed=0),
    )
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.inference_mode():
        logits = model(held_out_x)
    accuracy = (logits.argmax(dim=1) == held_out_y).float().mean().item()
    confidence = logits.softmax(dim=1).amax(dim=1).mean().item()
    return (
        loss.item(),
        F.cross_entropy(logits, held_out_y).item(),
        accuracy,
        confidence,
    )


if __name__ == "__main__":
    print("steps  training loss  held-out loss  accuracy  mean confidence")
    for steps in (10, 50, 100, 300):
        training, held_out, accuracy, confidence = fit(steps)
        print(
            f"{steps:5} {training:14.2f} {held_out:14.2f} {accuracy:9.2f}",
            f"{confidence:16.2f}",
        )
