import torch

edges = torch.tensor([[0, 1, 1, 2, 3], [1, 0, 2, 1, 1]])  # node 4 has no edge
source, target = edges
ones = torch.ones(5)

right = torch.zeros(5).index_add(0, target, ones[source])
wrong = torch.zeros(5)
wrong[target] += ones[source]
print("neighbors, index_add:     ", right.tolist())
print("neighbors, out[target] +=:", wrong.tolist())

a = torch.zeros(5, 5)
a[target, source] = 1.0
scale = a.sum(dim=1).rsqrt().diag()
print("without self-loops:       ", (scale @ a @ scale @ ones).tolist())
