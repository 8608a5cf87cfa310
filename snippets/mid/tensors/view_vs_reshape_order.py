# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

t = torch.arange(24).reshape(
    2, 3, 4
)  # each value is its own position in the storage
for name, x, style in (
    ("t[..., ::2]", t[..., ::2], "s-"),
    ("t[:, :2]", t[:, :2], "o--"),
    ("t.transpose(0, 1)", t.transpose(0, 1), "^:"),
):
    read = x.flatten().tolist()  # the positions in the order in which x lists them
    steps = sorted({after - before for before, after in zip(read, read[1:])})
    try:
        x.view(-1)
        verdict = "view(-1) works"
    except RuntimeError:
        verdict = "view(-1) raises"
    print(f"{name:18} steps {steps}: {verdict}")
    plt.plot(read, style, markersize=4, linewidth=1, label=f"{name}: {verdict}")
plt.xlabel("element of x, in the order of its indices")
plt.ylabel("position in the storage")
plt.ylim(-1, 34)
plt.legend(loc="upper left", fontsize=9)
plt.show()
