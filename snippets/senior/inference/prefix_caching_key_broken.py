import torch

torch.manual_seed(0)
BLOCK, TOKEN = 4, torch.randn(50, 8, dtype=torch.double)
# Adapter 0 is the base model; adapter 1 has other weights for keys and values.
LAYERS = (
    torch.randn(2, 2, 3, 8, 8, dtype=torch.double) / 2
)  # adapter, layer, q, k, v

KEYS = {
    "its tokens": lambda tokens, end, adapter: tuple(tokens[end - BLOCK : end]),
    "and all before": lambda tokens, end, adapter: tuple(tokens[:end]),
    "and the adapter": lambda tokens, end, adapter: (adapter, *tokens[:end]),
}


def run(tokens, adapter, rows):
    """Last output, and keys and values (2, 2, T, 8); ``rows`` are those we have."""
    x, n, after = TOKEN[tokens[rows.shape[2] :]], rows.shape[2], []
    for (q, k, v), old in zip(LAYERS[adapter], rows, strict=True):
        both = torch.cat([old, torch.stack([x @ k, x @ v])], dim=1)
        after.append(both)
        scores = x @ q @ both[0].T
        hidden = torch.ones_like(scores).triu(n + 1).bool()
        x = x + scores.masked_fill(hidden, -torch.inf).softmax(-1) @ both[1]
    return x[-1], torch.stack(after)


def serve(requests, key):
    """For each request: the blocks reused, and the last output."""
    cache, results = {}, []
    for tokens, adapter in requests:
        found = []
        for end in range(BLOCK, len(tokens), BLOCK):
            block = cache.get(key(tokens, end, adapter))
            if block is None:
                break
            found.append(block)
        rows = torch.zeros(2, 2, 0, 8, dtype=torch.double)
        output, rows = run(tokens, adapter, torch.cat([rows, *found], dim=2))
        for end in range(BLOCK, len(tokens) + 1, BLOCK):
            cache[key(tokens, end, adapter)] = rows[:, :, end - BLOCK : end]
        results.append((len(found), output))
    return results


A, B, C, ASK = [1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14]
SECOND = {
    "same prompt": (A + B + ASK, 0),
    "blocks swapped": (B + A + ASK, 0),
    "other adapter": (A + B + ASK, 1),
}

if __name__ == "__main__":
    print(f"{'key of a block':17}", *(f"{name:>18}" for name in SECOND))
    for name, key in KEYS.items():
        row = []
        for tokens, adapter in SECOND.values():
            reused, got = serve([(A + B + ASK, 0), (tokens, adapter)], key)[1]
            right = torch.allclose(got, serve([(tokens, adapter)], key)[0][1])
            row.append(f"{reused} reused, {'right' if right else 'WRONG'}")
        print(f"{name:17}", *(f"{cell:>18}" for cell in row))
