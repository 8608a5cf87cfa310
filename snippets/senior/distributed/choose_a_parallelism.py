from contextlib import suppress
from itertools import product
from math import prod

FLOPS, INSIDE, LENGTH = 400e12, 450e9, 8192  # a GPU, its link to its node, tokens
MODELS = {"8B": (8.03e9, 32, 4096), "70B": (70.55e9, 80, 8192)}  # Llama 3


def step(plan: dict[str, int], model: str, link: float, batch: int) -> dict:
    """Bytes and seconds of an optimizer step with checkpointed blocks in bf16.

    Args:
        plan: ranks of "tp", "shard" (FSDP), "copies" and "pp", innermost first.
        model: a key of MODELS.
        link: bytes/s from one node of eight GPUs to the others, each way.
        batch: sequences of one step, over all ranks.

    Returns:
        "bytes" of states and kept block inputs on a GPU; "compute", "waits" and
        "bubble", which add up to "step"; and the "traffic" of each axis. TP is
        waited for; the rest of the traffic overlaps with the computation.

    Raises:
        ValueError: if a data-parallel rank has no sequence.
    """
    params, layers, width = MODELS[model]
    tp, shard, copies, pp = (
        plan.get(a, 1) for a in ("tp", "shard", "copies", "pp")
    )
    sequences = batch // (shard * copies)  # of one data-parallel rank
    if not sequences:
        raise ValueError("no batch")
    passes = sequences if pp > 1 else 1  # micro-batches
    hidden, weights = 2 * LENGTH * width, 2 * params / (tp * pp)
    sent = {  # by one GPU, around a ring
        "tp": 6 * layers / pp * sequences * 2 * (tp - 1) / tp * hidden,
        "shard": 3 * passes * (shard - 1) / shard * weights,
        "copies": 2 * (copies - 1) / copies * weights / shard,
        "pp": 2 * sequences * hidden / tp if pp > 1 else 0,
    }
    traffic, inner = {}, 1
    for axis, ranks in plan.items():
        rings, inner = min(inner, 8), inner * ranks  # rings share the node's link
        traffic[axis] = sent[axis] / (INSIDE if inner <= 8 else link / rings)
    compute = 8 * params * LENGTH * batch / prod(plan.values()) / FLOPS
    waits = max(traffic.get("tp", 0), sum(traffic.values()) - compute)
    bubble = (compute + waits) * (pp - 1) / passes
    kept = layers / pp * sequences / passes * min(pp, passes) * hidden / tp
    return {
        "bytes": 16 * params / (tp * shard * pp) + kept, "traffic": traffic,
        "compute": compute, "waits": waits, "bubble": bubble,
        "step": compute + waits + bubble,
    }  # fmt: skip


SETTINGS = [("8B", 64, 12.5e9), ("70B", 64, 400e9), ("70B", 64, 12.5e9)]
SETTINGS += [("70B", 1024, 400e9)]
ROOM = 60e9  # of 80: the rest is for one block, gathered weights, and logits


def every_plan(gpus: int) -> list[dict[str, int]]:
    """All ways to split the GPUs by powers of two, copies outermost."""
    powers = [2**k for k in range(gpus.bit_length())]
    return [
        {"tp": tp, "shard": shard, "pp": pp, "copies": gpus // (tp * shard * pp)}
        for tp, shard, pp in product(powers, powers, powers)
        if tp * shard * pp <= gpus and tp <= 16 and pp <= 16
    ]


def axes(plan: dict[str, int]) -> list[str]:
    return [f"{axis} {ranks}" for axis, ranks in plan.items() if ranks > 1]


ROWS = [
    ({}, "copies"),
    ({"shard": 8}, "copies"),
    ({}, "shard"),
    ({"tp": 8}, "shard"),
    ({"tp": 16}, "shard"),
    ({"shard": 8, "pp": 8}, "copies"),
    ({"tp": 8, "pp": 8}, "copies"),
]


def cell(plan: dict[str, int], model: str, link: float) -> str:
    try:
        cost = step(plan, model, link, 128)
    except ValueError as error:
        return str(error)
    gigabytes = cost["bytes"] / 1e9
    return f"{cost['step']:.1f}" if cost["bytes"] <= ROOM else f"{gigabytes:.0f} GB"


def best(model: str, gpus: int, link: float) -> tuple[dict, dict[str, int]]:
    """The fastest plan that fits, and of equal ones that with the fewest axes."""
    costs = []
    for plan in every_plan(gpus):
        with suppress(ValueError):
            costs.append((step(plan, model, link, 128), plan))

    def rank(pair: tuple[dict, dict[str, int]]) -> tuple:
        return round(pair[0]["step"], 3), len(axes(pair[1])), pair[0]["bytes"]

    return min((pair for pair in costs if pair[0]["bytes"] <= ROOM), key=rank)


if __name__ == "__main__":
    header = "model", "GPUs", "GB/s between nodes, per node"
    for title, *values in zip(header, *SETTINGS, strict=True):
        shown = (v / 1e9 if isinstance(v, float) else v for v in values)
        print(f"{title:29}", *(f"{v:>8}" for v in shown))
    for fixed, rest in ROWS:
        cells = (
            cell(fixed | {rest: gpus // prod(fixed.values())}, model, link)
            for model, gpus, link in SETTINGS
        )
        label = ", ".join([*axes(fixed), rest])
        print(f"{label:29}", *(f"{text:>8}" for text in cells))
    print("\nthe best of all plans          GB  compute + waits + bubble = step")
    for setting in SETTINGS:
        cost, plan = best(*setting)
        parts = (cost[part] for part in ("compute", "waits", "bubble", "step"))
        print(
            f"{', '.join(axes(plan)):28} {cost['bytes'] / 1e9:4.0f}",
            *(f"{part:7.1f}" for part in parts),
        )
