from collections import Counter


def all_gather(group: list[int], size: float, per_node: int = 8) -> tuple:
    """What a ring all-gather of ``size`` bytes makes GPUs and nodes send.

    Args:
        group: GPUs in ring order; GPU number i is in node i // per_node.
        size: bytes of the whole tensor; each GPU begins with an equal part.

    Returns:
        Two Counters: bytes sent per GPU, and bytes sent out of each node.
    """
    part, gpu_sends, node_sends = size / len(group), Counter(), Counter()
    held = [{place} for place in range(len(group))]
    for turn in range(len(group) - 1):
        for place, gpu in enumerate(group):
            following = (place + 1) % len(group)
            held[following].add((place - turn) % len(group))  # what it got last
            gpu_sends[gpu] += part
            if gpu // per_node != group[following] // per_node:
                node_sends[gpu // per_node] += part
    assert all(len(parts) == len(group) for parts in held)
    return gpu_sends, node_sends


if __name__ == "__main__":
    print("64 GPUs, 8 per node; a tensor of 64 GB     a GPU sends   a node sends")
    for label, groups, size in (
        ("one group of 64", [list(range(64))], 64),
        (
            "8 groups of 8, an eighth of it in each",
            [range(i, 64, 8) for i in range(8)],
            8,
        ),
        (
            "8 groups of 8, each inside a node",
            [range(8 * i, 8 * i + 8) for i in range(8)],
            64,
        ),
    ):
        gpu, node = Counter(), Counter()
        for group in groups:
            of_gpus, of_nodes = all_gather(list(group), size)
            gpu.update(of_gpus)
            node.update(of_nodes)
        print(f"{label:40}{gpu[0]:12.0f} GB{node[0]:12.0f} GB")
