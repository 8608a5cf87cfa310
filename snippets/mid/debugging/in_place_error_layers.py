import torch
from torch import nn


def kept_for_backward(layer: nn.Module, x: torch.Tensor) -> set[str]:
    """Which of its two activations a layer keeps for backward.

    Args:
        layer: a module that maps one tensor to a new tensor.
        x: its input, float, any shape the layer takes; must require grad.

    Returns:
        A subset of {"input", "output"}; weights and statistics do not count.

    Raises:
        ValueError: x is empty, so it has no address by which to find it.
    """
    if not x.numel():
        raise ValueError("x is empty")
    kept: list[torch.Tensor] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        kept.append(tensor)
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        y = layer(x)
    addresses = {tensor.data_ptr() for tensor in kept}
    return {
        name
        for name, tensor in (("input", x), ("output", y))
        if tensor.data_ptr() in addresses
    }


def input_gradient(
    layer: nn.Module, x: torch.Tensor, in_place: bool
) -> torch.Tensor:
    """Gradient of ``((layer(x) + 1) ** 3).sum()`` for x, in the shape of x.

    Args:
        in_place: add the 1 by ``y += 1``.
    """
    y = layer(x)
    if in_place:
        y += 1
    else:
        y = y + 1
    return torch.autograd.grad((y**3).sum(), x)[0]


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(5, 4, requires_grad=True)
    layers = (
        nn.Linear(4, 4),
        nn.GELU(),
        nn.LayerNorm(4),
        nn.ReLU(),
        nn.Sigmoid(),
        nn.Tanh(),
        nn.Softmax(dim=-1),
    )
    print("layer      keeps its   then y += 1")
    for layer in layers:
        (kept,) = kept_for_backward(layer, x)
        try:
            same = torch.equal(
                input_gradient(layer, x, in_place=True),
                input_gradient(layer, x, in_place=False),
            )
            result = f"same gradient as y = y + 1: {same}"
        except RuntimeError as error:
            result = f"RuntimeError: {str(error)[:40]}..."
        print(f"{type(layer).__name__:10} {kept:11} {result}")
