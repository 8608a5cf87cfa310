import torch


def accuracy(
    join, logits: torch.Tensor, targets: torch.Tensor, batch_size: int
) -> float:
    """Accuracy over batches that are collected in a list and joined at the end.

    Args:
        join: ``torch.cat`` or ``torch.stack``.
        logits: shape (N, classes), floating point.
        targets: shape (N,), int64.
        batch_size: samples per batch; the last batch may be smaller.

    Raises:
        RuntimeError: ``join`` refuses the batches.
    """
    all_logits = join(logits.split(batch_size))
    all_targets = join(targets.split(batch_size))
    return (all_logits.argmax(dim=1) == all_targets).float().mean().item()


if __name__ == "__main__":
    targets = torch.arange(12) // 3  # four classes
    # Every prediction is right.
    logits = torch.nn.functional.one_hot(targets).float()
    print("batch size")
    for batch_size in (5, 6, 4, 1):
        for join in (torch.cat, torch.stack):
            try:
                right = accuracy(join, logits, targets, batch_size)
                result = f"accuracy {right:.2f}"
            except RuntimeError as error:
                result = f"RuntimeError: {str(error).split(' at ')[0]}"
            print(f"{batch_size}, {join.__name__:5}  {result}")
