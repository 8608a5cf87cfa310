import torch


def hashes(tokens, k):
    powers = 256 ** torch.arange(k - 1, -1, -1)  # no modulus
    exact = (tokens.unfold(0, k, 1) * powers).sum(dim=1)
    return exact, exact.float()  # float32, as torch.zeros() would make it


print("256**7 and 256**8:", (256 ** torch.tensor([7, 8])).tolist())
a = torch.tensor([1, 5, 5, 5, 5, 5, 5, 5, 5])
b = torch.tensor([2, 5, 5, 5, 5, 5, 5, 5, 5])
print("9-grams with one hash:", hashes(a, 9)[0].item() == hashes(b, 9)[0].item())
generator = torch.Generator().manual_seed(0)
tokens = torch.randint(256, (3003,), generator=generator)
exact, rounded = hashes(tokens, 4)
print(
    "4-grams changed by float32:", (rounded.long() != exact).sum().item(), "of 3000"
)
