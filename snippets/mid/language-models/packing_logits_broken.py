import torch
from torch.nn.functional import layer_norm

HEADS, WIDTH, VOCABULARY = 4, 32, 29


def rotate(x, places):
    """RoPE of x (H, T, D) at places (T)."""
    half = x.shape[-1] // 2
    angle = places[:, None] * 100 ** (-torch.arange(half).double() / half)
    a, b = x.chunk(2, -1)
    return torch.cat(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    )


def make_model(kind, layers=2):
    """A random transformer with learned or rotary positions, in float64."""
    embed, table = (
        torch.randn(VOCABULARY, WIDTH).double(),
        torch.randn(64, WIDTH).double(),
    )
    weights = [
        torch.randn(WIDTH, 4 * WIDTH).double() / WIDTH**0.5 for _ in range(layers)
    ]

    def model(tokens, seen, places):  # logits (T, V) of tokens (T)
        x = embed[tokens] + (table[places] if kind == "learned" else 0)
        for weight in weights:
            q, k, v, gate = (
                z.unflatten(-1, (HEADS, -1)).transpose(0, 1)
                for z in (layer_norm(x, (WIDTH,)) @ weight).chunk(4, -1)
            )
            if kind == "rotary":
                q, k = rotate(q, places), rotate(k, places)
            scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~seen, -torch.inf)
            x = x + (scores.softmax(-1) @ v * gate).transpose(0, 1).flatten(1)
        return x @ embed.T

    return model


def causal(length):
    return torch.ones(length, length).tril().bool()


def alone(model, documents):
    """Logits (T, V) of all documents, each computed separately."""
    return torch.cat(
        [model(d, causal(len(d)), torch.arange(len(d))) for d in documents]
    )


def variants(model, documents):
    """Logits (T, V) of the documents in one row, in four ways."""
    count = torch.tensor([len(d) for d in documents])
    owner = torch.arange(len(documents)).repeat_interleave(count)
    tokens, length = torch.cat(documents), len(owner)
    block = causal(length) & (owner[:, None] == owner)
    along = torch.arange(length)
    restart = torch.cat([torch.arange(n) for n in count.tolist()])
    return {
        "causal mask": model(tokens, causal(length), along),
        "causal mask, positions restart": model(tokens, causal(length), restart),
        "block mask": model(tokens, block, along),
        "block mask, positions restart": model(tokens, block, restart),
    }


if __name__ == "__main__":
    torch.manual_seed(0)
    documents = [torch.randint(VOCABULARY, (n,)) for n in (5, 9, 4)]
    models = {kind: make_model(kind) for kind in ("learned", "rotary")}
    right = {k: alone(m, documents) for k, m in models.items()}
    print(f"{'same logits as alone':31}  learned  rotary")
    for name in variants(models["learned"], documents):
        same = [
            "yes"
            if torch.allclose(variants(m, documents)[name], right[k])
            else "no"
            for k, m in models.items()
        ]
        print(f"{name:31}  {same[0]:7}  {same[1]}")
