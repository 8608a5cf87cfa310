import torch

n = 5
edges = torch.tensor([[0, 1, 1, 2, 3], [1, 0, 2, 1, 1]])  # from, to
loops = torch.arange(n).repeat(2, 1)
source, target = torch.cat([edges, loops], dim=1)
scale = torch.bincount(target, minlength=n).rsqrt()  # 1 / sqrt(degree)
weight = scale[source] * scale[target]
x = torch.eye(n)  # row i of the output is what node i takes from each node
out = torch.zeros(n, n).index_add(0, target, x[source] * weight[:, None])
print(out)

a = torch.eye(n).index_put((edges[1], edges[0]), torch.ones(5), accumulate=True)
d = a.sum(dim=1).rsqrt().diag()
print("equals D^-1/2 (A + I) D^-1/2 X:", torch.allclose(out, d @ a @ d @ x))
