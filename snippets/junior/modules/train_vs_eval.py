import torch
from torch import nn

model = nn.Sequential(nn.Dropout(0.5), nn.BatchNorm1d(1))
dropout, norm = model
x = torch.tensor([[10.0], [30.0]])

for mode in (True, False):
    model.train(mode)
    before = norm.running_mean.item()
    output = norm(x)
    print("model.train()" if mode else "model.eval()")
    print("  dropout turns ones into ", dropout(torch.ones(100)).unique().tolist())
    normalized = [round(y, 1) for y in output.flatten().tolist()]
    print("  batch norm: 10 and 30 to", normalized)
    print("  running mean            ", before, "->", norm.running_mean.item())
    print("  output requires grad    ", output.requires_grad)
