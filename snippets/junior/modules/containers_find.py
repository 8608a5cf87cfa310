import torch
from torch import nn


def unregistered_leaves(loss: torch.Tensor, model: nn.Module) -> list[torch.Tensor]:
    """Trainable leaves behind ``loss`` that are not in ``model.parameters()``.

    Frozen layers, layers without parameters and layers inside a reentrant
    checkpoint leave no trace in the graph.

    Raises:
        ValueError: ``loss`` has no graph.
    """
    if loss.grad_fn is None:
        raise ValueError("loss has no grad_fn")
    known = {id(parameter) for parameter in model.parameters()}
    found, seen, stack = [], set(), [loss.grad_fn]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        is_leaf = type(node).__name__ == "AccumulateGrad"
        if is_leaf and id(node.variable) not in known:
            found.append(node.variable)
        stack.extend(parent for parent, _ in node.next_functions)
    return found


class Model(nn.Module):
    def __init__(self, container: type) -> None:
        super().__init__()
        self.hidden = container([nn.Linear(4, 8), nn.Linear(8, 8)])
        self.head = nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.hidden:
            x = layer(x).relu()
        return self.head(x)


if __name__ == "__main__":
    for container in (list, nn.ModuleList):
        model = Model(container)
        leaves = unregistered_leaves(model(torch.ones(1, 4)).sum(), model)
        shapes = sorted(tuple(leaf.shape) for leaf in leaves)
        print(f"{container.__name__:10} {len(leaves)} unregistered: {shapes}")
