import warnings

import torch
from torch import nn
from torch.ao.quantization import quantize_dynamic

for message in (
    r"`torch\.jit\.",
    "torch.ao.quantization is deprecated",
    "torch.quantize_per_tensor",
):
    warnings.filterwarnings("ignore", message=message)

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)).eval()
inputs = torch.randn(32, 256)
expected = model(inputs)

candidates = {
    "float32": model,
    "script, then quantize": quantize_dynamic(
        torch.jit.script(model), {nn.Linear}, dtype=torch.qint8
    ),
    "quantize": quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8),
    "quantize, then script": torch.jit.script(
        quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)
    ),
}
print("                       float32 weight bytes   same outputs as float32")
for name, candidate in candidates.items():
    size = sum(parameter.nbytes for parameter in candidate.parameters())
    print(f"{name:22} {size:21,} {torch.equal(candidate(inputs), expected)!s:>25}")
