import torch


def components(
    edges: torch.Tensor, n: int, hook_roots: bool = True
) -> tuple[torch.Tensor, int]:
    """Label every node with the smallest node of its component.

    Args:
        edges: int64, shape (E, 2), undirected, entries in 0 .. n - 1.
        hook_roots: write to the label of a node as well, and follow labels twice;
            without it each round moves a label by one edge.

    Returns:
        labels, int64, shape (n,), and the rounds, with the last one, in which
        nothing changes.
    """
    a, b = torch.cat([edges, edges.flip(1)]).T
    labels, rounds = torch.arange(n, device=edges.device), 0
    while True:
        before, rounds = labels, rounds + 1
        labels = labels.scatter_reduce(0, a, before[b], "amin")
        if hook_roots:
            labels = labels.scatter_reduce(0, before[a], before[b], "amin")
            labels = labels[labels]
        if torch.equal(labels, before):
            return labels, rounds


if __name__ == "__main__":
    generator = torch.Generator().manual_seed(0)
    print("rounds           one edge a round   roots hooked")
    for n in (64, 128, 256, 512):
        path = torch.arange(n).unfold(0, 2, 1)
        shuffled = torch.randperm(n, generator=generator)[path]
        for name, edges in (("path", path), ("shuffled", shuffled)):
            rounds = [components(edges, n, hook)[1] for hook in (False, True)]
            print(f"n = {n:3} {name:9} {rounds[0]:14} {rounds[1]:14}")
