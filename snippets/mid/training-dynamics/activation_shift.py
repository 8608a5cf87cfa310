import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
x, t = torch.randn(256, 16), 20 * torch.randn(256, 1)
for norm in (nn.Identity, nn.BatchNorm1d, nn.LayerNorm):
    hidden = nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), norm(64)
    model, log = nn.Sequential(*hidden, nn.ReLU(), nn.Linear(64, 1)), []
    model[3].register_forward_hook(lambda m, i, out, log=log: log.append(out.std()))
    for _ in range(301):
        gradients = torch.autograd.grad(F.mse_loss(model(x), t), model.parameters())
        with torch.no_grad():
            for w, g in zip(model.parameters(), gradients, strict=True):
                w -= 0.003 * g
    print(f"{norm.__name__:12} std {log[0]:.1f}, after 300 steps {log[300]:.1f}")
