import torch

logits = torch.tensor([2.0, 1.0, 0.0], requires_grad=True)
experts = torch.tensor([10.0, 4.0, 1.0])  # what each expert returns
top, chosen = logits.softmax(0).topk(1)
gates = top / top.sum()
(gates * experts[chosen]).sum().backward()
print(round(logits.grad.abs().sum().item(), 1))
