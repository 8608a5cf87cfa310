import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.randn(32, 2, requires_grad=True)
for create_graph in False, True:
    for strength in 0, 10:
        model.zero_grad()
        output = model(x).mean()
        (slope,) = torch.autograd.grad(
            output, x, create_graph=create_graph, retain_graph=True
        )
        (output + strength * slope.square().sum()).backward()
        if strength == 0:
            without = model[0].weight.grad.clone()
    same = torch.equal(model[0].weight.grad, without)
    print(
        f"create_graph={create_graph!s:5}  penalty changes the gradient: {not same}"
    )
