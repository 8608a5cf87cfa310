import torch

draw = torch.Generator().manual_seed(0)
hidden = torch.randint(-127, 128, (1000, 64), generator=draw).double()
head = torch.randint(-127, 128, (4000, 64), generator=draw).double()
logits = hidden @ head.T  # whole numbers, exact in any order


def ties(logits):
    best, second = logits.topk(2).values.T
    return int((best == second).sum())


print("tokens of 1,000 whose two best logits are equal")
print("bfloat16                 ", ties(logits.bfloat16()))
print("bfloat16, then float()   ", ties(logits.bfloat16().float()))
print("float32 from the product ", ties(logits.float()))
