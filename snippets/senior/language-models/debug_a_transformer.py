import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

VOCABULARY, LENGTH, WIDTH, HEADS, STEPS = 17, 12, 32, 4, 30
BUGS = (
    "init with std 1",
    "loss without shift",
    "softmax before the loss",
    "positions not added",
    "no causal mask",
    "softmax over queries",
    "heads not merged",
    "dropout also in eval",
    "no residual",
    "sampler reads place 0",
    "no 1/sqrt(d)",
)


def checks(model: nn.Module, loss_of, ids: Tensor, vocabulary: int) -> dict:
    """Whether a fresh language model passes each test that needs no training.

    ``model`` makes logits (B, T, vocabulary) of ``ids`` (B, T), and
    ``loss_of(logits, ids)`` is the mean cross-entropy of the next token.
    ``ids`` has two rows or more, without padding.
    """
    passes = {}
    loss = loss_of(model(ids), ids)
    passes["init"] = abs(loss.item() - math.log(vocabulary)) < 0.1
    sure = 50.0 * F.one_hot(ids.roll(-1, dims=1), vocabulary)  # of the next token
    passes["perfect"] = loss_of(sure, ids).item() < 0.01
    loss.backward()
    passes["grads"] = all(p.grad is not None for p in model.parameters())
    model.zero_grad()

    model.eval()
    changed = ids.clone()
    changed[:, -1] = (ids[:, -1] + 1) % vocabulary
    with torch.no_grad():
        torch.manual_seed(0)
        logits = model(ids)
        torch.manual_seed(0)
        others = model(changed)
        alone = model(ids[:1])
    passes["causal"] = torch.allclose(logits[:, :-1], others[:, :-1], atol=1e-4)
    passes["repeat"] = torch.allclose(logits[:1], alone, atol=1e-4)
    model.train()
    return passes


class Block(nn.Module):
    """Causal self-attention and an MLP, each added to its input (B, T, C)."""

    def __init__(self, bug: str) -> None:
        super().__init__()
        self.bug = bug
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 128), nn.Linear(128, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        q, k, v = (
            z.view(b, t, HEADS, c // HEADS).transpose(1, 2)
            for z in self.qkv(self.norm1(x)).chunk(3, dim=-1)
        )
        scores = q @ k.mT
        if self.bug != "no 1/sqrt(d)":
            scores = scores / math.sqrt(c // HEADS)
        if self.bug != "no causal mask":
            future = torch.ones(t, t, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(future, -torch.inf)
        weights = scores.softmax(-2 if self.bug == "softmax over queries" else -1)
        drop = self.training or self.bug == "dropout also in eval"
        heads = F.dropout(weights, 0.1, drop) @ v
        if self.bug != "heads not merged":
            heads = heads.transpose(1, 2)
        mixed = self.out(heads.reshape(b, t, c))
        x = mixed if self.bug == "no residual" else x + mixed
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    """Logits (B, T, VOCABULARY) for ids (B, T)."""

    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        self.token = nn.Embedding(VOCABULARY, WIDTH)
        self.place = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(Block(bug), Block(bug))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                std = 1.0 if bug == "init with std 1" else 0.02
                nn.init.normal_(module.weight, std=std)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.token(ids)
        if self.bug != "positions not added":
            x = x + self.place(torch.arange(ids.shape[1]))
        return self.head(self.norm(self.blocks(x)))

    def loss_of(self, logits: Tensor, ids: Tensor) -> Tensor:
        """Mean cross-entropy of the next token."""
        shift = 0 if self.bug == "loss without shift" else 1
        if self.bug == "softmax before the loss":
            logits = logits.softmax(-1)
        logits = logits[:, : ids.shape[1] - shift]
        return F.cross_entropy(logits.flatten(0, 1), ids[:, shift:].flatten())

    @torch.no_grad()
    def sample(self, ids: Tensor) -> Tensor:
        """The prompt (B, T), continued greedily to LENGTH tokens."""
        read = 0 if self.bug == "sampler reads place 0" else -1
        while ids.shape[1] < LENGTH:
            best = self(ids)[:, read].argmax(-1, keepdim=True)
            ids = torch.cat([ids, best], dim=1)
        return ids


def overfit(model: GPT, ids: Tensor, rate: float = 0.01) -> float:
    """The loss after STEPS steps of Adam on one batch."""
    weights = list(model.parameters())
    mean, square = ([torch.zeros_like(p) for p in weights] for _ in range(2))
    for step in range(1, STEPS + 1):
        loss = model.loss_of(model(ids), ids)
        grads = torch.autograd.grad(loss, weights, allow_unused=True)
        for p, g, m, s in zip(weights, grads, mean, square):
            if g is not None:
                m.lerp_(g, 0.1)
                s.lerp_(g * g, 0.05)
                size = (s / (1 - 0.95**step)).sqrt() + 1e-8
                p.data -= rate * m / (1 - 0.9**step) / size
    return loss.item()


def examine(bug: str = "", seed: int = 0) -> dict:
    """Which tests the GPT with this bug passes."""
    torch.manual_seed(seed)
    model = GPT(bug)
    ids = torch.randint(VOCABULARY, (4, LENGTH))
    ids[:, 0] = torch.arange(4)  # one token is enough to tell the rows apart
    passes = checks(model, model.loss_of, ids, VOCABULARY)
    model.eval()  # no dropout
    passes["overfit"] = overfit(model, ids) < 1.2
    passes["sample"] = torch.equal(model.sample(ids[:, :1]), ids)
    return passes


if __name__ == "__main__":
    for bug in ("", *BUGS):
        passes = examine(bug)
        if not bug:
            print(f"{'':24}", *(f"{name:>7}" for name in passes))
        row = (f"{'.' if ok else 'FAIL':>7}" for ok in passes.values())
        print(f"{bug or 'no bug':24}", *row)
