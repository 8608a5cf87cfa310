import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.attention import SDPBackend, sdpa_kernel

flags = {"batch_first": True, "norm_first": True}
block = nn.TransformerEncoderLayer(256, 4, 1024, 0, "gelu", **flags)
weights = {p.data_ptr() for p in block.parameters()}
fixed = 16 * sum(p.numel() for p in block.parameters())
print("MiB         16 B per weight       saved, fused      saved, scores")
for batch, length in ((1, 256), (1, 768), (8, 256), (2, 1024), (1, 2048)):
    x, sizes = torch.randn(batch, length, 256, requires_grad=True), [fixed]
    for attention in (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH):
        kept, unpack = [], lambda _: None
        with sdpa_kernel(attention), saved_tensors_hooks(kept.append, unpack):
            block(x)
        once = {t.untyped_storage().data_ptr(): t.untyped_storage() for t in kept}
        sizes.append(sum(once[key].nbytes() for key in once.keys() - weights))
    print(f"{batch} x {length:4}", *(f"{n / 2**20:18.1f}" for n in sizes))
