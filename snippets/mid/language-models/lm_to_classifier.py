import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Embedding(10, 8)
block = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True)


def pools(tokens):  # 0 is padding
    keep, size = tokens > 0, tokens.shape[1]
    h = block(embed(tokens), torch.ones(size, size).triu(1).bool())  # causal
    last = h[torch.arange(len(h)), (keep * torch.arange(size)).argmax(1)]
    mean = (h * keep[..., None]).sum(1) / keep.sum(1, keepdim=True)
    return h[:, 0], h[:, -1], last, h.mean(1), mean


names = ["first token", "last column", "last real", "mean of all", "mean of real"]
alone = pools(torch.tensor([[5, 3, 7]]))
changed = pools(torch.tensor([[5, 9, 9]]))
padded = pools(torch.tensor([[5, 3, 7, 0, 0], [1, 2, 3, 4, 5]]))
for name, a, b, c in zip(names, alone, changed, padded):
    reads, same = not torch.allclose(a, b), torch.allclose(a[0], c[0], atol=1e-6)
    print(f"{name:13} reads the text: {reads!s:6} same in a padded batch: {same}")
