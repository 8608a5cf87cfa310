import torch

model = torch.nn.Linear(4, 10)
logits = model(torch.randn(100, 4))
row = logits[0].detach().clone()
del logits
print(row.untyped_storage().nbytes())
