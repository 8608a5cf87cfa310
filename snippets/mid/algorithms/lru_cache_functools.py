from functools import lru_cache

import torch


@lru_cache(maxsize=8)
def total(x):
    return x.sum().item()


x = torch.ones(2)
print(total(x), total(torch.ones(2)), total.cache_info().hits)
x.zero_()
print(total(x), total.cache_info().hits)
