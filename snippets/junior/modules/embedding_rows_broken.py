import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW, Optimizer


def moved(optimizer_class: type[Optimizer], **options: float) -> list[bool]:
    torch.manual_seed(0)
    embedding = nn.Embedding(3, 4)
    optimizer = optimizer_class(embedding.parameters(), lr=0.1, **options)
    for row in (1, 2):
        before = embedding.weight.detach().clone()
        optimizer.zero_grad()
        embedding(torch.tensor([row])).sum().backward()
        optimizer.step()
    return (embedding.weight != before).any(dim=1).tolist()


print("row              0      1      2")
print("SGD         ", moved(SGD))
print("SGD momentum", moved(SGD, momentum=0.9))
print("Adam        ", moved(Adam))
print("AdamW       ", moved(AdamW))
