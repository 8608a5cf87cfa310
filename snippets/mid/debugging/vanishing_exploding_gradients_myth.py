import torch
from torch import nn

for rate in (1e-6, 10.0):
    torch.manual_seed(0)
    parts = [p for _ in range(10) for p in (nn.Linear(8, 8), nn.Sigmoid())]
    model = nn.Sequential(*parts)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    model(torch.ones(1, 8)).sum().backward()
    optimizer.step()
    norm = model[0].weight.grad.norm()
    print(
        f"rate {rate:<6}  gradient {norm:.1e}   gradient below 1e-6: {norm < 1e-6}"
    )
