import torch


def attention(x, w_in, w_out, heads):
    """Causal self-attention of x (B, T, C), with w_in (C, 3C) and w_out (C, C)."""
    b, t, c = x.shape
    q, k, v = (x @ w_in).view(b, t, 3, heads, c // heads).permute(2, 0, 3, 1, 4)
    scores = q @ k.mT / (c // heads) ** 0.5  # (B, H, T, T)
    future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
    weights = scores.masked_fill(future, -torch.inf).softmax(-1)
    return (weights @ v).transpose(1, 2).reshape(b, t, c) @ w_out


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(1, 5, 8, dtype=torch.float64, requires_grad=True)
    out = attention(x, torch.randn(8, 24).double(), torch.randn(8, 8).double(), 2)
    for t in range(5):
        (grad,) = torch.autograd.grad(out[0, t].sum(), x, retain_graph=True)
        print(f"output {t} depends on inputs", grad[0].any(-1).int().tolist())
