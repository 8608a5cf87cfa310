import torch


def shrink(x: torch.Tensor) -> torch.Tensor:
    while x.norm() > 1:
        x = x / 2
    return x.sum() if x[0] > 0 else x.prod()


for values in ([3.0, 4.0], [12.0, 16.0], [-0.3, 0.4]):
    x = torch.tensor(values, requires_grad=True)
    node, names = shrink(x).grad_fn, []
    while node.next_functions:
        names.append(node.name().removesuffix("Backward0"))
        node = node.next_functions[0][0]
    print(values, "->", *names)
