# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

x = torch.arange(8)  # each value is its own position in the storage
pairs = {
    "a = x[:5], b = x[3:]": (x[:5], x[3:]),
    "a = x[:4], b = x[4:]": (x[:4], x[4:]),
    "a = x[::2], b = x[1::2]": (x[::2], x[1::2]),
    "a = x.view(2, 4)[:, 1], b = x[4:6]": (x.view(2, 4)[:, 1], x[4:6]),
}
axes = plt.figure(figsize=(4.2, 2.9)).gca()
for row, (name, (a, b)) in enumerate(pairs.items()):
    both = sorted(set(a.tolist()) & set(b.tolist()))
    print(f"{name:35} shared cells: {both}")
    axes.text(0, -1.7 * row + 1.1, name, fontsize=9)
    for cell in range(len(x)):
        readers = [
            key for key, view in (("a", a), ("b", b)) if cell in view.tolist()
        ]
        color = {"a": "#0060a8", "b": "#b35900", "ab": "#8250df"}.get(
            "".join(readers)
        )
        box = plt.Rectangle((cell, -1.7 * row), 1, 1, facecolor="none")
        box.set(edgecolor="gray", linewidth=0.6)
        axes.add_patch(box)
        axes.text(
            cell + 0.5,
            -1.7 * row + 0.46,
            "\n".join(readers),
            color=color,
            weight="bold" if len(readers) == 2 else "normal",
            ha="center",
            va="center",
        )
axes.set(xlim=(-0.1, len(x) + 0.1), ylim=(-1.7 * len(pairs) + 1.6, 1.6))
axes.axis("off")
plt.show()
