# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
import matplotlib.pyplot as plt

Step = tuple[
    str, int
]  # ("F", 0) is the forward of micro-batch 0, ("B", 0) its backward
Lane = list[tuple[float, float, str, int]]  # start, end, "F" or "B", micro-batch


def orders(kind: str, stages: int, micro: int) -> list[list[Step]]:
    """What each stage runs, in its order, under "GPipe" or "1F1B"."""
    rows = []
    for stage in range(stages):
        first = micro if kind == "GPipe" else min(stages - stage - 1, micro)
        row = [("F", i) for i in range(first)]
        for i in range(first, micro):  # one forward, one backward
            row += [("F", i), ("B", i - first)]
        rows.append(row + [("B", i) for i in range(micro - first, micro)])
    return rows


def run(
    rows: list[list[Step]], forward: list[float], ratio: float = 2
) -> list[Lane]:
    """When each stage runs what: a step waits for its stage and for its input.

    Args:
        rows: the steps of each stage, in order.
        forward: slots of a forward, for each stage.
        ratio: slots of a backward divided by those of a forward.
    """
    end, lanes, left = {}, [[] for _ in rows], [list(row) for row in rows]
    while any(left):
        for stage, row in enumerate(left):
            while row:
                what, i = row[0]
                neighbor = stage - 1 if what == "F" else stage + 1
                needs = (what, i, neighbor)  # the input comes from there
                if 0 <= neighbor < len(rows) and needs not in end:
                    break
                begin = max(
                    end.get(needs, 0), lanes[stage][-1][1] if lanes[stage] else 0
                )
                slots = forward[stage] * (ratio if what == "B" else 1)
                end[what, i, stage] = begin + slots
                lanes[stage].append((begin, begin + slots, *row.pop(0)))
    return lanes


def idle(lanes: list[Lane]) -> float:
    length = max(lane[-1][1] for lane in lanes)
    busy = sum(end - begin for lane in lanes for begin, end, _, _ in lane)
    return 1 - busy / (length * len(lanes))


def kept(lane: Lane) -> int:
    """The most micro-batches whose activations a stage holds at once."""
    held = [0]
    for _, _, what, _ in lane:
        held.append(held[-1] + (1 if what == "F" else -1))
    return max(held)


if __name__ == "__main__":
    print("schedule  micro-batches  idle  formula  kept by stages 0 to 3")
    for kind, micro in (("GPipe", 1), ("GPipe", 8), ("1F1B", 8), ("1F1B", 32)):
        lanes = run(orders(kind, 4, micro), [1] * 4)
        formula = 3 / (micro + 3)
        print(f"{kind:9} {micro:13}  {idle(lanes):4.0%} {formula:8.0%}", end="  ")
        print([kept(lane) for lane in lanes])
    slow = run(orders("1F1B", 4, 32), [1, 1, 1, 2])
    print(f"1F1B, 32, the last stage takes twice as long: {idle(slow):.0%} idle")

    figure, axes = plt.subplots(
        2, 1, figsize=(6, 4), sharex=True, layout="constrained"
    )
    for axis, kind in zip(axes, ("GPipe", "1F1B"), strict=True):
        for stage, lane in enumerate(run(orders(kind, 4, 8), [1] * 4)):
            for begin, end, what, i in lane:
                color = "C0" if what == "F" else "C1"
                axis.barh(
                    stage, end - begin - 0.08, 0.9, begin, color=color, alpha=0.5
                )
                axis.text((begin + end) / 2, stage, i + 1, ha="center", va="center")
        axis.set(yticks=range(4), ylabel="stage", title=kind)
        axis.invert_yaxis()
    axes[1].set_xlabel("slots: blue forward (1), orange backward (2)")
    plt.show()
