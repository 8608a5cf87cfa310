import torch


def insert(root, key, value):
    node = root
    for character in key:
        node = node.setdefault(character, {})
    node[None] = value  # a key ends here; None is no character


def walk(node, prefix):
    for character in prefix:
        node = node.get(character, {})
    return node


def values(node):
    for step, child in node.items():
        yield from [child] if step is None else values(child)


root, rows = {}, torch.tensor([[0, 9], [1, 8], [2, 7], [3, 6]])
for row, key in enumerate(["un", "union", "unit", "token"]):
    insert(root, key, row)
print("un:", walk(root, "un").get(None), "uni:", walk(root, "uni").get(None))
print("uni...:", rows[list(values(walk(root, "uni")))].tolist())
