import torch


def build(values, dtype):
    tree = torch.zeros(2 * len(values), dtype=dtype)
    tree[len(values) :] = torch.tensor(values)
    for i in range(len(values) - 1, 0, -1):
        tree[i] = tree[2 * i] + tree[2 * i + 1]
    return tree


def add_changes(tree, index, value):
    node = index + len(tree) // 2
    change = value - tree[node]
    tree[node] = value
    while node[0] > 1:
        node = node // 2
        tree.index_add_(0, node, change)


values = [2**24, 1, 1, 1]
for dtype in (torch.float32, torch.float64):
    print(dtype, "total", int(build(values, dtype)[1]), "of", sum(values))

tree = build([1, 1, 1, 1], torch.float64)
add_changes(tree, torch.tensor([2, 2]), torch.tensor([9.0, 9.0]).double())
print("index 2 twice: leaves", tree[4:].tolist(), "total", tree[1].item())

tree = [""] * 3 + ["a", "b", "c"]
for i in (2, 1):
    tree[i] = tree[2 * i] + tree[2 * i + 1]
print("three leaves a, b, c: root", tree[1])
