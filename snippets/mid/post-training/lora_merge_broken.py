import torch

torch.manual_seed(0)
width, rank = 512, 8
weight = (torch.randn(width, width) * 0.02).bfloat16()
x = torch.randn(256, width).double()
for size in (1e-2, 1e-3, 1e-4):
    A = torch.randn(rank, width).double() / width**0.5
    B = torch.randn(width, rank).double() * size
    update = 2 * B @ A  # alpha / r is 2
    merged = (weight.double() + update).bfloat16()  # the sum is rounded here
    lost = merged.double() - weight.double() - update
    share = update.norm() / weight.double().norm()
    same = (merged == weight).double().mean()
    wrong = (x @ lost.T).norm() / (x @ update.T).norm()
    print(f"update {share:5.1%} of the weight:", end=" ")
    print(f"{same:3.0%} of weights unchanged, its effect is {wrong:3.0%} wrong")
