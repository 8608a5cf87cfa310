from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn.utils import get_total_norm


@torch.no_grad()
def clip_with_sparse_(
    parameters: Iterable[nn.Parameter], max_norm: float
) -> Tensor:
    """Clip dense and sparse gradients by their common norm, in place.

    Sparse gradients are replaced by coalesced ones, with one entry for each row,
    because the norm of the parts of a row is not the norm of their sum.

    Args:
        parameters: with dense or sparse COO gradients, or none.
        max_norm: limit for the 2-norm, at least 0.

    Returns:
        The norm before clipping, float scalar. If it is not finite, gradients
        become NaN or 0, so check it before the step.
    """
    values = []
    for parameter in parameters:
        if parameter.grad is None:
            continue
        if parameter.grad.is_sparse:
            parameter.grad = parameter.grad.coalesce()
            values.append(parameter.grad._values())
        else:
            values.append(parameter.grad)
    total = get_total_norm(values)
    factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
    for value in values:
        value.mul_(factor.to(value.device))
    return total


if __name__ == "__main__":
    for sparse in (False, True):
        torch.manual_seed(0)
        table, linear = nn.Embedding(6, 2, sparse=sparse), nn.Linear(2, 1)
        parameters = [*table.parameters(), *linear.parameters()]
        adam = torch.optim.SparseAdam if sparse else torch.optim.Adam
        optimizers = (
            adam(table.parameters()),
            torch.optim.AdamW(linear.parameters()),
        )
        linear(table(torch.tensor([1, 4, 1]))).sum().backward()
        before = [parameter.clone() for parameter in parameters]
        norm = clip_with_sparse_(parameters, 1.0)
        for optimizer in optimizers:
            optimizer.step()
        moved = sum(not torch.equal(a, b) for a, b in zip(before, parameters))
        print(f"sparse={sparse}: norm {norm:.4f}, then", end=" ")
        print(f"{clip_with_sparse_(parameters, 1.0):.4f}; {moved} parameters moved")
