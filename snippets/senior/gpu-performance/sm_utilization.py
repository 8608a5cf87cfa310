from math import ceil

SMS = 108  # an A100
TILE = 256, 128  # the part of the output that one SM computes at a time


def plan(rows: int, columns: int, sms: int = SMS) -> tuple[int, int, float]:
    """Tiles and waves of a product, and the useful share of all slots."""
    tiles = ceil(rows / TILE[0]) * ceil(columns / TILE[1])
    waves = ceil(tiles / sms)
    return tiles, waves, rows * columns / (waves * sms * TILE[0] * TILE[1])


if __name__ == "__main__":
    print("x @ w.T with 2304 rows")
    for columns in (1536, 1537, 1664, 3072, 3073, 15360, 15361):
        tiles, waves, share = plan(2304, columns)
        print(f"{columns:6} columns{tiles:6} tiles{waves:4} waves", end="")
        print(f"{share:8.1%} of the slots")
