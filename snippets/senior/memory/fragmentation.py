SEGMENT, TENSOR, CAPACITY = 20, 9, 400  # MiB


def try_40(order: list[str]) -> tuple[int, int, bool]:
    """Free MiB, MiB that go back to the driver, and whether 40 MiB fit then.

    Two tensors of 9 MiB share a segment. Those that are temporary have died.
    """
    segments = [order[i : i + 2] for i in range(0, len(order), 2)]
    free = sum(SEGMENT - TENSOR * segment.count("kept") for segment in segments)
    returned = sum(SEGMENT for segment in segments if "kept" not in segment)
    reserved = SEGMENT * len(segments) - returned
    return free, returned, reserved + 40 <= CAPACITY


print("20 kept and 20 temporary tensors  free  returned  40 MiB fit")
for name, order in (
    ("made in turn", ["temporary", "kept"] * 20),
    ("kept ones first", ["kept"] * 20 + ["temporary"] * 20),
):
    print(f"{name:32}{{:6}}{{:10}}{{!s:>12}}".format(*try_40(order)))
