# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import itertools

import matplotlib.pyplot as plt
import torch


def positions(view: torch.Tensor) -> torch.Tensor:
    """Where in its storage each element lies, counted in elements.

    Args:
        view: a strided tensor of any shape and dtype.

    Returns:
        int64, the shape of ``view``.
    """
    where = torch.full(view.shape, view.storage_offset(), device=view.device)
    for dim, (size, stride) in enumerate(
        zip(view.shape, view.stride(), strict=True)
    ):
        steps = stride * torch.arange(size, device=view.device)
        where += steps.reshape([size] + [1] * (view.dim() - dim - 1))
    return where


def draw(base: torch.Tensor, views: dict[str, torch.Tensor]) -> None:
    """Draw the storage of ``base`` and the index that each view gives to each cell.

    Args:
        base: a strided tensor; its storage holds 1 to about 16 elements.
        views: name -> tensor on the same storage, with the dtype of ``base``.

    Raises:
        ValueError: a tensor lies in another storage, or has another dtype.
    """
    count = base.untyped_storage().nbytes() // base.element_size()
    cells: dict[str, list[str]] = {"storage": [str(cell) for cell in range(count)]}
    for name, view in views.items():
        pointers = {x.untyped_storage().data_ptr() for x in (view, base)}
        if len(pointers) > 1 or view.dtype != base.dtype:
            raise ValueError(f"{name} has another storage or another dtype")
        labels = [""] * count
        where = positions(view).flatten().tolist()
        indices = itertools.product(*map(range, view.shape))
        for cell, index in zip(where, indices, strict=True):
            label = ",".join(map(str, index)) or "()"
            labels[cell] = f"{labels[cell]}\n{label}".strip()
        layout = f"strides {view.stride()}, offset {view.storage_offset()}"
        cells[f"{name}: {layout}"] = labels
    axes = plt.figure(figsize=(4.8, 0.62 * len(cells))).gca()
    for row, (name, labels) in enumerate(cells.items()):
        axes.text(0, -1.6 * row + 1.08, name, fontsize=9)
        for cell, label in enumerate(labels):
            read = bool(label) and row > 0
            box = plt.Rectangle((cell, -1.6 * row), 1, 1, facecolor="none")
            box.set(
                edgecolor="#0060a8" if read else "gray",
                linewidth=2 if read else 0.6,
            )
            box.set_zorder(2 if read else 1)
            axes.add_patch(box)
            center = (cell + 0.5, 0.46 - 1.6 * row)
            axes.text(*center, label, fontsize=9, ha="center", va="center")
    axes.set(xlim=(-0.1, count + 0.1), ylim=(-1.6 * len(cells) + 1.5, 1.6))
    axes.axis("off")
    plt.show()


if __name__ == "__main__":
    t = torch.arange(12).reshape(3, 4)
    views = {
        "t": t,
        "t.T": t.T,
        "t[1:, ::2]": t[1:, ::2],
        "t.diagonal()": t.diagonal(),
        "t[2].expand(2, 4)": t[2].expand(2, 4),
    }
    for name, view in views.items():  # each value of t is its own position
        same = torch.equal(positions(view), view)
        print(f"{name:18} the formula finds each element: {same}")
    draw(t, views)
