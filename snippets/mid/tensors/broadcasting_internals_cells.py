# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import itertools

import matplotlib.pyplot as plt
import torch

a, b = torch.zeros(3, 1), torch.zeros(4)
stretched = torch.broadcast_tensors(a, b)
tensors = {"a": stretched[0], "b": stretched[1], "a * b": a * b}
axes = plt.figure(figsize=(4.8, 3.6)).gca()
for row, (name, x) in enumerate(tensors.items()):
    bottom = -3.6 * row
    bytes_used = x.untyped_storage().nbytes()
    title = f"{name}: strides {x.stride()}, {bytes_used} bytes"
    print(title)
    axes.text(0, bottom + 2.75, title, fontsize=9)
    readers: list[list[str]] = [[] for _ in range(bytes_used // x.element_size())]
    for index in itertools.product(*map(range, x.shape)):
        position = sum(i * stride for i, stride in zip(index, x.stride()))
        readers[position].append(",".join(map(str, index)))
    for cell, indices in enumerate(readers):
        box = plt.Rectangle((cell, bottom), 1, 2.6, facecolor="none")
        box.set(edgecolor="#0060a8", linewidth=1.5)
        axes.add_patch(box)
        middle = (cell + 0.5, bottom + 1.25)
        axes.text(*middle, "\n".join(indices), fontsize=9, ha="center", va="center")
axes.set(xlim=(-0.1, 12.1), ylim=(-7.4, 3.6))
axes.axis("off")
plt.show()
