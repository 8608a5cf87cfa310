import torch
from torch.autograd.functional import jacobian

torch.manual_seed(0)
x = torch.randint(-3, 4, (4, 3)).float()
W = torch.randint(-3, 4, (5, 3)).float()
dz = torch.randint(-3, 4, (4, 5)).float()

J = jacobian(lambda W: x @ W.T, W)
print("Jacobian of z by W:", tuple(J.shape), J.numel(), "numbers,", end=" ")
print("zeros at least:", int((J == 0).sum()) >= 4 * 5 * 3 * 4)
print("dz times Jacobian equals dz.T @ x:", end=" ")
print(torch.equal(torch.einsum("no,nohi->hi", dz, J), dz.T @ x))
