import torch


def slope(x: float, step: float, dtype: torch.dtype) -> float:
    """Central difference of exp at ``x``, computed in ``dtype``."""
    x, step = torch.tensor(x, dtype=dtype), torch.tensor(step, dtype=dtype)
    return ((torch.exp(x + step) - torch.exp(x - step)) / (2 * step)).item()


if __name__ == "__main__":
    right = torch.exp(torch.tensor(1.0, dtype=torch.float64)).item()
    print("step    float32 error   float64 error")
    for step in (1e-1, 1e-3, 1e-5, 1e-7):
        errors = [
            abs(slope(1.0, step, dtype) - right)
            for dtype in (torch.float32, torch.float64)
        ]
        print(f"{step:.0e}   {errors[0]:.0e}           {errors[1]:.0e}")
