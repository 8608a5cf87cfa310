import torch

w = torch.zeros(1000, dtype=torch.float32, requires_grad=True)
optimizer = torch.optim.AdamW([w])
w.grad = torch.ones_like(w)
optimizer.step()
print(sum(state.nbytes for state in optimizer.state[w].values()))
