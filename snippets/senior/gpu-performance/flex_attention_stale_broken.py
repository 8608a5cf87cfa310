import torch


def listed(document: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Pairs in blocks of 32 that a BlockMask visits, and in full ones."""
    same = document[:, None] == document
    tiles = same.view(8, 32, 8, 32)
    visited, full = tiles.any(3).any(1), tiles.all(3).all(1)
    return visited.repeat_interleave(32, 0).repeat_interleave(32, 1), (
        full.repeat_interleave(32, 0).repeat_interleave(32, 1)
    )


i = torch.arange(256)
first = (i >= 100).long()  # documents of 100 and 156 tokens
second = (i >= 200).long()  # documents of 200 and 56 tokens
visible = second[:, None] == second
for name, ids in (("made for this batch", second), ("made for the last", first)):
    visited, full = listed(ids)
    lost, leaked = visible & ~visited, ~visible & full
    print(f"{name}: {lost.sum()} pairs lost, {leaked.sum()} leaked")
