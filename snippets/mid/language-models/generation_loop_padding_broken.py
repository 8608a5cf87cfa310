import torch
from torch.nn.functional import layer_norm, pad

HEADS, WIDTH, VOCABULARY = 4, 32, 29


def rotate(x, places):
    """RoPE of x (B, H, T, D) at places (B, T)."""
    half = x.shape[-1] // 2
    angle = places[:, None, :, None] * 100 ** (-torch.arange(half).double() / half)
    a, b = x.chunk(2, -1)
    return torch.cat(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    )


def make_model(kind, layers=2):
    """A random causal transformer with learned or rotary positions, in float64."""
    embed, table = (
        torch.randn(VOCABULARY, WIDTH).double(),
        torch.randn(64, WIDTH).double(),
    )
    weights = [
        torch.randn(WIDTH, 4 * WIDTH).double() / WIDTH**0.5 for _ in range(layers)
    ]

    def model(tokens, keep, places):
        x = embed[tokens] + (table[places] if kind == "learned" else 0)
        length = tokens.shape[1]
        seen = torch.ones(length, length).tril().bool() & keep[:, None, None, :]
        for weight in weights:
            q, k, v, gate = (
                z.unflatten(-1, (HEADS, -1)).transpose(1, 2)
                for z in (layer_norm(x, (WIDTH,)) @ weight).chunk(4, -1)
            )
            if kind == "rotary":
                q, k = rotate(q, places), rotate(k, places)
            scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~seen, -1e300)
            x = x + (scores.softmax(-1) @ v * gate).transpose(1, 2).flatten(2)
        return x @ embed.T

    return model


def variants(model, prompts):
    """Next-token logits (B, V) of padded prompts, for five ways to pad."""
    width, count = max(map(len, prompts)), torch.tensor([len(p) for p in prompts])
    left = torch.stack([pad(p, (width - len(p), 0)) for p in prompts])
    right = torch.stack([pad(p, (0, width - len(p))) for p in prompts])
    plain = torch.arange(width).expand(len(prompts), width)
    keep = plain >= width - count[:, None]
    places = (keep.cumsum(1) - 1).clamp(min=0)
    everything = torch.ones_like(keep)
    after = model(right, everything, plain)
    return {
        "left": model(left, everything, plain)[:, -1],
        "left, mask": model(left, keep, plain)[:, -1],
        "left, mask, positions from 0": model(left, keep, places)[:, -1],
        "right, last column": after[:, -1],
        "right, last real token": after[torch.arange(len(prompts)), count - 1],
    }


def alone(model, prompts):
    """Next-token logits (B, V) of each prompt without padding."""
    rows = []
    for p in prompts:
        places = torch.arange(len(p))[None]
        rows.append(model(p[None], torch.ones_like(places).bool(), places)[0, -1])
    return torch.stack(rows)


if __name__ == "__main__":
    torch.manual_seed(0)
    prompts = [torch.randint(1, VOCABULARY, (n,)) for n in (3, 7, 5)]
    models = {kind: make_model(kind) for kind in ("learned", "rotary")}
    right = {k: alone(m, prompts) for k, m in models.items()}
    print(f"{'same logits as alone':30}  learned  rotary")
    for name in variants(models["learned"], prompts):
        same = [
            "yes" if torch.allclose(variants(m, prompts)[name], right[k]) else "no"
            for k, m in models.items()
        ]
        print(f"{name:30}  {same[0]:7}  {same[1]}")
