"""Which of two signals does a sequence hold? Attention, then a GRU."""

import sys
import textwrap

import torch
import torch.nn.functional as F
from torch import nn

TIME, WIDTH, TOKENS, STEPS = 10, 16, 12, 60
PAD, SIGNALS = 0, torch.tensor([1, 2])


def draw(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Sequences of four to ten tokens, padded, and the signal that each holds."""
    tokens = torch.randint(3, TOKENS, (count, TIME))
    length = torch.randint(4, TIME + 1, (count, 1))
    tokens = tokens.masked_fill(torch.arange(TIME) >= length, PAD)
    label = torch.randint(2, (count,))
    tokens[torch.arange(count), torch.randint(4, (count,))] = SIGNALS[label]
    return tokens, label


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(TOKENS, WIDTH)
        self.query, self.key = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.mix = nn.GRU(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, 2)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        b, t = tokens.shape
        x = self.token(tokens)
        scores = self.query(x) @ self.key(x).transpose(1, 2) / WIDTH**0.5
        bias = torch.zeros(b, t).masked_fill(tokens == PAD, -1e9)
        x = x + (scores + bias[:, None, :]).softmax(dim=-1) @ self.value(x)
        states, _ = self.mix(x.transpose(0, 1))
        return self.out(states.mean(dim=0))


@torch.no_grad()
def evaluate(
    model: nn.Module, x: torch.Tensor, y: torch.Tensor, batch: int
) -> float:
    right = 0
    for x_batch, y_batch in zip(x.split(batch), y.split(batch)):
        right += (model(x_batch).argmax(dim=1) == y_batch).sum().item()
    return right / len(x)


def train(seed: int, batch: int, lr: float = 1e-2) -> dict:
    torch.manual_seed(seed)
    model = Classifier()
    x, y = draw(STEPS * batch)
    x_test, y_test = draw(200)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for x_batch, y_batch in zip(x.split(batch), y.split(batch)):
        loss = F.cross_entropy(model(x_batch), y_batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    accuracy = evaluate(model, x_test, y_test, batch)
    return {"losses": losses, "accuracy": accuracy, "model": model}


if __name__ == "__main__":
    for batch in (1, 4, 10):
        try:
            run = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0, batch)
            print(f"batch size {batch:2}: accuracy {run['accuracy']:.2f}")
        except RuntimeError as error:
            text = f"batch size {batch:2}: RuntimeError: {error}"
            print(*textwrap.wrap(text, 80), sep="\n  ")
