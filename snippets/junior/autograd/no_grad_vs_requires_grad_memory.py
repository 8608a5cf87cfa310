import torch
from torch import nn


def saved_activations(model: nn.Module, x: torch.Tensor) -> tuple[int, int]:
    """Number and bytes of what ``model(x)`` saves, without weights, buffers and x.

    x has any shape that the model takes. Shared memory counts once.
    """
    known = {
        tensor.untyped_storage().data_ptr()
        for tensor in (x, *model.parameters(), *model.buffers())
    }
    saved: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        model(x)
    return len(saved), sum(saved.values())


def frozen_but(*trainable: int) -> nn.Module:
    """Four Linear layers with ReLU between; only the listed ones are trained.

    float32, input and output (N, 64).
    """
    layers = [
        nn.Linear(64, 64).requires_grad_(number in trainable)
        for number in (1, 2, 3, 4)
    ]
    return nn.Sequential(
        layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2], nn.ReLU(), layers[3]
    )


if __name__ == "__main__":
    print("trained layers   saved activations    bytes")
    for trainable in ((1, 2, 3, 4), (1,), (2,), (3,), (4,), ()):
        count, size = saved_activations(
            frozen_but(*trainable), torch.randn(128, 64)
        )
        print(f"{', '.join(map(str, trainable)) or 'none':12} {count:21} {size:8,}")
