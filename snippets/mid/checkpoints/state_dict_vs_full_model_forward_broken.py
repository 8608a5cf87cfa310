import io

import torch
from torch import nn


class Net(nn.Linear):
    def forward(self, x):
        return super().forward(x)


net, x, file = Net(2, 3), torch.ones(1, 2), io.BytesIO()
torch.save(net, file)
before = net(x)
Net.forward = lambda self, x: 10 * nn.Linear.forward(self, x)  # a later edit

file.seek(0)
loaded = torch.load(file, weights_only=False)
print("weights as saved:", torch.equal(loaded.weight, net.weight))
print("output as saved: ", torch.equal(loaded(x), before))
