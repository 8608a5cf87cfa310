import torch


def accuracy(join, logits, targets, batch_size: int) -> float:
    all_logits = join(logits.split(batch_size))
    all_targets = join(targets.split(batch_size))
    right = all_logits.argmax(dim=1) == all_targets
    return right.float().mean().item()


targets = torch.arange(12) // 3  # four classes
logits = torch.nn.functional.one_hot(targets).float()
for batch_size in (5, 4, 1):
    for join in (torch.cat, torch.stack):
        name = f"{batch_size}, {join.__name__:5}"
        try:
            value = accuracy(join, logits, targets, batch_size)
            print(f"{name}  accuracy {value:.2f}")
        except RuntimeError as error:
            print(f"{name}  {str(error).split(',')[0]}")
