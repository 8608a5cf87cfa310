def query(tree, start, stop):  # sum of the elements start .. stop - 1
    n, total = len(tree) // 2, 0
    start, stop = start + n, stop + n
    while start < stop:
        total += tree[start] * (start % 2) + tree[stop - 1] * (stop % 2)
        start, stop = (start + 1) // 2, stop // 2
    return total


tree = [0] * 4 + [5, 7, 4, 2]  # the children of node i are nodes 2i and 2i + 1
for i in (3, 2, 1):
    tree[i] = tree[2 * i] + tree[2 * i + 1]
print(tree, "1:4 ->", query(tree, 1, 4), "| 0:4 ->", query(tree, 0, 4))
tree[4 + 1] = 0  # element 1, without the nodes above it
print(tree, "1:4 ->", query(tree, 1, 4), "| 0:4 ->", query(tree, 0, 4))
