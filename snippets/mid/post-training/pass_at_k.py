from math import comb


def pass_at_k(n: int, c: int, k: int) -> float:
    """Share of the k-subsets of n samples, c of them right, with a right one."""
    return 1 - comb(n - c, k) / comb(n, k)


def plug_in(n: int, c: int, k: int) -> float:
    """The biased one: the measured rate c / n in the place of the true rate."""
    return 1 - (1 - c / n) ** k


def mean(estimate, n: int, k: int, p: float) -> float:
    """Exact mean of an estimate: each sample is right with probability p."""
    chance = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    return sum(chance[c] * estimate(n, c, k) for c in range(n + 1))


if __name__ == "__main__":
    for p, k in ((0.05, 10), (0.2, 10)):
        print(f"p {p}, k {k}: true pass@k {1 - (1 - p) ** k:.4f}")
        for n in (10, 20, 200):
            means = (f"{mean(e, n, k, p):.4f}" for e in (pass_at_k, plug_in))
            print(f"  n {n:3}: unbiased {next(means)}, plug-in {next(means)}")
