import torch

x = torch.ones(4, requires_grad=True)
base = x * 1
a, b = base[:3], base[1:]
a.mul_(10)
(real,) = torch.autograd.grad(b.sum(), x)

arrives = torch.zeros(4)
arrives[1:] = torch.ones(3)  # AsStrided: b's gradient, put where b lies in base
print("CopySlices gets  ", arrives.tolist())
gradient = arrives.clone()  # of the size of the whole base
part = gradient[:3]  # where a lies in base
part.copy_(10 * part)  # the derivative of mul_(10)
print("CopySlices passes", gradient.tolist())
print("as autograd does:", torch.equal(gradient, real))
