# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.05
# ///
import torch
import torch.nn.functional as F
from torch import nn


class Dropout(nn.Module):
    """Multiplies by one scale in train mode, by another in eval mode."""

    def __init__(self, p: float, train_scale: float, eval_scale: float) -> None:
        super().__init__()
        self.p, self.train_scale, self.eval_scale = p, train_scale, eval_scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            return x * (torch.rand_like(x) >= self.p) * self.train_scale
        return x * self.eval_scale


def outside(x: torch.Tensor) -> torch.Tensor:
    """Two classes: outside of a circle or inside."""
    return (x.norm(dim=1) > 1.2).long()


def evaluate(
    hidden: int,
    train_scale: float,
    eval_scale: float,
    p: float = 0.5,
    seed: int = 0,
) -> tuple[float, float, float]:
    """Loss, accuracy and mean confidence on held-out data, after 200 steps."""
    torch.manual_seed(seed)
    layers, width = [], 2
    for _ in range(hidden):
        layers += [
            nn.Linear(width, 64),
            nn.ReLU(),
            Dropout(p, train_scale, eval_scale),
        ]
        width = 64
    model = nn.Sequential(*layers, nn.Linear(width, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for x in torch.randn(200, 64, 2):
        optimizer.zero_grad()
        F.cross_entropy(model(x), outside(x)).backward()
        optimizer.step()
    x = torch.randn(4000, 2)
    logits, y = model.eval()(x), outside(x)
    accuracy = (logits.argmax(1) == y).float().mean().item()
    confidence = logits.softmax(1).amax(1).mean().item()
    return F.cross_entropy(logits, y).item(), accuracy, confidence


SCALES = {
    "in training": (2.0, 1.0),
    "at test time": (1.0, 0.5),
    "nowhere": (1.0, 1.0),
    "both": (2.0, 0.5),
}

if __name__ == "__main__":
    print("dropout layers  scaled        accuracy  confidence")
    for hidden in (1, 3):
        for name, scales in SCALES.items():
            _, accuracy, confidence = evaluate(hidden, *scales)
            print(f"{hidden:14}  {name:12} {accuracy:9.2f} {confidence:11.2f}")
