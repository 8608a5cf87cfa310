import torch
from torch.distributions import Normal

mu = torch.tensor(2.0, requires_grad=True)
q = Normal(mu, 1.0)
z = q.sample()
print(z.requires_grad, q.rsample().requires_grad, q.log_prob(z).requires_grad)
