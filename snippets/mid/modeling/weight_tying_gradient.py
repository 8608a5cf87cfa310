import torch
from torch import nn
from torch.nn.functional import cross_entropy

torch.manual_seed(0)
tokens = torch.tensor([3, 5])
embed, head = nn.Embedding(10, 4), nn.Linear(4, 10, bias=False)
head.weight.data.copy_(embed.weight.data)  # equal numbers, two parameters
cross_entropy(head(embed(tokens).tanh()), tokens + 1).backward()
parts = embed.weight.grad.clone(), head.weight.grad.clone()

embed.weight.grad = None
head.weight = embed.weight  # one parameter
cross_entropy(head(embed(tokens).tanh()), tokens + 1).backward()
print("rows from the lookup:", parts[0].any(dim=1).nonzero().flatten().tolist())
print("rows from the output:", parts[1].any(dim=1).nonzero().flatten().tolist())
print("tied gradient is the sum:", torch.allclose(embed.weight.grad, sum(parts)))
