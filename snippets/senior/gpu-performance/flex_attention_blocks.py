# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def block_kinds(dense: torch.Tensor, size: int) -> tuple[torch.Tensor, ...]:
    """Which blocks of a mask (T, T) are partial, and which are full.

    ``create_block_mask`` finds the same by running a ``mask_mod``. Blocks that
    are neither are skipped. ``size`` has to divide T.
    """
    tiles = dense.unflatten(0, (-1, size)).unflatten(2, (-1, size))
    some, full = tiles.any(3).any(1), tiles.all(3).all(1)
    return some & ~full, full


if __name__ == "__main__":
    i = torch.arange(1024)
    query, key = i[:, None], i
    document = (i >= 400).long() + (i >= 700).long()
    masks = {
        "causal": query >= key,
        "window of 256": (query >= key) & (query - key < 256),
        "documents": (query >= key) & (document[query] == document[key]),
    }
    figure, panels = plt.subplots(1, 3, figsize=(7.2, 2.8), sharey=True)
    print("percent        hidden   skipped in blocks of 32     64    128    256")
    for panel, (name, dense) in zip(panels, masks.items()):
        print(f"{name:15}{100 * (1 - dense.float().mean()):6.1f}", end="")
        for size in (32, 64, 128, 256):
            partial, full = block_kinds(dense, size)
            skipped = 100 * (1 - (partial | full).float().mean())
            print(f"{skipped:{26 if size == 32 else 7}.1f}", end="")
        print()
        partial, full = block_kinds(dense, 64)
        for kind, style in (
            (partial, {"fill": False, "hatch": "////"}),
            (full, {}),
        ):
            rows, columns = kind.nonzero().T.tolist()
            panel.barh(rows, 1, 0.9, left=columns, **style)
        panel.set_title(name)
        panel.set_xlabel("block of keys")
        panel.set_xlim(0, 16)
    panels[0].set_ylabel("block of queries")
    panels[0].invert_yaxis()
    plt.show()
