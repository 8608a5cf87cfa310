import torch
from torch.nn.functional import scaled_dot_product_attention as attend

torch.manual_seed(0)
TOKEN, PLACE = torch.randn(2, 64, 32, dtype=torch.double)
LAYERS = torch.randn(2, 4, 32, 32, dtype=torch.double) / 32**0.5  # q, k, v, out


def model(tokens, cache):  # T new tokens, and keys and values of n earlier ones
    n, T, after = cache.shape[3], len(tokens), []
    allowed = torch.ones(T, n + T, dtype=torch.bool).tril(n)  # ends bottom right
    x = TOKEN[tokens] + PLACE[n : n + T]  # positions go on
    for (*qkv, out), old in zip(LAYERS, cache, strict=True):
        q, k, v = ((x @ w).view(T, 4, 8).transpose(0, 1) for w in qkv)
        after.append(torch.cat([old, torch.stack([k, v])], dim=2))
        x = x + attend(q, *after[-1], allowed).transpose(0, 1).flatten(1) @ out
    return x @ TOKEN.T, torch.stack(after)


tokens = torch.randint(64, (24,))
cache = empty = torch.zeros(2, 2, 4, 0, 8, dtype=torch.double)
for piece in tokens.split([10, 1, 1, 4, 8]):
    logits, cache = model(piece, cache)
print("same logits:", torch.allclose(logits, model(tokens, empty)[0][-8:]))
print("layers, k and v, heads, tokens, size:", *cache.shape)
