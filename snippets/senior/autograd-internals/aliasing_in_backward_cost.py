import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Written(TorchDispatchMode):
    """Sums the sizes of all results that an operation computed, views excluded."""

    def __init__(self):
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and not function.is_view:
            self.numbers += result.numel()
        return result


def filled(rows: list[torch.Tensor]) -> torch.Tensor:
    buffer = torch.zeros(len(rows), len(rows[0]))
    for i, row in enumerate(rows):
        buffer[i] = row
    return buffer


if __name__ == "__main__":
    for steps in (10, 100):
        for build in (filled, torch.stack):
            rows = [torch.ones(8, requires_grad=True) for _ in range(steps)]
            loss = build(rows).sum()
            with Written() as seen:
                loss.backward()
            print(
                f"{build.__name__:6} {steps:3} rows of 8: {seen.numbers:6} numbers"
            )
