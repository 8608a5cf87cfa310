import torch

w = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
(w * torch.tensor([30.0, 40.0])).sum().backward()
torch.nn.utils.clip_grad_norm_([w], max_norm=1.0)
optimizer.step()
print([round(value, 4) for value in w.tolist()])
