import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(10, 4, padding_idx=0)
print(
    "padding row after the constructor:", *(f"{x:.2f}" for x in embedding.weight[0])
)

short, padded = torch.tensor([5, 7]), torch.tensor([5, 7, 0, 0])
ratio = embedding(short).mean(dim=0) / embedding(padded).mean(dim=0)
print("mean without padding / with it:   ", *(f"{x:.2f}" for x in ratio))

nn.init.normal_(embedding.weight, std=0.02)
print(
    "padding row after your own init:  ", *(f"{x:.2f}" for x in embedding.weight[0])
)
