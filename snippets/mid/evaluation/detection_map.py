import torch


def average_precision(hit: torch.Tensor, objects: int) -> float:
    """Area below precision over recall, of boxes in the order of falling scores.

    hit: (n,), bool, whether a box finds an object that no box before it has found.
    """
    precision = hit.cumsum(0) / torch.arange(1, len(hit) + 1)
    best = (
        precision.flip(0).cummax(0).values.flip(0)
    )  # at this recall or a higher one
    return (best[hit].sum() / objects).item()


if __name__ == "__main__":
    for name, hits in {
        "four boxes": [1, 0, 1, 1],
        "and 1,000 false ones below": [1, 0, 1, 1] + [0] * 1000,
        "a duplicate on rank two": [1, 0, 0, 1, 1],
        "the last one cut by a threshold": [1, 0, 1],
    }.items():
        ap = average_precision(torch.tensor(hits) > 0, objects=4)
        print(f"{name}: AP {ap:.3f}, precision {sum(hits) / len(hits):.3f}")
