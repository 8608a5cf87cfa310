import torch
import torch.nn.functional as F
from torch import nn

USER, BOT, END, V = 10, 11, 12, 13  # digits are 0 to 9


class Model(nn.Module):
    """Next-token logits (N, T, V) from everything before, in fixed positions."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.embed = nn.Embedding(V, width)
        self.place = nn.Parameter(torch.randn(24, width) * 0.5)
        self.block = nn.TransformerEncoderLayer(
            width, 2, 64, 0.0, batch_first=True, norm_first=True
        )
        self.head = nn.Linear(width, V)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        t = tokens.shape[1]
        hidden = torch.ones(t, t).triu(1).bool()
        x = self.embed(tokens) + self.place[:t]
        return self.head(self.block(x, src_mask=hidden))


def conversations(n: int) -> torch.Tensor:
    """user a b, assistant b a, end."""
    digits, one = torch.randint(10, (n, 2)), torch.ones(n, 1, dtype=torch.long)
    return torch.cat([one * USER, digits, one * BOT, digits.flip(1), one * END], 1)


MASKS = {  # the positions whose labels become -100
    "answer and end": slice(0, 4),
    "all tokens": slice(0, 0),
    "no end token": [0, 1, 2, 3, 6],
    "one too far": slice(0, 5),
}


def train(ignored, steps: int = 80, seed: int = 0) -> tuple:
    torch.manual_seed(seed)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(steps):
        tokens = conversations(32)
        labels = tokens.clone()
        labels[:, ignored] = -100
        logits = model(tokens)[:, :-1]
        loss = F.cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    tokens = conversations(200)
    text = tokens[:, :4]
    with torch.no_grad():
        for _ in range(8):
            text = torch.cat([text, model(text)[:, -1:].argmax(-1)], 1)
    right = (text[:, 4:6] == tokens[:, 4:6]).float().mean(0).tolist()
    return loss.item(), right, (text[:, 6] == END).float().mean().item()


if __name__ == "__main__":
    torch.set_num_threads(1)  # the tensors are small
    print("labels          loss  first digit  second digit  stops")
    for name, ignored in MASKS.items():
        loss, (one, two), stops = train(ignored)
        good = (f"{share > 0.9!s:>12}" for share in (one, two, stops))
        print(f"{name:14} {loss:5.1f}", *good)
