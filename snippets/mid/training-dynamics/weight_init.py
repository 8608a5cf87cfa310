import torch
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
x = torch.randn(64, 256)
xavier, he = nn.init.xavier_normal_, nn.init.kaiming_normal_
inits = {"nn.Linear": lambda w: w, "Xavier": xavier, "He": he}
print("init       var * fan_in   std after 50 layers: tanh    ReLU")
for name, init in inits.items():
    weights = [init(nn.Linear(256, 256).weight.data) for _ in range(50)]
    tanh, relu = x, x
    for w in weights:
        tanh, relu = torch.tanh(tanh @ w.T), torch.relu(relu @ w.T)
    spread = 256 * torch.stack(weights).var()
    print(f"{name:9} {spread:13.2f} {tanh.std():26.0e} {relu.std():7.0e}")
