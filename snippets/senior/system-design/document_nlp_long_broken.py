import torch
from torch import nn

positions = nn.Embedding(512, 8)  # of a model for 512 tokens


def windows(length: int, size: int = 512, overlap: int = 64) -> list[range]:
    """Positions of chunks of ``size`` tokens; two neighbors share ``overlap``."""
    starts = range(0, max(length - overlap, 1), size - overlap)
    return [range(start, min(start + size, length)) for start in starts]


def cut(length: int, span: int, chunks: list[range]) -> int:
    """How many spans of ``span`` tokens lie in no chunk as a whole."""
    first = range(length - span + 1)
    return sum(
        all(s not in c or s + span - 1 not in c for c in chunks) for s in first
    )


if __name__ == "__main__":
    for longest in (512, 513):
        try:
            print(
                longest,
                tuple(positions(torch.arange(longest).expand(32, -1)).shape),
            )
        except IndexError as error:
            print(longest, f"IndexError: {error}")
    print(f"truncated: {1500 - 512} of 1500 tokens are never read")
    for overlap in (0, 64):
        chunks = windows(1500, overlap=overlap)
        print(f"overlap {overlap:2}: {len(chunks)} chunks,", end="")
        print(
            f" {cut(1500, 65, chunks)} of 1436 answers of 65 tokens are cut in two"
        )
