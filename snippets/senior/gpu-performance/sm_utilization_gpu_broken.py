from math import ceil


def filled(rows: int, columns: int, sms: int) -> float:
    """Share of the slots that get a tile of 256 by 128."""
    tiles = ceil(rows / 256) * ceil(columns / 128)
    return tiles / (sms * ceil(tiles / sms))


for rows, columns in (2304, 1536), (2816, 1536):
    for gpu, sms in {"A100": 108, "H800": 132}.items():
        print(f"{rows} x {columns} on {gpu}: {filled(rows, columns, sms):.0%}")
