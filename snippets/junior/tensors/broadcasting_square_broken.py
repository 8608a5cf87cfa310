import torch


def normalize_rows(counts: torch.Tensor) -> torch.Tensor:
    """Divide each row of ``counts``, shape (rows, columns), by its sum.

    Wrong on purpose: ``keepdim`` is missing.
    """
    return counts / counts.sum(dim=1)


for rows, columns in ((2, 3), (3, 3)):
    counts = torch.arange(1.0, rows * columns + 1).reshape(rows, columns)
    try:
        sums = normalize_rows(counts).sum(dim=1)
        print(
            f"({rows}, {columns}): row sums",
            [round(total, 4) for total in sums.tolist()],
        )
    except RuntimeError as error:
        print(f"({rows}, {columns}): RuntimeError: {str(error).split(' at ')[0]}")
    fixed = counts / counts.sum(dim=1, keepdim=True)
    print(
        f"({rows}, {columns}): row sums with keepdim",
        [round(total, 4) for total in fixed.sum(dim=1).tolist()],
    )
