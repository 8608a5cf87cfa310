import torch


def scales(x: torch.Tensor, rows: int, columns: int) -> torch.Tensor:
    """The E4M3 scale of each block of rows x columns, spread to the shape of x.

    x: (m, n), both divisible by the block's sides; no block is all zeros.
    """
    blocks = x.unflatten(0, (-1, rows)).unflatten(2, (-1, columns))
    amax = blocks.abs().amax((1, 3), keepdim=True)
    return (amax / 448).expand_as(blocks).reshape(x.shape)


if __name__ == "__main__":
    torch.manual_seed(0)
    x = 0.5 + torch.rand(256, 256)
    x[3, 5] = 2e6
    for name, rows, columns in (
        ("tensor", 256, 256),
        ("row", 1, 256),
        ("block 128 x 128", 128, 128),
        ("tile 1 x 128", 1, 128),
        ("tile 1 x 32", 1, 32),
    ):
        stored = (x / scales(x, rows, columns)).to(torch.float8_e4m3fn).float()
        print(f"one scale per {name:16} {(stored == 0).sum():6} values lost")
