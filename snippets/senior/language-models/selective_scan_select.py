import torch


def states(a, b):
    """All states of h = a[t] * h + b[t], from h = 0."""
    h, found = 0, []
    for x, y in zip(a, b, strict=True):
        h = x * h + y
        found.append(h)
    return torch.stack(found)


def constant(x):
    return torch.full_like(x, 0.9), x


def selective(x):
    """A large input replaces the state, a small one leaves it as it is."""
    write = (x.abs() > 5).to(x.dtype)
    return 1 - write, write * x


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.rand(500, dtype=torch.float64)
    x[0] = 7  # the only token that matters
    kernel = 0.9 ** torch.arange(500, dtype=torch.float64)
    product = torch.fft.rfft(kernel, n=1000) * torch.fft.rfft(x, n=1000)
    convolved = torch.fft.irfft(product, n=1000)[:500]
    print("constant a is a convolution:", convolved.allclose(states(*constant(x))))
    for step in (constant, selective):
        h = states(*step(x))
        linear = states(*step(10 * x)).allclose(10 * h)
        print(f"{step.__name__:9}  last state {h[-1]:.1f}  linear in x: {linear}")
