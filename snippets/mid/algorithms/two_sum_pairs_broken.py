def with_a_table(values, target):
    where = {value: i for i, value in enumerate(values)}
    return [
        (i, where[target - value])
        for i, value in enumerate(values)
        if target - value in where
    ]


print("[1, 3, 1] for 4:", with_a_table([1, 3, 1], 4))
print("[2] for 4:      ", with_a_table([2], 4))
