"""Fine-tune a pretrained encoder on eight classes."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, CLASSES = 64, 8
STEPS, BATCH, WARMUP = 300, 64, 20


class Classifier(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(16, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH), nn.GELU()
        )
        self.head = nn.Linear(WIDTH, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x))


def load_pretrained() -> Classifier:
    torch.manual_seed(1234)  # stands for the file of a model of 100 classes
    return Classifier(100)


def replace_head(model: Classifier, classes: int) -> None:
    model.head = nn.Linear(WIDTH, classes)
    nn.init.zeros_(model.head.weight)
    nn.init.zeros_(model.head.bias)


def draw(count: int, centers: torch.Tensor) -> tuple:
    y = torch.randint(CLASSES, (count,))
    return centers[y] + 0.6 * torch.randn(count, 16), y


@torch.no_grad()
def evaluate(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> tuple:
    output = model(x)
    right = (output.argmax(dim=-1) == y).float().mean()
    return F.cross_entropy(output, y).item(), right.item()


def train(seed: int, lr: float = 3e-3) -> dict:
    model = load_pretrained()
    torch.manual_seed(seed)
    centers = torch.randn(CLASSES, 16)
    x_test, y_test = draw(1000, centers)
    replace_head(model, CLASSES)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
    losses, norms = [], []
    for step in range(1, STEPS + 1):
        for group in optimizer.param_groups:
            group["lr"] = lr * min(1.0, step / WARMUP)
        x, y = draw(BATCH, centers)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        norms.append(norm.item())
    test_loss, accuracy = evaluate(model, x_test, y_test)
    end = {"test_loss": test_loss, "accuracy": accuracy, "model": model}
    return {"losses": losses, "norms": norms, **end}


if __name__ == "__main__":
    run = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for step in (1, 50, 100, 200, 300):
        print(f"step {step:3}: loss {run['losses'][step - 1]:.4f}", end=", ")
        print(f"gradient norm {run['norms'][step - 1]:.2f}")
    print(f"test: loss {run['test_loss']:.4f}, accuracy {run['accuracy']:.2f}")
