import torch
from torch.optim import SGD, Adam, AdamW

print("weights of 1 after a step with gradients 100 and 0.01")
for weight_decay in (0.0, 0.5):
    for build in (SGD, Adam, AdamW):
        w = torch.ones(2, requires_grad=True)
        optimizer = build([w], lr=0.1, weight_decay=weight_decay)
        w.grad = torch.tensor([100.0, 0.01])
        optimizer.step()
        a, b = w.tolist()
        print(f"decay {weight_decay}  {build.__name__:6} {a:7.3f} {b:7.3f}")
