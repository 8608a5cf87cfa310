import torch
from torch.nn.functional import scaled_dot_product_attention as attend

torch.manual_seed(0)
TOKEN, PLACE = torch.randn(2, 64, 32, dtype=torch.double)
LAYERS = torch.randn(2, 4, 32, 32, dtype=torch.double) / 32**0.5  # q, k, v, out
FEEDS = {
    "whole": [24],
    "one by one": [1] * 24,
    "16, then 1s": [16] + [1] * 8,
    "8, 8, 8": [8] * 3,
}
BUGS = (
    "none",
    "is_causal=True",
    "no mask",
    "is_causal=T > 1",
    "positions start at 0 again",
    "positions count calls",
)


def model(tokens, cache, calls, bug):
    n, T, after = cache.shape[3], len(tokens), []
    mask = {"attn_mask": torch.ones(T, n + T, dtype=torch.bool).tril(n)}
    if bug == "is_causal=True":
        mask = {"is_causal": True}
    if bug == "no mask":
        mask = {}
    if bug == "is_causal=T > 1":
        mask = {"is_causal": T > 1}
    start = {BUGS[4]: 0, BUGS[5]: calls}.get(bug, n)
    x = TOKEN[tokens] + PLACE[start : start + T]
    for (*qkv, out), old in zip(LAYERS, cache, strict=True):
        q, k, v = ((x @ w).view(T, 4, 8).transpose(0, 1) for w in qkv)
        after.append(torch.cat([old, torch.stack([k, v])], dim=2))
        heads = attend(q, *after[-1], **mask)
        x = x + heads.transpose(0, 1).reshape(T, 32) @ out
    return x @ TOKEN.T, torch.stack(after)


def feed(tokens, sizes, bug="none"):
    cache, logits = torch.zeros(2, 2, 4, 0, 8, dtype=torch.double), []
    for calls, piece in enumerate(tokens.split(sizes)):
        new, cache = model(piece, cache, calls, bug)
        logits.append(new)
    return torch.cat(logits)


if __name__ == "__main__":
    tokens = torch.randint(64, (24,))
    right = feed(tokens, [24])
    print(f"{'mistake':28}", *(f"{name:>12}" for name in FEEDS))
    for bug in BUGS:
        row = (torch.allclose(feed(tokens, s, bug), right) for s in FEEDS.values())
        print(f"{bug:28}", *(f"{'ok' if ok else 'WRONG':>12}" for ok in row))
