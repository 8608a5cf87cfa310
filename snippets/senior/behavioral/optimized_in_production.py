import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode


class Operators(TorchDispatchMode):
    count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


layer = nn.TransformerEncoderLayer(512, 8, batch_first=True, device="meta")
model = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).eval()
x = torch.empty(32, 512, 512, device="meta")  # 32 texts, padded to 512 tokens
mask = torch.zeros(32, 512, dtype=torch.bool, device="meta")
flops, launches = FlopCounterMode(display=False), Operators()
with flops, launches, torch.inference_mode():
    model(x, src_key_padding_mask=mask)
size, total = sum(p.nbytes for p in model.parameters()), flops.get_total_flops()
print(f"launches   {launches.count * 10 / 1e3:6.2f} ms  {launches.count} operators")
print(f"weights    {size / 1e6 / 1e3:6.2f} ms  {size:,} bytes")
print(f"arithmetic {total / 1e7 / 1e3:6.2f} ms  {total:,} FLOPs")
