import torch

x = torch.tensor(3.0)
w = torch.tensor(0.5, requires_grad=True)
b = torch.tensor(-1.0, requires_grad=True)
y = torch.exp(w * x + b)

nodes = [y.grad_fn]
for node in nodes:  # the list grows while the loop runs
    for parent, _ in node.next_functions:
        print(node.name(), "->", parent and parent.name().split("::")[-1])
        if parent:
            nodes.append(parent)
