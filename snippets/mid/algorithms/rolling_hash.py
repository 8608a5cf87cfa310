BASE, MOD = 131_071, 2**61 - 1


def window_hashes(tokens, k):
    h, top = 0, pow(BASE, k - 1, MOD)  # top: the weight of a window's first token
    for i, token in enumerate(tokens):
        if i >= k:
            h -= tokens[i - k] * top  # the token that leaves
        h = (h * BASE + token) % MOD
        if i >= k - 1:
            yield h


hashes = list(window_hashes([7, 0, 3, 9, 2, 7, 0, 3], k=3))
print("first window with the same hash:", [hashes.index(h) for h in hashes])
print(
    "[0, 5]:", *window_hashes([0, 5], 2), "[0, 0, 5]:", *window_hashes([0, 0, 5], 3)
)
