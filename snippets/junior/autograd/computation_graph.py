import torch
import torch.nn.functional as F
from torch.autograd.graph import Node


def draw(
    node: Node | None, leaf_names: dict[torch.Tensor, str], depth: int = 0
) -> None:
    """Print the graph below ``node``, the ``grad_fn`` of a tensor of any shape and dtype, one node per line.

    Args:
        node: where to start; None stands for an input that needs no gradient.
        leaf_names: the names of the leaf tensors.
        depth: indentation of the first line.
    """
    if node is None:
        print("  " * depth + "None")
        return
    # Only AccumulateGrad, the end of a path, has a variable.
    leaf = getattr(node, "variable", None)
    label = node.name() if leaf is None else f"AccumulateGrad of {leaf_names[leaf]}"
    print("  " * depth + label)
    for parent, _ in node.next_functions:
        draw(parent, leaf_names, depth + 1)


if __name__ == "__main__":
    torch.manual_seed(0)
    x, target = torch.randn(8, 3), torch.randn(8, 2)
    hidden = torch.randn(3, 4, requires_grad=True)
    head = torch.randn(4, 2, requires_grad=True)
    names = {hidden: "hidden", head: "head"}

    for frozen in (False, True):
        hidden.requires_grad_(not frozen)
        loss = F.mse_loss(torch.relu(x @ hidden) @ head, target)
        print("hidden frozen" if frozen else "both train")
        draw(loss.grad_fn, names, depth=1)
