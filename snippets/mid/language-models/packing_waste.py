import random


def first_fit_decreasing(lengths, width):
    """Rows of at most `width` tokens, as lists of lengths (none above `width`)."""
    rows, used = [], []
    for n in sorted(lengths, reverse=True):
        i = next((i for i, u in enumerate(used) if u + n <= width), len(rows))
        if i == len(rows):
            rows.append([])
            used.append(0)
        rows[i].append(n)
        used[i] += n
    return rows


def padded(lengths, batch):
    """Computed tokens if each batch is padded to its longest document."""
    parts = [lengths[i : i + batch] for i in range(0, len(lengths), batch)]
    return sum(max(part) * len(part) for part in parts)


if __name__ == "__main__":
    draw, width = random.Random(0), 2048
    lengths = [
        min(width, max(8, int(draw.lognormvariate(5.3, 1)))) for _ in range(1000)
    ]
    rows = first_fit_decreasing(lengths, width)
    for name, computed in (
        ("padded to 2,048", width * 1000),
        ("padded to the longest of 8", padded(lengths, 8)),
        ("sorted, longest of 8", padded(sorted(lengths), 8)),
        ("packed into rows of 2,048", width * len(rows)),
    ):
        print(f"{name:27} {100 * sum(lengths) / computed:3.0f}% real tokens")
    causal = len(rows) * width * (width + 1) // 2
    block = sum(n * (n + 1) // 2 for n in lengths)
    print(f"scores of packed rows, causal mask by block mask: {causal / block:.1f}")
