import torch
from torch.autograd.graph import Node


def kept(node: Node) -> str:
    """What the node of a built-in operation holds for backward, as "name=value".

    The graph has not been freed yet. Values are tensors, sizes or plain numbers.
    """
    names = [name for name in dir(node) if name.startswith("_saved_")]
    values = {name.removeprefix("_saved_"): getattr(node, name) for name in names}
    return ", ".join(
        f"{name}={value.tolist() if isinstance(value, torch.Tensor) else value}"
        for name, value in values.items()
        if value is not None
    )


if __name__ == "__main__":
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = torch.tensor([1.0, 4.0], requires_grad=True)
    square, triple, product = x**2, 3 * y, x * y
    z = square + triple + product
    total = z.sum()
    results = {"x**2": square, "3*y": triple, "x*y": product, "+": z, "sum": total}
    for operation, result in results.items():
        name = result.grad_fn.name()
        print(f"{operation:4} {name:13} keeps {kept(result.grad_fn)}")

    one = torch.ones(2)
    print("\ngiven a gradient of ones, a node returns one gradient per input")
    print("x**2", square.grad_fn(one).tolist())
    print("x*y ", [gradient.tolist() for gradient in product.grad_fn(one)])
