import torch
import torch.nn.functional as F
from torch import nn

embedding = nn.Embedding(num_embeddings=6, embedding_dim=3)
ids = torch.tensor([4, 1, 4])
one_hot = F.one_hot(ids, num_classes=6).float()
print("one-hot:", *one_hot.int().tolist(), sep="\n    ")
print("same values:", torch.equal(embedding(ids), one_hot @ embedding.weight))

embedding(ids).sum().backward()
print("gradient:", *embedding.weight.grad.tolist(), sep="\n    ")
