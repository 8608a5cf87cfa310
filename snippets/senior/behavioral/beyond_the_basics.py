import torch
from torch.optim import SGD, AdamW
from torch.utils.data import DistributedSampler


def stepped(optimizer, gradient, **options):
    w = torch.ones(1, requires_grad=True)
    w.grad = torch.full((1,), gradient)
    optimizer([w], lr=0.1, **options).step()
    return w


sampler = DistributedSampler(range(100), num_replicas=2, rank=0, shuffle=True)
x = torch.arange(8.0)
assert sum(torch.ones(1000, dtype=torch.bfloat16)) == 256  # not 1000
assert stepped(AdamW, 0.0) < 1  # a gradient of zero moves the weight
assert stepped(SGD, 1.0, fused=True)._version == 0  # written, but not counted
assert torch.ones(100, 10)[:1].detach().untyped_storage().nbytes() == 4000
assert list(sampler) == list(sampler)  # two epochs, one order
assert sum(part.mean() for part in x.split([2, 6])) / 2 != x.mean()
print("6 of 6 hold")
