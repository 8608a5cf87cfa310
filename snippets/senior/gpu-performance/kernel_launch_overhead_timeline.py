# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
import matplotlib.pyplot as plt


def timeline(
    kernels: int, launch: float, kernel: float
) -> tuple[list[float], list[float]]:
    """When each launch returns, and when each kernel starts, on one stream.

    Args:
        kernels: How many kernels of equal length.
        launch: Host time per kernel: Python, dispatcher, driver.
        kernel: GPU time per kernel, in the same unit.
    """
    launched = [launch * (i + 1) for i in range(kernels)]
    starts, free = [], 0.0
    for ready in launched:
        starts.append(max(ready, free))
        free = starts[-1] + kernel
    return launched, starts


if __name__ == "__main__":
    n = 1000
    print("1000 kernels; a launch takes 1")
    for kernel in (0.25, 0.5, 1.0, 2.0, 4.0):
        end = timeline(n, 1, kernel)[1][-1] + kernel
        print(f"a kernel takes {kernel:4}: the step takes {end:7.2f},", end=" ")
        print(f"GPU idle {1 - n * kernel / end:3.0%}")

    fig, axes = plt.subplots(2, 1, figsize=(5, 3.2), sharex=True)
    for ax, kernel in zip(axes, (0.4, 1.6), strict=True):
        launched, starts = timeline(5, 1, kernel)
        for i, (back, start) in enumerate(zip(launched, starts, strict=True), 1):
            ax.barh(1, 0.94, left=back - 1, height=0.7, color="C0", alpha=0.5)
            ax.barh(0, kernel - 0.06, left=start, height=0.7, color="C1", alpha=0.5)
            ax.text(back - 0.53, 1, i, ha="center", va="center")
            ax.text(start + kernel / 2, 0, i, ha="center", va="center")
        ax.set_yticks([0, 1], ["GPU", "host"])
        ax.set_title(f"kernel = {kernel} launches")
    axes[1].set_xlabel("time, in launches")
    plt.show()
