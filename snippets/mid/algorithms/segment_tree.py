def query(tree, start, stop):  # sum of start .. stop - 1
    n, total = len(tree) // 2, 0
    start, stop = start + n, stop + n
    while start < stop:  # odd ends count; then one level up
        total += tree[start] * (start % 2)
        total += tree[stop - 1] * (stop % 2)
        start, stop = (start + 1) // 2, stop // 2
    return total


def update(tree, i, value):
    i += len(tree) // 2
    tree[i] = value
    while i := i // 2:
        tree[i] = tree[2 * i] + tree[2 * i + 1]


tree = [0] * 4 + [5, 7, 4, 2]  # the children of i are 2i, 2i + 1
for i in (3, 2, 1):
    tree[i] = tree[2 * i] + tree[2 * i + 1]
print(tree, "1:4 ->", query(tree, 1, 4))
update(tree, 1, 0)
print(tree, "1:4 ->", query(tree, 1, 4))
