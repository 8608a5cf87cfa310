import torch


def index_pairs(values, target):
    seen = {}  # value -> the indices at which it occurred
    for j, value in enumerate(values):
        for i in seen.get(target - value, ()):
            yield i, j
        seen.setdefault(value, []).append(j)


x = torch.tensor([1, 3, 1, 2])
print("1 3 1 2, 4:  ", list(index_pairs(x.tolist(), 4)))
print("1 1 1, 2:    ", list(index_pairs([1, 1, 1], 2)))
print("4, 8:        ", list(index_pairs([4], 8)))
print("0.1 0.2, 0.3:", list(index_pairs([0.1, 0.2], 0.3)))
