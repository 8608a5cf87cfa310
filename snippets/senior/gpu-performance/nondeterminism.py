import torch


def in_order(values: torch.Tensor) -> torch.Tensor:
    """The sum of ``values``, shape (n,), added one after another."""
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


def row_sum(row: torch.Tensor, chunks: int) -> torch.Tensor:
    """The sum of ``row``, shape (n,): each chunk first, then their sums."""
    return in_order(torch.stack([in_order(part) for part in row.chunk(chunks)]))


if __name__ == "__main__":
    row = torch.tensor([2.0**24] + [1.0] * 7)  # float32, exact sum 16777223
    other_token = 2.0**24 + 3
    for batch, chunks in ((1, 4), (8, 2), (64, 1)):
        logit = row_sum(row, chunks).item()
        again = row_sum(row, chunks).item()
        token = "A" if logit > other_token else "B"
        print(f"batch {batch:2}, {chunks} chunks: {logit:.0f}, token {token},"
              f" again the same: {logit == again}")  # fmt: skip
