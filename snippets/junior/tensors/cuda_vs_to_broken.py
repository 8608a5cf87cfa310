import torch


def standardize(x: torch.Tensor, device: str, copy: bool = False) -> torch.Tensor:
    """Move ``x``, floating point, to ``device``, then standardize it in place."""
    x = x.to(device, copy=copy)
    x -= x.mean()
    x /= x.std()
    return x


if __name__ == "__main__":
    for device, copy in (("meta", False), ("cpu", False), ("cpu", True)):
        x = torch.tensor([1.0, 2.0, 3.0])
        standardize(x, device, copy)
        call = f"standardize(x, {device!r}, copy={copy})"
        print(f"{call:34}  afterwards x = {x.tolist()}")
