import torch


def window_hashes(tokens, k):
    weights = 256 ** torch.arange(k - 1, -1, -1)  # no modulus
    return (tokens.unfold(0, k, 1) * weights).sum(dim=1)


print("256**7, 256**8:", (256 ** torch.tensor([7, 8])).tolist())
a = torch.tensor([1, 5, 5, 5, 5, 5, 5, 5, 5])
b = torch.tensor([2, 5, 5, 5, 5, 5, 5, 5, 5])
print("one hash:", torch.equal(window_hashes(a, 9), window_hashes(b, 9)))
