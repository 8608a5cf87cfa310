import math
import sys

import torch
import torch.nn.functional as F
from torch import nn

VOCAB, LENGTH, BATCH, WIDTH, HEADS, STEPS = 8, 16, 32, 32, 2, 150


class Norm(nn.Module):
    """Normalizes (batch, time, width), then scales and shifts."""

    def __init__(self) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(WIDTH))
        self.bias = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        var, mean = torch.var_mean(x, dim=1, correction=0, keepdim=True)
        return (x - mean) / (var + 1e-5).sqrt() * self.gain + self.bias


class Block(nn.Module):
    """Causal self-attention and an MLP, each added to its input."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = Norm(), Norm()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, c = x.shape
        heads = self.qkv(self.norm1(x)).view(b, t, 3, HEADS, c // HEADS)
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(c // HEADS)
        allowed = torch.ones(t, t, dtype=torch.bool).tril(1)
        weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    """Logits (batch, time, VOCAB) of the next token, for ids (batch, time)."""

    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(VOCAB, WIDTH)
        self.position = nn.Parameter(0.1 * torch.randn(LENGTH, WIDTH))
        self.block, self.norm = Block(), Norm()
        self.head = nn.Linear(WIDTH, VOCAB)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.token(ids) + self.position[: ids.shape[1]]
        return self.head(self.norm(self.block(x)))


def train(seed: int, rate: float = 1e-2) -> dict:
    """The model and its losses: fresh uniform, independent tokens each step."""
    torch.manual_seed(seed)
    model, losses = Model(), []
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    for _ in range(STEPS):
        ids = torch.randint(VOCAB, (BATCH, LENGTH + 1))
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"model": model, "losses": losses}


if __name__ == "__main__":
    losses = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)["losses"]
    print(f"entropy of the tokens: ln {VOCAB} = {math.log(VOCAB):.4f}")
    for last in range(10, STEPS + 1, 35):
        mean = sum(losses[last - 10 : last]) / 10
        print(f"steps {last - 9:3} to {last:3}: mean loss {mean:.3f}")
