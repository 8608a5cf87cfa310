# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
import matplotlib.pyplot as plt


def busy(tiles: int, sms: int) -> list[int]:
    """How many SMs have a tile in each wave."""
    return [min(sms, tiles - first) for first in range(0, tiles, sms)]


if __name__ == "__main__":
    fig, axes = plt.subplots(1, 2, figsize=(5, 2.8), sharey=True)
    for ax, columns in zip(axes, (1536, 1664), strict=True):
        working = busy(9 * columns // 128, 108)
        print(f"{columns} columns: SMs busy in each wave {working}")
        waves = list(range(1, len(working) + 1))
        idle = [108 - sms for sms in working]
        ax.bar(waves, working, 0.9, color="C0", alpha=0.5)
        ax.bar(waves, idle, 0.9, working, fill=False, edgecolor="C1")
        for wave, sms in zip(waves, working, strict=True):
            height = sms / 2 if sms > 50 else sms + 5
            ax.text(wave, height, f"{sms} busy", ha="center")
        ax.set_xticks([1, 2])
        ax.set_xlim(0.4, 2.6)
        ax.set_xlabel("wave")
        ax.set_title(f"{columns} columns")
    axes[0].set_ylabel("SMs")
    plt.show()
