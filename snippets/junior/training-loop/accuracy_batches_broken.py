import torch

# two batches of ten: nine positives, all found, and one, missed
batches = [
    (torch.tensor([1] * 9 + [0]), torch.tensor([1] * 9 + [0])),
    (torch.tensor([0] * 10), torch.tensor([1] + [0] * 9)),
]
found = torch.tensor([(p * y).sum() for p, y in batches])
positives = torch.tensor([y.sum() for _, y in batches])
print(f"mean of the batches   {(found / positives).mean():.1f}")
print(f"counted, then divided {found.sum() / positives.sum():.1f}")
