import torch
from torch import nn

trained, copied = nn.BatchNorm1d(1), nn.BatchNorm1d(1)
for _ in range(100):
    trained(torch.tensor([[18.0], [22.0]]))  # in train mode, the mean is 20

with torch.no_grad():
    for target, source in zip(copied.parameters(), trained.parameters()):
        target.copy_(source)

pairs = zip(copied.parameters(), trained.parameters())
print("all parameters equal:", all(torch.equal(a, b) for a, b in pairs))
for name, norm in (("trained", trained), ("copied", copied)):
    output = norm.eval()(torch.tensor([[20.0]])).item()
    mean = norm.running_mean.item()
    print(f"{name:7}  running mean {mean:4.1f}  output for 20: {output:4.1f}")
