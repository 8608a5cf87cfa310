def find(parent, x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]  # path halving
        x = parent[x]
    return x


parent = list(range(6))
for a, b in [(0, 1), (2, 3), (5, 4), (1, 3), (2, 1)]:
    a, b = find(parent, a), find(parent, b)
    print(f"roots {a} and {b}:", "one set already" if a == b else "join")
    parent[a] = b
print("before", parent, "same parent of 0 and 2:", parent[0] == parent[2])
print("same root of 0 and 2:", find(parent, 0) == find(parent, 2))
print("after ", parent)
