import torch
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten


class LinkBytes(TorchDispatchMode):
    """Counts the bytes that copies from the CPU send to another device.

    ``total`` is in bytes. It follows CUDA's copies: a blocking copy converts on
    the CPU, a non-blocking one on the GPU. The device "meta" can stand for a GPU.
    """

    def __init__(self) -> None:
        super().__init__()
        self.total = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if func in (aten._to_copy.default, aten.copy_.default):
            source, late = args[0], kwargs.get("non_blocking", False)
            if func is aten.copy_.default:
                source, late = args[1], late or (len(args) > 2 and args[2])
            if source.device.type == "cpu" != out.device.type:
                sent = source.dtype if late else out.dtype
                self.total += out.numel() * sent.itemsize
        return out


if __name__ == "__main__":
    gpu = "meta"
    x = torch.zeros(256, 3, 224, 224, dtype=torch.uint8)  # images
    ids = torch.zeros(64, 4096, dtype=torch.int64)
    mask = torch.ones(4096, 4096, dtype=torch.bool)
    sends = {
        "x.float().to(gpu)": lambda: x.float().to(gpu),
        "x.to(gpu, torch.float32)": lambda: x.to(gpu, torch.float32),
        "x.to(gpu, torch.float32, non_blocking=True)": lambda: x.to(
            gpu, torch.float32, non_blocking=True
        ),
        "x.to(gpu).float()": lambda: x.to(gpu).float(),
        "ids.to(gpu)": lambda: ids.to(gpu),
        "mask.expand(64, -1, -1).to(gpu)": lambda: mask.expand(64, -1, -1).to(gpu),
        "mask.to(gpu).expand(64, -1, -1)": lambda: mask.to(gpu).expand(64, -1, -1),
    }
    print(f"{'':44}{'MB':>7}{'ms at 64 GB/s':>16}")
    for line, send in sends.items():
        with LinkBytes() as link:
            send()
        print(f"{line:44}{link.total / 1e6:7.1f}{link.total / 64e9 * 1e3:16.2f}")
