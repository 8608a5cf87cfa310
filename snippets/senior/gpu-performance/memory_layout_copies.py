import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Copies(TorchDispatchMode):
    """Bytes that copies write while it is active."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if func.overloadpacket.__name__ in ("clone", "copy_", "_to_copy"):
            self.bytes += out.nbytes
        return out


heads = torch.randn(4, 16, 128, 64)  # batch, heads, tokens, width: 2 MiB
for name, function in {
    "transpose(1, 2)": lambda: heads.transpose(1, 2),
    "transpose(1, 2).reshape(4, 128, 1024)": lambda: heads.transpose(1, 2).reshape(
        4, 128, 1024
    ),
    "reshape(64, 128, 64)": lambda: heads.reshape(64, 128, 64),
    "heads @ heads.mT": lambda: heads @ heads.mT,
    "contiguous()": lambda: heads.contiguous(),
    "mT.contiguous()": lambda: heads.mT.contiguous(),
}.items():
    with Copies() as copies:
        function()
    print(f"{name:39}{copies.bytes / 2**20:.0f} MiB copied")
