import torch
from torch.nn.functional import interpolate

OLD, NEW = 14, 28  # patches per side at 224 and at 448 pixels


def resize_positions(places, old, new):
    """Positions (old * old, D) of a square grid for a grid of new * new patches."""
    grid = places.T.view(1, -1, old, old)
    grid = interpolate(grid, (new, new), mode="bilinear", align_corners=False)
    return grid.flatten(2)[0].T


def stretch(places, new):
    """The same shape, but the rows of the grid are one long line."""
    line = interpolate(
        places.T[None], new * new, mode="linear", align_corners=False
    )
    return line[0].T


if __name__ == "__main__":
    # An embedding that we can read: its two channels are row and column.
    side = torch.arange(OLD, dtype=torch.float64)
    places = torch.cartesian_prod(side, side)
    grid, line = resize_positions(places, OLD, NEW), stretch(places, NEW)
    print("new      as a grid        as a line")
    for row in range(5):
        old = (x[row * NEW] for x in (grid, line))  # the row's first patch
        print(f"({row}, 0)", *(f"({r:.3f}, {c:.3f})" for r, c in old), sep="   ")
