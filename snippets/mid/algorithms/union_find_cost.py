# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt


def reads(n: int, by_size: bool, halving: bool, order: str) -> int:
    """Count reads of ``parent`` in n - 1 unions and n finds of the deepest element.

    Args:
        n: elements, a power of two, at least 2.
        order: "chain" joins 0 with 1, 2, ...; "pairs" joins sets of equal size.
    """
    parent, size, count = list(range(n)), [1] * n, 0

    def find(x: int) -> int:
        nonlocal count
        count += 1
        while parent[x] != x:
            if halving:
                count += 1
                parent[x] = parent[parent[x]]
            x = parent[x]
            count += 1
        return x

    def depth(x: int) -> int:
        steps = 0
        while parent[x] != x:
            x, steps = parent[x], steps + 1
        return steps

    gaps = [2**k for k in range(n.bit_length() - 1)]
    pairs = [(i, i + s) for s in gaps for i in range(0, n, 2 * s)]
    for a, b in pairs if order == "pairs" else [(0, i) for i in range(1, n)]:
        a, b = find(a), find(b)
        if by_size and size[a] > size[b]:
            a, b = b, a
        parent[a] = b
        size[b] += size[a]
    deepest = max(range(n), key=depth)
    for _ in range(n):
        find(deepest)
    return count


if __name__ == "__main__":
    sizes = [2**k for k in range(2, 10)]
    figure, axes = plt.subplots(figsize=(5, 3.2))
    print("reads per operation, n =   ", *[f"{n:6}" for n in sizes[1::2]])
    for name, by_size, halving, style in (
        ("plain", False, False, ":"),
        ("union by size", True, False, "--"),
        ("path halving", False, True, ""),
        ("both", True, True, "-"),
    ):
        for order in ("chain", "pairs"):
            each = [reads(n, by_size, halving, order) / (2 * n - 1) for n in sizes]
            print(f"{name:15} {order:10}", *[f"{cost:6.2f}" for cost in each[1::2]])
            if style and order == ("chain" if name == "plain" else "pairs"):
                axes.plot(sizes, each, style, label=f"{name}, {order}")
    axes.set(xscale="log", yscale="log", xlabel="elements n")
    axes.set(ylabel="reads per operation")
    axes.legend()
    plt.show()
