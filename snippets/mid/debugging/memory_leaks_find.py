import gc

import torch


def python_holders(tensor: torch.Tensor) -> list[str]:
    """Types of the containers that refer to this Python object, sorted.

    Frames are left out, so a local variable does not count. References from C++,
    such as those of an autograd graph, are not seen.
    """
    found = [type(each).__name__ for each in gc.get_referrers(tensor)]
    return sorted(name for name in found if name != "frame")


def graph_holders(root: torch.Tensor, tensor: torch.Tensor) -> list[str]:
    """Nodes of the graph of ``root`` that saved the storage of ``tensor``, sorted.

    Raises:
        RuntimeError: a node's saved tensors were freed, or modified in place.
    """
    found, seen, todo = set(), set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        todo += [parent for parent, _ in node.next_functions]
        for name in dir(node):
            if not name.startswith("_saved_") and name != "saved_tensors":
                continue
            saved = getattr(node, name)
            for each in saved if isinstance(saved, tuple | list) else [saved]:
                if (
                    isinstance(each, torch.Tensor)
                    and each.untyped_storage()._cdata
                    == tensor.untyped_storage()._cdata
                ):
                    found.add(f"{node.name()}.{name}")
    return sorted(found)


def demonstrate() -> None:
    w = torch.ones(4, requires_grad=True)
    listed, closed, kept = torch.ones(4), torch.ones(4), (2 * w).exp()
    history, hook = [listed], lambda: closed
    loss = kept.sum()
    print("in a list:    ", python_holders(listed))
    print("in a closure: ", python_holders(closed))
    print("in a graph:   ", python_holders(kept), graph_holders(loss, kept))
    del history, hook


if __name__ == "__main__":
    demonstrate()
