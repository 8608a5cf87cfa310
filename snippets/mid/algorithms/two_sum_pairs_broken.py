def with_a_set(values, target):
    seen, pairs = set(), []
    for value in values:
        if target - value in seen:
            pairs.append((target - value, value))
        seen.add(value)
    return pairs


def with_a_table(values, target):
    where = {value: i for i, value in enumerate(values)}
    return [
        (i, where[target - v]) for i, v in enumerate(values) if target - v in where
    ]


def with_buckets(values, target, tolerance):
    where = {round(value / tolerance): value for value in values}
    keys = [(value, round((target - value) / tolerance)) for value in values]
    return [(value, where[key]) for value, key in keys if key in where]


print("a set, [1, 1, 1] for 2:", with_a_set([1, 1, 1], 2))
print("a table, [1, 3, 1] for 4:", with_a_table([1, 3, 1], 4))
print("a table, [2] for 4:", with_a_table([2], 4))
for other in (6.96, 6.94):
    found = with_buckets([3.0, other], 10, 0.1)
    print(f"buckets, [3.0, {other}] for 10 +- 0.1:", found)
