from math import comb, prod


def pass_at_k(n: int, c: int, k: int) -> float:
    """1 - C(n-c, k) / C(n, k) as a product of floats; needs k <= n and c <= n."""
    if n - c < k:
        return 1.0
    return 1 - prod((n - c - i) / (n - i) for i in range(k))


if __name__ == "__main__":
    for n, c, k in ((10, 3, 5), (200, 3, 100), (2000, 1, 1000)):
        exact = 1 - comb(n - c, k) / comb(n, k)
        print(n, c, k, "same to 12 digits", abs(pass_at_k(n, c, k) - exact) < 1e-12)
    try:
        print(float(comb(2000, 1000)))
    except OverflowError as error:
        print(f"OverflowError: {error}")
