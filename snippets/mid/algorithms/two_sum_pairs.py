def index_pairs(values, target):
    seen = {}  # value -> the indices at which it occurred
    for j, value in enumerate(values):
        for i in seen.get(target - value, ()):
            yield i, j
        seen.setdefault(value, []).append(j)


for values, target in (([1, 1, 1], 2), ([4], 8), ([0.1, 0.2], 0.3)):
    pairs = list(index_pairs(values, target))
    distinct = {tuple(sorted((values[i], values[j]))) for i, j in pairs}
    print(f"{values}, {target}: {len(pairs)} index pairs, {len(distinct)} distinct")
