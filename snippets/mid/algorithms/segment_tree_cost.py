# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt


def reads(n: int) -> tuple[int, int]:
    """Most nodes that a range query reads in a tree over n leaves, and an update.

    Args:
        n: at least 2.
    """

    def query(start: int, stop: int) -> int:
        count, start, stop = 0, start + n, stop + n
        while start < stop:
            count += start % 2 + stop % 2
            start, stop = (start + 1) // 2, stop // 2
        return count

    def update(node: int) -> int:
        return 0 if node <= 1 else 2 + update(node // 2)

    worst = max(query(a, b) for a in range(n) for b in range(a + 1, n + 1))
    return worst, max(update(n + i) for i in range(n))


if __name__ == "__main__":
    sizes = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
    figure, axes = plt.subplots(figsize=(5, 3))
    counts = [reads(n) for n in sizes]
    for n, (query, update) in zip(sizes, counts):
        if n & (n - 1) == 0:
            print(
                f"n = {n:3}: sum() reads {n:3}, query {query:2}, update {update:2}"
            )
    axes.plot(sizes, sizes, ":", label="list: sum of the range")
    axes.plot(sizes, [update for _, update in counts], "--", label="tree: update")
    axes.plot(sizes, [query for query, _ in counts], "-", label="tree: query")
    axes.set(xlabel="elements n", ylabel="numbers read, worst case")
    axes.set(xscale="log", yscale="log")
    axes.legend()
    plt.show()
