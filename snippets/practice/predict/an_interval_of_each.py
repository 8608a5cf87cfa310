import torch

question = torch.arange(200)
a, b = (question < 120).double(), ((question >= 3) & (question < 135)).double()


def interval(x):
    half = 1.96 * x.std() / len(x) ** 0.5
    return (x.mean() - half).item(), (x.mean() + half).item()


overlap = interval(a)[1] > interval(b)[0]
print(overlap, interval(b - a)[0] > 0)
