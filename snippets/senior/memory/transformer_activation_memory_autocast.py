import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

flags = {"batch_first": True, "norm_first": True}
block = nn.TransformerEncoderLayer(256, 4, 1024, 0, "gelu", **flags)
weights = {p.data_ptr() for p in block.parameters()}
shapes = {
    s for p in block.parameters() if p.dim() == 2 for s in (p.shape, p.mT.shape)
}
print("times the float32 input   activations  copies of weights")
for length in (128, 512, 2048):
    x, kept = torch.randn(1, length, 256, requires_grad=True), []
    hooks = saved_tensors_hooks(kept.append, lambda _: None)
    with torch.autocast("cpu", torch.bfloat16), hooks:
        block(x)
    sizes = {False: 0, True: 0}
    for key, t in {t.untyped_storage().data_ptr(): t for t in kept}.items():
        if key not in weights:
            sizes[t.shape in shapes] += t.untyped_storage().nbytes()
    activations, copies = (size / x.nbytes for size in sizes.values())
    print(f"{length:4} tokens{activations:27.2f}{copies:19.2f}")
