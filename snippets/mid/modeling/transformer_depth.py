import torch
from torch import nn


def longest_path(out: torch.Tensor) -> int:
    """Autograd nodes on the longest chain from ``out`` to a leaf, its own too."""
    lengths: dict[torch.autograd.graph.Node, int] = {}
    stack = [out.grad_fn]
    while stack:
        node = stack[-1]
        after = [n for n, _ in node.next_functions if n is not None]
        missing = [n for n in after if n not in lengths]
        if missing:
            stack.extend(missing)
        else:
            lengths[stack.pop()] = 1 + max((lengths[n] for n in after), default=0)
    return lengths[out.grad_fn]


def recurrent(x: torch.Tensor, u: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    h = x.new_zeros(x.shape[1])
    for token in x @ u:
        h = (token + h @ w).tanh()
    return h


def attention(x: torch.Tensor, u: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return ((x @ u @ (x @ w).mT).softmax(dim=-1) @ x)[-1]


if __name__ == "__main__":
    torch.manual_seed(0)
    u, w = (nn.Parameter(torch.randn(8, 8) / 8) for _ in range(2))
    for T in (8, 16, 32, 64):
        x = torch.randn(T, 8, requires_grad=True)
        a, b = (longest_path(f(x, u, w)) for f in (recurrent, attention))
        print(f"{T:2} tokens, longest chain: recurrent {a:3}, attention {b}")
