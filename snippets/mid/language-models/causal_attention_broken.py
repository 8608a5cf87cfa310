import torch
from torch.nn.functional import scaled_dot_product_attention

MISTAKES = [
    "no mistake",
    "no mask",
    "diagonal masked too little",
    "mask transposed",
    "masked scores set to 0",
    "mask after softmax",
    "mask after softmax, divided by the sum",
    "softmax over queries",
    "view without transpose",
    "no transpose back",
    "no scale",
]


def attention(x, w_in, w_out, heads, mistake):
    """Causal self-attention of x (B, T, C) with one mistake: output, weights."""
    b, t, c = x.shape
    q, k, v = (x @ w_in).chunk(3, -1)
    if mistake == "view without transpose":
        q, k, v = (z.reshape(b, heads, t, c // heads) for z in (q, k, v))
    else:
        q, k, v = (z.unflatten(-1, (heads, -1)).transpose(1, 2) for z in (q, k, v))
    scores = q @ k.mT / (1 if mistake == "no scale" else (c // heads) ** 0.5)
    future = torch.ones(t, t, dtype=torch.bool).triu(1)
    if mistake == "diagonal masked too little":
        future = future.triu(2)
    if mistake == "mask transposed":
        future = future.mT
    dim = -2 if mistake == "softmax over queries" else -1
    if mistake.startswith("mask after softmax") or mistake == "no mask":
        weights = scores.softmax(dim)
        if mistake != "no mask":
            weights = weights * ~future
        if mistake.endswith("sum"):
            weights = weights / weights.sum(-1, keepdim=True)
    else:
        fill = 0.0 if mistake == "masked scores set to 0" else -torch.inf
        weights = scores.masked_fill(future, fill).softmax(dim)
    out = weights @ v
    if mistake != "no transpose back":
        out = out.transpose(1, 2)
    return out.reshape(b, t, c) @ w_out, weights


def reference(x, w_in, w_out, heads):
    """The same by PyTorch's own function."""
    q, k, v = (
        z.unflatten(-1, (heads, -1)).transpose(1, 2)
        for z in (x @ w_in).chunk(3, -1)
    )
    out = scaled_dot_product_attention(q, k, v, is_causal=True)
    return out.transpose(1, 2).flatten(2) @ w_out


def leaks(out, x):
    """True if an output (B, T, C) depends on an input of a later position."""
    weight = torch.randn(out.shape[-1], dtype=out.dtype)  # a plain sum can cancel
    for t in range(x.shape[1] - 1):
        scalar = (out[:, t] @ weight).sum()
        (grad,) = torch.autograd.grad(scalar, x, retain_graph=True)
        if grad[:, t + 1 :].abs().max() > 1e-9:  # above rounding errors
            return True
    return False


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(2, 8, 16, dtype=torch.float64, requires_grad=True)
    w_in, w_out = torch.randn(16, 48).double() / 4, torch.randn(16, 16).double() / 4
    print(f"{'':38}  leaks  rows sum to 1  right output")
    for mistake in MISTAKES:
        out, weights = attention(x, w_in, w_out, 4, mistake)
        rows = torch.allclose(weights.sum(-1), torch.ones(8).double())
        right = torch.allclose(out, reference(x, w_in, w_out, 4))
        columns = ["yes" if yes else "no" for yes in (leaks(out, x), rows, right)]
        print(f"{mistake:38}  {columns[0]:5}  {columns[1]:13}  {columns[2]}")
