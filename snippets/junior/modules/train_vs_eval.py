import torch
from torch import nn

model = nn.Sequential(nn.Dropout(0.5), nn.BatchNorm1d(1))
dropout, batch_norm = model
x = torch.tensor([[10.0], [30.0]])

for mode in (True, False):
    model.train(mode)
    before = batch_norm.running_mean.item()
    output = batch_norm(x)
    after = batch_norm.running_mean.item()
    print("model.train()" if mode else "model.eval()")
    print("  dropout turns ones into ", dropout(torch.ones(100)).unique().tolist())
    normalized = [round(y, 1) for y in output.flatten().tolist()]
    print("  batch norm: 10 and 30 to", normalized)
    print(f"  running mean             {before} -> {after}")
    print("  output requires grad    ", output.requires_grad)
