"""Classify documents: attention pooling beside the spread of each feature."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

WORDS, CLASSES, WIDTH = 300, 4, 32
STEPS, BATCH, CLIP = 100, 32, 1.0
PAD = 0


def read_documents() -> list[tuple[torch.Tensor, int]]:
    """The words of each document, as numbers from 1 on, and its class."""
    generator = torch.Generator().manual_seed(5269)
    lengths = torch.randint(8, (STEPS * BATCH, 4), generator=generator).sum(dim=1)
    labels = torch.arange(len(lengths)) % CLASSES
    label = labels.repeat_interleave(lengths)
    words = torch.randint(1, WORDS, label.shape, generator=generator)
    topical = torch.rand(label.shape, generator=generator) < 0.2
    words = torch.where(topical, 1 + 10 * label + words % 10, words)
    return list(zip(words.split(lengths.tolist()), labels.tolist()))


def collate(documents: list) -> tuple[torch.Tensor, torch.Tensor]:
    words, labels = zip(*documents)
    padded = nn.utils.rnn.pad_sequence(words, batch_first=True, padding_value=PAD)
    return padded, torch.tensor(labels)


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.word = nn.Embedding(WORDS, WIDTH)
        self.mix = nn.Linear(WIDTH, WIDTH)
        self.score = nn.Linear(WIDTH, 1)
        self.out = nn.Linear(2 * WIDTH, CLASSES)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        real = words != PAD
        h = F.gelu(self.mix(self.word(words)))
        scores = self.score(torch.tanh(h)).squeeze(-1)
        weights = scores.masked_fill(~real, -1e9).softmax(dim=1)
        pooled = (weights.unsqueeze(-1) * h).sum(dim=1)
        count = real.sum(dim=1, keepdim=True).clamp(min=1)
        kept = real.unsqueeze(-1)
        mean = (h * kept).sum(dim=1) / count
        centered = (h - mean.unsqueeze(1)) * kept
        spread = (centered.square().sum(dim=1) / count + 1e-6).sqrt()
        return self.out(torch.cat([pooled, spread], dim=1))


def train(seed: int, lr: float = 3e-3, clip: float = CLIP) -> dict:
    documents = read_documents()
    torch.manual_seed(seed)
    model = Classifier()
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    losses, norms = [], []
    for start in range(0, len(documents), BATCH):
        words, labels = collate(documents[start : start + BATCH])
        loss = F.cross_entropy(model(words), labels)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(loss.item())
        norms.append(norm.item())
    return {"losses": losses, "norms": norms}


if __name__ == "__main__":
    run = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for step in (1, 10, 20, 28, 29, 30, 31, 32, 100):
        print(f"step {step:3}: loss {run['losses'][step - 1]:.2f}", end=", ")
        print(f"gradient norm {run['norms'][step - 1]:.2f}")
