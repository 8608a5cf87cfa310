from collections.abc import Callable

import torch


def memory(function: Callable[[torch.Tensor], torch.Tensor]) -> tuple[int, int]:
    """Bytes that function(h) allocates, and bytes alive once nobody holds h.

    h has 1000 float32 numbers and requires grad, but is no leaf. Alive are the
    result and what backward needs. Memory that is freed again does not count.
    """
    h = torch.linspace(0.1, 0.9, 1000).requires_grad_() * 1
    before, alive = h.untyped_storage().data_ptr(), {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        alive[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        pack(function(h))
    new = sum(size for address, size in alive.items() if address != before)
    return new, sum(alive.values())


if __name__ == "__main__":
    print("            allocated      alive")
    for name in ("relu", "exp", "neg", "sin", "square"):
        for method in (name, name + "_"):
            new, alive = memory(lambda h, method=method: getattr(h, method)())
            print(f"{'h.' + method + '()':12} {new:5} bytes {alive:5} bytes")
