import torch
import torch.nn.functional as F


def log_of_softmax(logits, target):
    return -torch.log(torch.softmax(logits, dim=-1))[target]


for loss_function in (log_of_softmax, F.cross_entropy):
    logits = torch.tensor([90.0, 0.0], requires_grad=True)
    loss = loss_function(logits, torch.tensor(1))
    loss.backward()
    print(f"{loss_function.__name__:14} loss {loss.item():.1f}", end=", ")
    print("gradient", logits.grad.tolist())
