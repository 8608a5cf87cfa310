import torch

shares = [73, 73, 73, 37]
x = torch.arange(1.0, 257.0, dtype=torch.float64)  # the gradient of w * x is x
parts, ranks = x.split(shares), len(shares)


def all_reduce_mean(gradients: list[torch.Tensor]) -> float:
    """What DDP makes of one gradient per rank."""
    return (sum(gradients) / len(gradients)).item()


wrong = all_reduce_mean([part.mean() for part in parts])
right = all_reduce_mean([part.sum() * ranks / len(x) for part in parts])
print("mean over all 256 samples       ", x.mean().item())
print("loss: the mean of a rank        ", wrong)
print("loss: its sum * ranks / samples ", right)
