import torch


def quantize(x, bits=8):
    """Integers from 0 to 2**bits - 1, scale and zero point of each row of x."""
    low = x.amin(1, keepdim=True).clamp(max=0)  # so that 0.0 has an integer
    high = x.amax(1, keepdim=True).clamp(min=0)
    scale = ((high - low) / (2**bits - 1)).clamp(min=1e-12)
    zero = (-low / scale).round()
    return (x / scale + zero).round().clamp(0, 2**bits - 1).byte(), scale, zero


if __name__ == "__main__":
    torch.manual_seed(0)
    w = torch.randn(4, 1024).double() * torch.tensor([[100.0], [1], [1], [1]])
    for bits, group in ((8, 4096), (8, 1024), (4, 1024), (4, 32)):
        q, scale, zero = quantize(w.view(-1, group), bits)
        error = ((q - zero) * scale).view_as(w) - w
        rows = [f"{e:4.0%}" for e in error.norm(dim=1) / w.norm(dim=1)]
        whole = f"{error.norm() / w.norm():5.1%}"
        print(f"{bits} bits, scales {len(scale):3}, error {whole}, by row", *rows)
