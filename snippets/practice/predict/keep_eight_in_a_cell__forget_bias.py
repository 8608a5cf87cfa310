import torch
from torch import nn

lstm = nn.LSTM(1, 1)
for parameter in lstm.parameters():
    nn.init.zeros_(parameter)
nn.init.constant_(lstm.bias_ih_l0[1:2].detach(), 100)
state = torch.zeros(1, 1, 1), torch.full((1, 1, 1), 8.0)
_, (h, c) = lstm(torch.ones(3, 1, 1), state)
print(c.item())
