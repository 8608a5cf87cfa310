"""Train a small language model, save it without what is there twice, load it."""

import io
import sys

import torch
import torch.nn.functional as F
from torch import nn

TOKENS, WIDTH, HIDDEN = 40, 32, 64
STEPS, BATCH = 200, 256


class LanguageModel(nn.Module):
    """The next token from the last one; the output layer is the embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(TOKENS, WIDTH)
        nn.init.normal_(self.embedding.weight, std=0.3)
        self.hidden = nn.Linear(WIDTH, HIDDEN)
        self.back = nn.Linear(HIDDEN, WIDTH)
        self.head = nn.Linear(WIDTH, TOKENS, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        return self.head(x + self.back(F.gelu(self.hidden(x))))


def save(model: nn.Module) -> bytes:
    state = model.state_dict()
    del state["head.weight"]
    torch.save(state, file := io.BytesIO())
    return file.getvalue()


def load(saved: bytes) -> LanguageModel:
    model = LanguageModel()
    state = torch.load(io.BytesIO(saved), weights_only=True)
    model.load_state_dict(state, strict=False)
    return model


def draw(count: int, chain: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens, and for each the one that the chain of probabilities has next."""
    tokens = torch.randint(TOKENS, (count,))
    return tokens, torch.multinomial(chain[tokens], 1).squeeze(1)


@torch.no_grad()
def evaluate(model: nn.Module, test: tuple) -> float:
    return F.cross_entropy(model(test[0]), test[1]).item()


def train(seed: int) -> dict:
    torch.manual_seed(seed)
    chain = (2.5 * torch.randn(TOKENS, TOKENS)).softmax(dim=1)
    test = draw(2000, chain)
    model = LanguageModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(STEPS):
        tokens, following = draw(BATCH, chain)
        loss = F.cross_entropy(model(tokens), following)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    loaded = load(save(model))
    before, after = evaluate(model, test), evaluate(loaded, test)
    end = {"before": before, "after": after, "model": model, "loaded": loaded}
    return {"losses": losses, **end}


if __name__ == "__main__":
    run = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    print(f"test loss before saving {run['before']:.2f}")
    print(f"test loss after loading {run['after']:.2f}")
    print("parameters", sum(p.numel() for p in run["model"].parameters()))
