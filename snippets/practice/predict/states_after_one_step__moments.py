import torch

w = torch.zeros(1000, dtype=torch.bfloat16, requires_grad=True)
optimizer = torch.optim.AdamW([w])
w.grad = torch.ones_like(w)
optimizer.step()
print(sum(state.nbytes for state in optimizer.state[w].values() if state.dim()))
