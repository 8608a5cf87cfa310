import torch


def standardize(x: torch.Tensor, device: str, copy: bool) -> torch.Tensor:
    x = x.to(device, copy=copy)
    x -= x.mean()
    x /= x.std()
    return x


for device, copy in (("meta", False), ("cpu", False), ("cpu", True)):
    x = torch.tensor([1.0, 2.0, 3.0])
    standardize(x, device, copy)
    print(f"{device:4}  copy={copy!s:5}  afterwards x = {x.tolist()}")
