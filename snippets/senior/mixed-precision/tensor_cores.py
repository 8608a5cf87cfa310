import torch


def dot(x: torch.Tensor, y: torch.Tensor, accumulator: torch.dtype) -> torch.Tensor:
    """Multiply, add one product after the other, round once to the dtype of x."""
    total = torch.zeros((), dtype=accumulator)
    for product in x.to(accumulator) * y.to(accumulator):
        total += product
    return total.to(x.dtype)


if __name__ == "__main__":
    print("4096 times 1 * 1   accumulator: 16 bits  float32   torch: x @ y")
    for dtype in (torch.float16, torch.bfloat16):
        x, y = torch.ones(4096, dtype=dtype), torch.ones(4096, dtype=dtype)
        low, full = dot(x, y, dtype), dot(x, y, torch.float32)
        print(f"{str(dtype)[6:]:9}{low:30.0f}{full:9.0f}{x @ y:15.0f}")
