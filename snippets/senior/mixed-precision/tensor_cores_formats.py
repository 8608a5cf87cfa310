import torch


def tf32(x: torch.Tensor) -> torch.Tensor:
    """Float32 values with 10 mantissa bits, rounded half away from zero.

    x: float32, finite, below 3.4e38, any shape.
    """
    return ((x.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


if __name__ == "__main__":
    x = torch.tensor([1.0005, 1.001, 1 / 3, 1e-8, 70000.0])
    print("float32 ", *(f"{v:11.7g}" for v in x.tolist()))
    print("TF32    ", *(f"{v:11.7g}" for v in tf32(x).tolist()))
    for dtype in (torch.float16, torch.bfloat16):
        print(f"{str(dtype)[6:]:8}", *(f"{v:11.7g}" for v in x.to(dtype).tolist()))

    torch.manual_seed(0)
    for dtype in (torch.float16, torch.bfloat16):
        a, b = torch.randn(2, 100_000).to(dtype)
        exact = a.double() * b.double()
        print(f"{str(dtype)[6:]:8} products exact in float32:", end=" ")
        print(torch.equal((a.float() * b.float()).double(), exact))
