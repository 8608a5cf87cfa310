import torch


def nodes_behind(tensor):
    seen, queue = set(), [tensor.grad_fn]
    while queue:
        node = queue.pop()
        if node is not None and node not in seen:
            seen.add(node)
            queue.extend(n for n, _ in node.next_functions)
    return len(seen)


weight = torch.ones(2, requires_grad=True)
for appends in (50, 100, 200):
    kept, detached = torch.zeros(4, 2), torch.zeros(4, 2)
    for step in range(appends):
        kept[step % 4] = weight * step
        detached[step % 4] = (weight * step).detach()
    nodes = nodes_behind(kept), nodes_behind(detached)
    print(appends, "appends:", nodes[0], "nodes,", nodes[1], "detached")
