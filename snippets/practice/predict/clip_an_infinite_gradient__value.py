import torch

w = torch.zeros(3, requires_grad=True)
w.grad = torch.tensor([3.0, 4.0, float("inf")])
torch.nn.utils.clip_grad_value_([w], clip_value=1.0)
print(w.grad.tolist())
