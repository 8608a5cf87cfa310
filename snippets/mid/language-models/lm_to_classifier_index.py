import torch

lengths, size = torch.tensor([3, 7, 5]), 7
place = torch.arange(size)
for side in ("right", "left"):
    start = size - lengths[:, None] if side == "left" else 0
    keep = (place >= start) & (place < start + lengths[:, None])
    print(side, "keep.sum(1) - 1:", (keep.sum(1) - 1).tolist(), end="  ")
    print("(keep * place).argmax(1):", (keep * place).argmax(1).tolist())
