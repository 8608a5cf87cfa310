import random
from collections.abc import Iterable
from operator import index

MOD = 2**61 - 1


def find_all(
    pattern: Iterable[int], tokens: Iterable[int], base: int | None = None
) -> list[int]:
    """Positions at which ``pattern`` begins in ``tokens``, by Rabin and Karp.

    Args:
        pattern: integers, at least one; a tensor of one dimension will do.
        tokens: likewise, but it may be empty.
        base: drawn at random if None, so that nobody can prepare tokens whose
            hashes collide.

    Raises:
        ValueError: ``pattern`` is empty.
    """
    # Python's integers: the elements of a tensor would overflow
    pattern, tokens = [index(a) for a in pattern], [index(b) for b in tokens]
    k, n = len(pattern), len(tokens)
    if k == 0:
        raise ValueError("the pattern is empty")
    if k > n:
        return []
    base = random.randrange(2**20, MOD) if base is None else base
    top = pow(base, k - 1, MOD)
    target = window = 0
    for a, b in zip(pattern, tokens):
        target = (target * base + a) % MOD
        window = (window * base + b) % MOD
    found = []
    for i in range(n - k + 1):
        if window == target and tokens[i : i + k] == pattern:
            found.append(i)
        if i + k < n:
            window = ((window - tokens[i] * top) * base + tokens[i + k]) % MOD
    return found


if __name__ == "__main__":
    tokens = [7, 0, 3, 9, 2, 7, 0, 3]
    for pattern in ([7, 0, 3], [0], [3, 3]):
        print(pattern, "at", find_all(pattern, tokens))
