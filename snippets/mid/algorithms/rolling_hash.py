import torch

BASE, MOD = 10, 2**61 - 1  # base 10 only to read along


def window_hashes(tokens, k):
    h, top = 0, pow(BASE, k - 1, MOD)  # top: the first weight
    for i, token in enumerate(tokens):
        if i >= k:
            h -= tokens[i - k] * top  # the token that leaves
        h = (h * BASE + token) % MOD
        if i >= k - 1:
            yield h


tokens = torch.tensor([7, 0, 3, 9, 2, 7, 0, 3]).tolist()
hashes = list(window_hashes(tokens, k=3))
print("hashes      ", hashes)
print("first window", [hashes.index(h) for h in hashes])
