import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(512, 16)
print("  p  running_var  std out, train  std out, eval")
for p in (0.0, 0.2, 0.5, 0.8):
    batch_norm = nn.BatchNorm1d(16)
    model = nn.Sequential(nn.Dropout(p), batch_norm)
    for _ in range(200):
        trained = model.train()(x)
    evaluated = model.eval()(x)
    stored = batch_norm.running_var.mean()
    print(f"{p}  {stored:11.4f}  {trained.std():14.4f}  {evaluated.std():13.4f}")
