import torch


def lines(x: torch.Tensor) -> int:
    """64-byte cache lines that the elements of the view ``x`` touch."""
    offsets = torch.tensor(0)
    for size, stride in zip(x.shape, x.stride()):
        offsets = offsets[..., None] + torch.arange(size) * stride
    start = x.storage_offset()
    return ((offsets + start) * x.element_size() // 64).unique().numel()


x = torch.randn(8, 64, 56, 56)
y = x.to(memory_format=torch.channels_last)
print("same shape and values:", torch.equal(x, y))
for name, image in (("contiguous", x), ("channels_last", y)):
    print(f"{name:14}{tuple(image.stride())}", end="")
    print(f"  one pixel: {lines(image[0, :, 0, 0]):2} lines", end="")
    print(f"  one row of a channel: {lines(image[0, 0, 0]):2}")
