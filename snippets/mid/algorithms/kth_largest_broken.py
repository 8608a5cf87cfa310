"""Quickselect with the first value as pivot and two parts."""


def first_pivot(values, k):
    """The k-th largest and the number of comparisons."""
    compared = 0
    while True:
        pivot, others = values[0], values[1:]
        compared += len(others)
        larger = [value for value in others if value > pivot]
        rest = [value for value in others if not value > pivot]
        if len(larger) == k - 1:
            return pivot, compared
        if len(larger) >= k:
            values = larger
        else:
            values, k = rest, k - len(larger) - 1


if __name__ == "__main__":
    print("          n=1000   n=2000  comparisons")
    for name, values in {
        "scrambled": lambda n: [i * 619 % n for i in range(n)],
        "sorted": lambda n: list(range(n)),
        "all equal": lambda n: [1] * n,
    }.items():
        small, large = (first_pivot(values(n), n // 2)[1] for n in (1000, 2000))
        print(f"{name:9} {small:7} {large:8}  ratio {large / small:.1f}")
