cache = {}
for block in ([1, 2], [2, 1], [3, -1], [3, -2]):
    cache[sum(block)] = block
print(list(cache.values()))
