from itertools import permutations

REUSED = {"write x": 0, "read x on side": 0, "write z": 0}  # kernel: block
RECORDED = REUSED | {"write z": 1}


def values_read(
    blocks: dict[str, int], waits: tuple[tuple[str, str], ...] = ()
) -> list[str]:
    """What the side stream can read. ``x`` dies before ``z`` is allocated."""
    pairs = [("write x", "write z"), ("write x", "read x on side"), *waits]
    seen = set()
    for order in permutations(blocks):
        if all(order.index(first) < order.index(then) for first, then in pairs):
            memory = {}
            for kernel in order[: order.index("read x on side")]:
                memory[blocks[kernel]] = kernel[-1]
            seen.add(memory[0])
    return sorted(seen)


if __name__ == "__main__":
    print("wait_stream only:         reads", *values_read(REUSED))
    print("x.record_stream(side):    reads", *values_read(RECORDED))
    back = (("read x on side", "write z"),)
    print("main waits before del x:  reads", *values_read(REUSED, back))
