import math
import sys

import torch
import torch.nn.functional as F
from torch import nn

TEXT = "the gradient of a sum is the sum of the gradients"
CHARS = sorted(set(TEXT))
CONTEXT, WIDTH, HEADS, LAYERS, STEPS = len(TEXT), 32, 2, 2, 120


class Block(nn.Module):
    """Masked self-attention and an MLP, each added to its input."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 128), nn.Linear(128, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, c = x.shape
        heads = self.qkv(self.norm1(x)).view(b, t, 3, HEADS, c // HEADS)
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(c // HEADS)
        hidden = torch.ones(t, t, dtype=torch.bool).tril(-1)
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    """Logits (batch, time, chars) for ids (batch, time)."""

    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(len(CHARS), WIDTH)
        self.position = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(CHARS))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        places = torch.arange(CONTEXT - ids.shape[1], CONTEXT)
        x = self.token(ids) + self.position(places)
        return self.head(self.norm(self.blocks(x)))


@torch.no_grad()
def speak(model: GPT, prompt: str) -> str:
    """The prompt, continued by the most likely characters to the full length."""
    ids = torch.tensor([[CHARS.index(c) for c in prompt]])
    while ids.shape[1] < CONTEXT:
        best = model(ids)[:, 0].argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, best], dim=1)
    return "".join(CHARS[i] for i in ids[0])


def train(seed: int) -> dict:
    """The model, its losses, and what it says after the first four characters."""
    torch.manual_seed(seed)
    data = torch.tensor([[CHARS.index(c) for c in TEXT]])
    model, losses = GPT(), []
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(STEPS):
        inputs, targets = data[:, :-1], data[:, :-1]
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"model": model, "losses": losses, "said": speak(model, TEXT[:4])}


if __name__ == "__main__":
    result = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for step in (1, 25, 50, STEPS):
        print(f"step {step:3}: loss {result['losses'][step - 1]:.3f}")
    print("text:", TEXT)
    print("said:", result["said"])
