import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

layer = nn.TransformerEncoderLayer(64, 4, 256, 0, "gelu", norm_first=True)
blocks = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).layers
weights, x, gradients = list(blocks.parameters()), torch.randn(64, 2, 64), []
for recompute in (False, True):
    kept, y = [], x
    with saved_tensors_hooks(lambda t, kept=kept: kept.append(t) or t, lambda t: t):
        for block in blocks:
            y = checkpoint(block, y, use_reentrant=False) if recompute else block(y)
    once = {t.untyped_storage().data_ptr(): t.untyped_storage() for t in kept}
    saved = once.keys() - {w.data_ptr() for w in weights}
    size = sum(once[key].nbytes() for key in saved) / x.nbytes
    gradients.append(torch.autograd.grad(y.square().mean(), weights))
    print(f"recompute {recompute!s:6}{size:5.1f} activations saved")
print("same gradients:", all(map(torch.equal, *gradients)))
