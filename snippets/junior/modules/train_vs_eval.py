import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5))
linear, batch_norm, dropout = model
x = torch.randn(1000, 4)
first = x[:1]


def depends_on_neighbors(layer: nn.Module) -> bool:
    """Whether ``first``, float32 (1, 4), comes out differently in two batches of 2."""
    with_zeros = torch.cat([first, torch.zeros_like(first)])
    with_ones = torch.cat([first, torch.ones_like(first)])
    return not torch.equal(layer(with_zeros)[0], layer(with_ones)[0])


for mode in (True, False):
    model.train(mode)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    print("model.train()" if mode else "model.eval()")
    flags = [module.training for module in model.modules()]
    print("  flags:                      ", flags)
    print("  Linear depends on neighbors:", depends_on_neighbors(linear))
    print("  BatchNorm does:             ", depends_on_neighbors(batch_norm))
    print(f"  Dropout sets to zero:        {(dropout(x) == 0).float().mean():.0%}")
    print("  output requires grad:       ", model(x).requires_grad)
    after = model.state_dict()
    changed = [key for key in before if not torch.equal(before[key], after[key])]
    print("  changed by that:            ", changed)
