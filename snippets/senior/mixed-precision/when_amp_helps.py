import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


class CountTraffic(TorchDispatchMode):
    """Counts operations, and the bytes that they read and write."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = self.calls = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if func._schema.returns[0].alias_info is None:  # not a view
            self.calls += 1
            tensors = [t for t in (*args, out) if isinstance(t, torch.Tensor)]
            self.bytes += sum(t.nbytes for t in tensors)
        return out


def traffic(
    rows: int,
    autocast: bool = False,
    dtype: torch.dtype = torch.float32,
    width: int = 256,
    backward: bool = True,
) -> tuple[int, int]:
    """Operations and bytes of forward and backward through four square layers."""
    layers = [nn.Linear(width, width, dtype=dtype) for _ in range(4)]
    model = nn.Sequential(
        *(each for layer in layers for each in (layer, nn.ReLU()))
    )
    x = torch.ones(rows, width, dtype=dtype)
    with CountTraffic() as count:
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            output = model(x)
        if backward:
            output.backward(torch.ones_like(output))
    return count.calls, count.bytes


if __name__ == "__main__":
    print("              operations        bytes, float32 = 1")
    print("rows     float32  autocast     autocast  bfloat16 model")
    for rows in (1, 16, 128, 2048):
        calls, plain = traffic(rows)
        mixed_calls, mixed = traffic(rows, autocast=True)
        _, low = traffic(rows, dtype=torch.bfloat16)
        print(f"{rows:4}{calls:12}{mixed_calls:10}", end="")
        print(f"{mixed / plain:13.2f}{low / plain:16.2f}")
