import torch
import torch.nn.functional as F
from torch.autograd.graph import Node


def draw(start: Node | None, leaf_names: dict[torch.Tensor, str]) -> None:
    """Print the graph below ``start``, indented, each node with its inputs once.

    A node that was printed before is marked, so any graph takes one line per edge.

    Args:
        start: ``grad_fn`` of a tensor of any shape and dtype, or None.
        leaf_names: names of leaves; a leaf that is missing prints its shape.
    """
    todo, seen = [(start, 0)], set()
    while todo:
        node, depth = todo.pop()
        label = str(node and node.name())
        if label.endswith("AccumulateGrad"):
            leaf = node.variable
            label = f"AccumulateGrad of {leaf_names.get(leaf, tuple(leaf.shape))}"
        print("  " * depth + label + " (again)" * (node in seen))
        if node is not None and node not in seen:
            seen.add(node)
            parents = [(parent, depth + 1) for parent, _ in node.next_functions]
            todo += reversed(parents)


if __name__ == "__main__":
    torch.manual_seed(0)
    x, target = torch.randn(8, 3), torch.randn(8, 2)
    hidden = torch.randn(3, 4, requires_grad=True)
    head = torch.randn(4, 2, requires_grad=True)

    for frozen in (False, True):
        hidden.requires_grad_(not frozen)
        loss = F.mse_loss(torch.relu(x @ hidden) @ head, target)
        print("hidden frozen" if frozen else "both train")
        draw(loss.grad_fn, {hidden: "hidden", head: "head"})
