from itertools import permutations

# Launched in this order: two kernels in the main stream, one in the side stream.
KERNELS = {"write 1": "main", "write 2": "main", "read": "side"}


def values_read(waits: list[tuple[str, str]]) -> list[int]:
    """What ``read`` can see, in every order that the streams allow.

    ``waits`` are pairs (first, then) of kernels, as an event adds them.
    """
    pairs = [("write 1", "write 2"), *waits]  # one stream keeps its order
    seen = set()
    for order in permutations(KERNELS):
        if all(order.index(first) < order.index(then) for first, then in pairs):
            x = 0
            for kernel in order[: order.index("read")]:
                x = int(kernel.split()[1])
            seen.add(x)
    return sorted(seen)


if __name__ == "__main__":
    print("no wait:                 read", values_read([]))
    print("side.wait_stream(main):  read", values_read([("write 2", "read")]))
