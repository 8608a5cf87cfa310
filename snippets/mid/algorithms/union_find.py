def find(parent, x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]  # path halving
        x = parent[x]
    return x


def union(parent, size, a, b):
    a, b = find(parent, a), find(parent, b)
    if a == b:
        return False  # one set already
    if size[a] < size[b]:
        a, b = b, a
    parent[b] = a  # the smaller set below the larger
    size[a] += size[b]
    return True


parent, size = list(range(6)), [1] * 6
for a, b in [(0, 1), (2, 3), (1, 3), (0, 2), (4, 5)]:
    print(a, b, union(parent, size, a, b))
print(parent, "before find(3)")
root = find(parent, 3)
print(parent, "after, root", root)
