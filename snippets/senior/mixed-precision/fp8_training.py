import torch


def fp8(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """x after a trip through E4M3. scale: positive, broadcasts against x."""
    stored = (x / scale).clamp(-448, 448).to(torch.float8_e4m3fn)
    return stored.float() * scale


def int8(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """x after a trip through INT8."""
    return (x / scale).round().clamp(-127, 127) * scale


if __name__ == "__main__":
    torch.manual_seed(0)
    print("outlier    error of the other values: E4M3   INT8")
    for outlier in (1.0, 2e3, 2e6):
        x = torch.randn(256, 256)
        x[0, 0] = outlier
        amax = x.abs().amax()
        stored = fp8(x, amax / 448), int8(x, amax / 127)
        error = [((s - x)[1:].norm() / x[1:].norm()).item() for s in stored]
        print(f"{outlier:9.0f}{error[0]:31.0%}{error[1]:7.0%}")
