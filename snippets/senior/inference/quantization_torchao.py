# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "torchao>=0.18"]
#
# [tool.warmup]
# needs = "torchao"
# ///
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torchao.quantization import (
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    quantize_,
)


class Products(TorchDispatchMode):
    """Notes each matrix product and the dtype of its weights."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if "mm" in function.__name__:
            # Inputs in int8 become uint8 on a CPU with AVX512_VNNI and no AMX.
            dtype = [a.dtype for a in args if isinstance(a, torch.Tensor)][-1]
            self.seen = f"{function.__name__.split('.')[0]} of {dtype}"
        return function(*args, **(kwargs or {}))


def stored(model: nn.Module) -> int:
    """Bytes of the weights, as integers and scales where they are quantized."""
    total = 0
    for p in model.parameters():
        parts = (p.qdata, p.scale) if hasattr(p, "qdata") else (p,)
        total += sum(part.numel() * part.element_size() for part in parts)
    return total


if __name__ == "__main__":
    for config in (
        None,
        Int8WeightOnlyConfig(),
        Int8DynamicActivationInt8WeightConfig(),
    ):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 512))
        x = torch.randn(8, 512)
        with torch.no_grad(), Products() as products:
            exact = model(x)
            if config:
                quantize_(model, config)  # in place
            error = (model(x) - exact).norm() / exact.norm()
        name = type(config).__name__ if config else "float32"
        print(f"{name}: {stored(model)} bytes, error {error:.1%}")
        print(f"  {products.seen.replace('torch.', '')}")
