import torch
from torch import nn
from torch.nn.functional import silu

net = nn.ModuleDict({n: nn.Linear(1, 1, bias=False) for n in ("gate", "up")})
a, b = torch.tensor([[-100.0]]), torch.tensor([[1.0]])
x = torch.ones(1)
for state in (
    {"gate.weight": a, "up.weight": b},
    {"gate.weight": b, "up.weight": a},
):
    print(net.load_state_dict(state), round((silu(net.gate(x)) * net.up(x)).item()))
