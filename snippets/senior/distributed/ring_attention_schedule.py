# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import torch


def layout(tokens: int, ranks: int, zigzag: bool) -> list[torch.Tensor]:
    """The positions that each rank holds. ``tokens`` is a multiple of 2 * ranks."""
    chunks = torch.arange(tokens).chunk(2 * ranks)
    if zigzag:  # rank r: chunk r from the front and chunk r from the end
        pairs = [(r, 2 * ranks - 1 - r) for r in range(ranks)]
    else:
        pairs = [(2 * r, 2 * r + 1) for r in range(ranks)]
    return [torch.cat([chunks[a], chunks[b]]) for a, b in pairs]


def work(at: list[torch.Tensor]) -> torch.Tensor:
    """Pairs of query and key under a causal mask, shape (ranks, steps).

    In step s, rank r holds the keys of rank r - s.
    """
    ranks = len(at)
    return torch.tensor(
        [
            [int((at[r - s] <= at[r][:, None]).sum()) for s in range(ranks)]
            for r in range(ranks)
        ]
    )


def draw(name: str, pairs: torch.Tensor, panel) -> None:
    ranks, most = len(pairs), int(pairs.max())
    for r, row in enumerate(pairs.tolist()):
        for s, count in enumerate(row):
            box = {"height": 0.86, "edgecolor": "gray", "linewidth": 0.6}
            panel.barh(r, 0.86, left=s - 0.43, fill=False, **box)
            block, width = (r - s) % ranks, 0.86 * count / most
            panel.barh(r, width, left=s - 0.43, color=f"C{block}", alpha=0.5, **box)
            panel.text(s, r, block, ha="center", va="center")
    panel.set_xticks(range(ranks))
    panel.set_yticks(range(ranks), [f"rank {r}" for r in range(ranks)])
    panel.set_xlabel("step")
    panel.set_title(name)


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2), sharey=True)
    for name, panel in zip(("contiguous", "zigzag"), panels):
        pairs = work(layout(64, 4, name == "zigzag"))
        time = int(
            pairs.max(0).values.sum()
        )  # each step lasts as long as its slowest
        print(f"{name:11} pairs per rank {pairs.sum(1).tolist()}, all steps {time}")
        draw(name, pairs, panel)
    panels[0].invert_yaxis()
    plt.show()
