import torch


def append_by_shift(data, row):
    """Drop the first row and append one: the new tensor, and the bytes written."""
    data = torch.cat([data[1:], row[None]])
    return data, data.nbytes


if __name__ == "__main__":
    for capacity in (1_000, 2_000, 4_000):
        data, row = torch.zeros(capacity, 8), torch.ones(8)
        _, written = append_by_shift(data, row)
        print(f"{capacity} rows: shift writes {written} bytes, a slot {row.nbytes}")
