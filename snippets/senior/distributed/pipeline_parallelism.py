# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
import matplotlib.pyplot as plt

BACKWARD = 2  # slots; a forward takes 1


def orders(kind: str, stages: int, micro: int) -> list[list[tuple[str, int]]]:
    """What each stage runs, in order: ("F", 0) is the forward of micro-batch 0."""
    plan = []
    for stage in range(stages):
        first = micro if kind == "GPipe" else min(stages - stage - 1, micro)
        row = [("F", i) for i in range(first)]
        for i in range(first, micro):  # 1F1B: one forward, one backward
            row += [("F", i), ("B", i - first)]
        plan.append(row + [("B", i) for i in range(micro - first, micro)])
    return plan


def run(plan: list[list[tuple[str, int]]]) -> list[list[tuple[int, int, str, int]]]:
    """Start and end slot of each step, when its input has come from a neighbor."""
    done, lanes, rows = {}, [[] for _ in plan], [list(row) for row in plan]
    while any(rows):
        for stage, row in enumerate(rows):
            source = None
            if row and row[0][0] == "F" and stage > 0:
                source = ("F", row[0][1], stage - 1)
            elif row and row[0][0] == "B" and stage < len(rows) - 1:
                source = ("B", row[0][1], stage + 1)
            if row and (source is None or source in done):
                what, i = row.pop(0)
                start = max(done.get(source, 0), lanes[stage][-1][1] if lanes[stage] else 0)
                end = start + (BACKWARD if what == "B" else 1)
                done[what, i, stage] = end
                lanes[stage].append((start, end, what, i))
    return lanes


def idle(lanes) -> float:
    length = max(lane[-1][1] for lane in lanes)
    busy = sum(end - start for lane in lanes for start, end, _, _ in lane)
    return 1 - busy / (length * len(lanes))


def in_flight(lane) -> int:
    """The most micro-batches whose activations a stage keeps at once."""
    kept = [0]
    for _, _, what, _ in lane:
        kept.append(kept[-1] + (1 if what == "F" else -1))
    return max(kept)


if __name__ == "__main__":
    print("4 stages            idle   micro-batches kept by each stage")
    for kind, micro in (("GPipe", 1), ("GPipe", 8), ("1F1B", 8), ("GPipe", 32), ("1F1B", 32)):
        lanes = run(orders(kind, 4, micro))
        kept = [in_flight(lane) for lane in lanes]
        print(f"{kind:6} {micro:2} micro-batches  {idle(lanes):4.0%}   {kept}", 3/(micro+3))
