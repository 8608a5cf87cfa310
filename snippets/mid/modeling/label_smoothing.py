import torch
from torch.nn import functional as F

K, eps = 5, 0.1
logits = torch.randn(4, K, dtype=torch.float64).requires_grad_()
labels = torch.tensor([0, 1, 4, 2])
target = (1 - eps) * F.one_hot(labels, K) + eps / K
loss = F.cross_entropy(logits, labels, label_smoothing=eps, reduction="sum")
by_hand = -(target * logits.log_softmax(dim=1)).sum()
(gradient,) = torch.autograd.grad(loss, logits)
print("first target:", *[f"{q:.2f}" for q in target[0]])
print("loss as by hand:", torch.allclose(loss, by_hand))
p = logits.softmax(dim=1)
print("gradient is p - q:", torch.allclose(gradient, p - target))
