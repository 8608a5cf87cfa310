def find(parent, x):
    while parent[x] != x:
        x = parent[x]
    return x


parent = list(range(3))
for a, b in [(0, 1), (0, 2)]:
    parent[a] = b  # hooks the element, not its root
    print(f"join {a} and {b}:", parent)
print("1 and 2 in one set:", find(parent, 1) == find(parent, 2))
