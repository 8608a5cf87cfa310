import torch


def update(tree, index, value):
    node = index + len(tree) // 2
    change = value - tree[node]
    tree[node] = value
    while node[0] > 1:
        node = node // 2
        tree.index_add_(0, node, change)


tree = torch.tensor([0, 4, 2, 2, 1, 1, 1, 1])  # four leaves of 1
update(tree, torch.tensor([2, 2]), torch.tensor([9, 9]))
print("leaves", tree[4:].tolist(), "sum", tree[4:].sum().item())
print("root  ", tree[1].item())
