from functools import lru_cache


@lru_cache(maxsize=99)
def load(index):
    return index


for _ in range(10):
    for index in range(100):
        load(index)
print(load.cache_info().hits)
