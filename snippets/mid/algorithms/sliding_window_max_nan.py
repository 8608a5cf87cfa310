from collections import deque
from math import nan

import torch


def sliding_max(values, window, is_nan):
    best, result = deque(), []
    for now, value in enumerate(values):
        while best and (values[best[-1]] <= value or is_nan(value)):
            best.pop()
        best.append(now)
        if best[0] == now - window:
            best.popleft()
        if now >= window - 1:
            result.append(values[best[0]])
    return result


values = [1.0, 5.0, nan, 2.0, 3.0, 1.0]
print("max()   ", [max(values[i : i + 3]) for i in range(4)])
print("deque   ", sliding_max(values, 3, lambda value: False))
print("with NaN", sliding_max(values, 3, lambda value: value != value))
print("torch   ", torch.tensor(values).unfold(0, 3, 1).amax(dim=1).tolist())
