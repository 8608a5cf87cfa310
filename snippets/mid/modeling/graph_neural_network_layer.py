import torch
from torch import nn


class GraphConv(nn.Module):
    """Graph convolution of Kipf and Welling: D^-1/2 (A + I) D^-1/2 X W + b.

    Args:
        inputs: features per node.
        outputs: new features per node.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs, bias=False)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        """New features of all nodes.

        Args:
            x: floating point, shape (nodes, inputs).
            edges: int64, shape (2, E), E may be 0: edges[0] sends to edges[1]. An
                undirected edge stands there in both directions. An edge that
                stands there twice counts twice, and a self-loop adds to I's.

        Returns:
            shape (nodes, outputs), in the dtype of x; also under autocast, if x and
            the layer are float32.

        Raises:
            ValueError: edges does not have the shape (2, E) or names no node of x.
        """
        n = x.shape[0]
        if edges.ndim != 2 or edges.shape[0] != 2:
            raise ValueError(f"edges has shape {tuple(edges.shape)}, not (2, E)")
        if edges.numel() and not 0 <= edges.min() <= edges.max() < n:
            raise ValueError(f"an edge names a node outside of 0 to {n - 1}")
        loops = torch.arange(n, device=edges.device)
        source, target = torch.cat([edges, loops.expand(2, n)], dim=1)
        # Counted as integers: in bfloat16, 256 + 1 is 256.
        degree = torch.bincount(target, minlength=n)
        scale = degree.to(torch.promote_types(x.dtype, torch.float32)).rsqrt()
        h = self.linear(x)
        weight = (scale[source] * scale[target]).to(h.dtype)
        messages = h[source] * weight[:, None]
        return torch.zeros_like(h).index_add(0, target, messages) + self.bias


if __name__ == "__main__":
    torch.manual_seed(0)
    layer = GraphConv(3, 2)
    edges = torch.tensor([[0, 1, 1, 2, 3], [1, 0, 2, 1, 1]])
    x = torch.randn(5, 3)
    before = layer(x, edges)
    x[3] += 1.0
    changed = (layer(x, edges) != before).any(dim=1)
    print("shape:", tuple(before.shape))
    print("node 3 changes nodes:", changed.nonzero().flatten().tolist())
