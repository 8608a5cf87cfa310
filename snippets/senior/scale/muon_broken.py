import torch
from torch import nn

torch.manual_seed(0)
model = nn.ModuleDict(
    {
        "embedding": nn.Embedding(100, 64),
        "hidden": nn.Linear(64, 256),
        "norm": nn.LayerNorm(256),
        "head": nn.Linear(256, 100, bias=False),
    }
)
try:
    torch.optim.Muon(model.parameters())
except ValueError as error:
    reason, found = str(error).split(" whereas ")
    print(f"ValueError: {reason}\n  whereas {found}")
matrices = {name: p for name, p in model.named_parameters() if p.ndim == 2}
torch.optim.Muon(matrices.values())
print("no error for:", *matrices)


def size(optimizer, **options) -> float:
    """Root mean square of an update, in learning rates, after 40 of noise."""
    weight = nn.Parameter(torch.zeros(64, 256))
    steps = optimizer([weight], lr=1.0, weight_decay=0.0, **options)
    for _ in range(40):
        before = weight.detach().clone()
        weight.grad = torch.randn(64, 256)
        steps.step()
    return (weight.detach() - before).square().mean().sqrt().item()


print(f"\nAdamW                   {size(torch.optim.AdamW):.2f}")
for adjust in ("original", "match_rms_adamw"):
    print(f"Muon {adjust:15}    {size(torch.optim.Muon, adjust_lr_fn=adjust):.2f}")
