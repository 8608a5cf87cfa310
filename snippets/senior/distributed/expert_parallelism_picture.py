# /// script
# requires-python = ">=3.11"
# dependencies = ["matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt

Row = tuple[int, int, int]  # token, its rank, its expert


def exchange(outboxes: list[list[Row]], to) -> list[list[Row]]:
    """All-to-all: rank r gets the rows with ``to(row) == r``, by sender."""
    return [
        [row for outbox in outboxes for row in outbox if to(row) == r]
        for r in range(len(outboxes))
    ]


def stages(chosen: list[list[int]], experts: int) -> dict[str, list[list[Row]]]:
    """The rows on each rank, from the tokens to their results, in order."""
    tokens = [
        [(4 * r + t, r, e) for t, e in enumerate(picks)]
        for r, picks in enumerate(chosen)
    ]
    by_expert = [sorted(rows, key=lambda row: row[2]) for rows in tokens]
    there = exchange(by_expert, to=lambda row: row[2] // experts)
    back = exchange(there, to=lambda row: row[1])
    return {
        "tokens": tokens,
        "sorted": by_expert,
        "dispatched": there,
        "combined": back,
        "unsorted": [sorted(rows) for rows in back],
    }


if __name__ == "__main__":
    figure, panels = plt.subplots(1, 2, figsize=(6.4, 3.2), sharey=True)
    found = stages([[2, 0, 3, 2], [2, 0, 3, 0]], experts=2)
    for y, (name, ranks) in enumerate(found.items()):
        print(f"{name:11}", *([f"{t}:E{e}" for t, _, e in rows] for rows in ranks))
        for panel, rows in zip(panels, ranks):
            for x, (token, _, e) in enumerate(rows):
                panel.barh(y, 0.92, left=x, color=f"C{e}", alpha=0.5)
                panel.text(x + 0.46, y, f"{token}:E{e}", ha="center", va="center")
    for r, panel in enumerate(panels):
        panel.set_title(f"rank {r}: experts {2 * r} and {2 * r + 1}")
        panel.set_xlim(0, 5)
        panel.set_xlabel("row")
        panel.set_yticks(range(len(found)), found)
    panels[0].invert_yaxis()
    plt.show()
