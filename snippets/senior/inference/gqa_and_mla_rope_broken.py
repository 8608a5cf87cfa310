import torch

T, H, D, R = 10, 4, 16, 8


def rope(z, base=10000.0):
    """Rotate (..., T, D) by position: channel i together with channel i + D / 2."""
    half = z.shape[-1] // 2
    rates = base ** (-torch.arange(half, dtype=z.dtype) / half)
    angle = torch.arange(z.shape[-2], dtype=z.dtype)[:, None] * rates
    a, b = z.chunk(2, dim=-1)
    turned = a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()
    return torch.cat(turned, dim=-1)


def right(scores, wanted):
    """How many queries with their own or an earlier key have right scores."""
    same = torch.isclose(scores, wanted).all(0)
    return same.tril().sum().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    q = torch.randn(H, T, D, dtype=torch.double)
    latent = torch.randn(T, R, dtype=torch.double)
    up = torch.randn(H, R, D, dtype=torch.double)
    wanted = rope(q) @ rope(latent @ up).mT
    tries = {
        "keys expanded, then rotated": rope(q) @ rope(latent @ up).mT,
        "absorbed, nothing rotated": q @ up.mT @ latent.T,
        "absorbed, query rotated": rope(q) @ up.mT @ latent.T,
        "absorbed, latent rotated": rope(q @ up.mT) @ rope(latent).T,
    }
    print("right scores of", T * (T + 1) // 2)
    for name, scores in tries.items():
        print(f"  {name:29}{right(scores, wanted):3}")

    q_r, k_r = torch.randn(H, T, 4).double(), torch.randn(T, 4).double()
    keys = torch.cat([latent @ up, rope(k_r).expand(H, T, 4)], dim=-1)
    wanted = torch.cat([q, rope(q_r)], dim=-1) @ keys.mT
    apart = q @ up.mT @ latent.T + rope(q_r) @ rope(k_r).T
    print("with four rotary numbers apart")
    print(f"  {'absorbed, plus rotary part':29}{right(apart, wanted):3}")
