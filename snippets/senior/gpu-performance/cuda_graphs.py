import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Capture(TorchDispatchMode):
    """Keeps each operation with its tensors; ``replay()`` runs them again.

    A model of a CUDA graph on a CPU: replay writes into the captured outputs.
    For operations that return one tensor.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.calls.append((func, args, kwargs or {}, out))
        return out

    @torch.no_grad()
    def replay(self) -> None:
        for func, args, kwargs, out in self.calls:
            out.copy_(func(*args, **kwargs))


if __name__ == "__main__":
    x, scale, bonus = torch.ones(2), 2.0, False
    with Capture() as graph:
        y = x * scale
        if bonus:
            y = y + 100
    print("captured:           ", y.tolist())
    captured_x = x
    x, scale, bonus = torch.full((2,), 7.0), 5.0, True
    graph.replay()
    print("x, scale, bonus new:", y.tolist())
    captured_x.copy_(x)
    graph.replay()
    print("x copied in:        ", y.tolist())
