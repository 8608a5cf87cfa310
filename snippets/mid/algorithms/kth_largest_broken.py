def first_pivot(values, k):
    compared = 0
    while True:
        pivot, others = values[0], values[1:]
        compared += len(others)
        larger = [value for value in others if value > pivot]
        if len(larger) == k - 1:
            return pivot, compared
        if len(larger) >= k:
            values = larger
        else:  # equal values are among the rest
            values = [value for value in others if value <= pivot]
            k -= len(larger) + 1


print("           n = 1,000   n = 2,000  comparisons")
for name, make in {
    "scrambled": lambda n: [i * 619 % n for i in range(n)],
    "sorted": lambda n: list(range(n)),
    "all equal": lambda n: [1] * n,
}.items():
    small, large = (first_pivot(make(n), n // 2)[1] for n in (1000, 2000))
    print(f"{name:9} {small:11,} {large:11,}")
