import torch


def average_precision(scores: torch.Tensor, labels: torch.Tensor) -> float:
    hit = labels[scores.argsort(descending=True, stable=True)]
    precision = hit.cumsum(0) / torch.arange(1, len(hit) + 1).double()
    return precision[hit].mean().item()


torch.manual_seed(0)
labels = torch.arange(100_000) < 100  # the positives are the first rows of the file
logits = 3 * torch.randn(100_000, dtype=torch.double) + 6 * labels
for dtype in (torch.double, torch.bfloat16):
    scores = logits.to(dtype).sigmoid()
    tied = (scores == scores.max()).sum()
    ap = average_precision(scores, labels)
    turned = average_precision(scores.flip(0), labels.flip(0))
    print(f"{dtype}: {tied} rows share the highest score")
    print(f"  AP {ap:.2f}, and {turned:.2f} with the rows in reverse order")
