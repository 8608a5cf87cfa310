# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "torchao>=0.18"]
#
# [tool.warmup]
# needs = "torchao"
# ///
import torch
from torch import nn
from torchao.quantization import IntxWeightOnlyConfig, PerGroup, quantize_
from torchao.quantization.qat import QATConfig

base = IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(32))
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
x, y = torch.randn(128, 64), torch.randint(10, (128,))

quantize_(model, QATConfig(base, step="prepare"))
print("prepared: ", type(model[0]).__name__, model[0].weight.dtype)
for _ in range(20):
    loss = nn.functional.cross_entropy(model(x), y)
    for p, g in zip(
        model.parameters(), torch.autograd.grad(loss, model.parameters())
    ):
        p.data -= 0.1 * g
trained = model(x)

quantize_(model, QATConfig(base, step="convert"))
print("converted:", type(model[0]).__name__, model[0].weight.qdata.dtype)
print("outputs as in training:", torch.allclose(model(x), trained, atol=1e-5))
