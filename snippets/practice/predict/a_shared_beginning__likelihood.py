import torch
from torch.nn.functional import logsigmoid

# Log-probabilities of tokens: two that both answers share, then one each.
shared = torch.tensor([-1.0, -2.0], requires_grad=True)
last = torch.tensor([-3.0, -1.0], requires_grad=True)
chosen, rejected = shared.sum() + last
loss = -chosen + 0 * logsigmoid(rejected)
loss.backward()
print(shared.grad, last.grad.sign())
