def find(parent, x):
    while parent[x] != x:
        x = parent[x]
    return x


parent = list(range(4))
for a, b in [(0, 1), (0, 2)]:
    parent[a] = b  # hooks the element, not its root
print("1 and 2 are joined through 0:", find(parent, 1) == find(parent, 2))

parent, size, components = list(range(4)), [1] * 4, 4
for a, b in [(0, 1), (1, 0), (0, 1)]:
    a, b = find(parent, a), find(parent, b)
    parent[a] = b  # no check for a == b
    size[b] += size[a]
    components -= 1
print("size of {0, 1}:", size[find(parent, 0)], "| components:", components)
