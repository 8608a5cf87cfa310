import torch
import torch.nn.functional as F
from torch import nn


class Dropout(nn.Module):
    """Dropout that multiplies by ``train_scale`` in train mode and by ``eval_scale`` in eval mode."""

    def __init__(self, p: float, train_scale: float, eval_scale: float) -> None:
        super().__init__()
        self.p, self.train_scale, self.eval_scale = p, train_scale, eval_scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            return x * (torch.rand_like(x) >= self.p) * self.train_scale
        return x * self.eval_scale


def label(x: torch.Tensor) -> torch.Tensor:
    """Three classes, with noise."""
    return (x[:, :3] + torch.randn(len(x), 3)).argmax(dim=1)


def evaluate(
    train_scale: float, eval_scale: float, p: float = 0.8, steps: int = 150
) -> tuple[float, float, float]:
    """Train with the given scales: (loss, accuracy, mean confidence) on held-out data in eval mode."""
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(8, 64),
        nn.ReLU(),
        Dropout(p, train_scale, eval_scale),
        nn.Linear(64, 3),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for x in torch.randn(steps, 64, 8):
        optimizer.zero_grad()
        F.cross_entropy(model(x), label(x)).backward()
        optimizer.step()
    x = torch.randn(4000, 8)
    y = label(x)
    logits = model.eval()(x)
    accuracy = (logits.argmax(1) == y).float().mean().item()
    return (
        F.cross_entropy(logits, y).item(),
        accuracy,
        logits.softmax(1).amax(1).mean().item(),
    )


if __name__ == "__main__":
    print("train scale  eval scale    loss  accuracy  confidence")
    for train_scale, eval_scale in ((5.0, 1.0), (1.0, 0.2), (1.0, 1.0), (5.0, 0.2)):
        loss, accuracy, confidence = evaluate(train_scale, eval_scale)
        print(
            f"{train_scale:11} {eval_scale:11} {loss:7.4f} {accuracy:9.3f} {confidence:11.4f}"
        )
