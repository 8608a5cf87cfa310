import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(num_embeddings=100, embedding_dim=4)
calls = {
    "embedding(100)": lambda: embedding(torch.tensor([100])),
    "embedding(-1)": lambda: embedding(torch.tensor([-1])),
    "embedding.weight[-1]": lambda: embedding.weight[torch.tensor([-1])],
}
for name, call in calls.items():
    try:
        print(f"{name:21} a row: {tuple(call().shape)}")
    except IndexError as error:
        print(f"{name:21} {type(error).__name__}: {error}")
