import sys

import torch
import torch.nn.functional as F
from torch import Tensor, nn

TEXT = "what a model says depends on more than its weights. "
IDS = {c: i for i, c in enumerate(dict.fromkeys(TEXT))}
CHARS = sorted(IDS)
WIDTH, LAYERS, BATCH, STEPS, PEAK = 32, 2, 16, 150, 0.03


def encode(text: str) -> list[int]:
    return [IDS[c] for c in text]


class GPT(nn.Module):
    """Logits (batch, time, chars) for ids (batch, time): a text, or one more id."""

    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(len(IDS), WIDTH)
        self.position = nn.Embedding(len(TEXT), WIDTH)
        self.qkv = nn.ModuleList(nn.Linear(WIDTH, 3 * WIDTH) for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, len(IDS))

    def forward(self, ids: Tensor, caches: list[list]) -> Tensor:
        start, t = len(caches[0]), ids.shape[1]
        x = self.token(ids) + self.position.weight[start : start + t]
        for qkv, cache in zip(self.qkv, caches):
            q, k, v = qkv(F.layer_norm(x, (WIDTH,))).chunk(3, dim=-1)
            cache.append(torch.stack([k, v]))
            k, v = torch.cat(cache, dim=2)
            x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.head(F.layer_norm(x, (WIDTH,)))


def pick(logits: Tensor, u: float, temperature: float, top_p: float) -> int:
    """The id that u, a number from 0 to 1, draws from logits (chars,)."""
    probs = (logits.double() * temperature).softmax(dim=-1)
    probs = probs.sort(descending=True).values
    kept = probs * (probs.cumsum(0) - probs < top_p)
    return int((kept.cumsum(0) / kept.sum() <= u).sum())


@torch.no_grad()
def speak(model: GPT, prompt: str, seed: int) -> str:
    """The prompt, continued to the length of the text."""
    numbers = torch.rand(len(TEXT), generator=torch.Generator().manual_seed(seed))
    caches, added, newest = [[] for _ in range(LAYERS)], [], encode(prompt)
    for u in numbers[len(prompt) :].tolist():
        logits = model(torch.tensor([newest]), caches)[0, -1]
        newest = [pick(logits, u, temperature=0.2, top_p=0.9)]
        added += newest
    return prompt + "".join(CHARS[i] for i in added)


def train(seed: int) -> dict:
    """The model, its losses, and what it says after the first twelve chars."""
    torch.manual_seed(seed)
    windows = torch.tensor(encode(TEXT + TEXT)).unfold(0, len(TEXT) + 1, 1)
    model, losses = GPT(), []
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK)
    for step in range(STEPS):
        optimizer.param_groups[0]["lr"] = PEAK * (1 - step / STEPS)
        ids = windows[torch.randint(len(windows), (BATCH,))]
        logits = model(ids[:, :-1], [[] for _ in range(LAYERS)])
        loss = F.cross_entropy(logits.mT, ids[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"model": model, "losses": losses, "said": speak(model, TEXT[:12], seed)}


if __name__ == "__main__":
    result = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for step in (1, 25, 75, STEPS):
        print(f"step {step:3}: loss {result['losses'][step - 1]:.3f}")
    print(f"text: {TEXT!r}\nsaid: {result['said']!r}")
