import torch


def slope(x: torch.Tensor, step: float, dtype: torch.dtype) -> torch.Tensor:
    """Central differences of exp at ``x``, computed in ``dtype``."""
    x, step = torch.as_tensor(x, dtype=dtype), torch.tensor(step, dtype=dtype)
    return (torch.exp(x + step) - torch.exp(x - step)) / (2 * step)


def error(step: float, dtype: torch.dtype) -> torch.Tensor:
    """The mean error of the slopes at 1001 points."""
    x = torch.linspace(0.5, 1.5, 1001, dtype=torch.float64)
    return (slope(x, step, dtype) - x.exp()).abs().mean()


if __name__ == "__main__":
    print("from step to step    float32           float64")
    for before, after in ((1e-1, 1e-3), (1e-3, 1e-5), (1e-5, 1e-7)):
        row = f"{before:.0e} to {after:.0e}"
        for dtype in (torch.float32, torch.float64):
            ratio = error(after, dtype) / error(before, dtype)
            word = "grows" if ratio > 4 else "falls" if ratio < 1 / 4 else "stays"
            row += f"       error {word}"
        print(row)
    million = error(1e-5, torch.float32) > 1e6 * error(1e-5, torch.float64)
    print(f"at 1e-05 float32 is off by over a million times as much: {million}")
