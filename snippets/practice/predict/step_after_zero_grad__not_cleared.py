import torch

w = torch.ones(1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
w.sum().backward()
optimizer.step()
optimizer.step()
print(round(w.item(), 4))
