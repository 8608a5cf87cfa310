# /// script
# requires-python = ">=3.11"
# dependencies = ["matplotlib"]
# ///
import matplotlib.pyplot as plt

Span = tuple[float, float]


def schedule(
    copy: float, kernels: float, side_stream: bool, steps: int = 40
) -> list[tuple[Span, Span]]:
    """Start and end of each step's copy and kernels, in milliseconds.

    Memory is pinned and the host is ahead, so only the GPU's order counts. With a
    side stream there are two buffers on the GPU, and batch i + 2 waits for batch i.
    """
    spans: list[tuple[Span, Span]] = []
    link = gpu = 0.0
    for step in range(steps):
        start = gpu
        if side_stream:
            start = max(link, spans[step - 2][1][1] if step > 1 else 0.0)
        link = start + copy
        begin = max(link, gpu)
        gpu = begin + kernels
        spans.append(((start, link), (begin, gpu)))
    return spans


def step_time(copy: float, kernels: float, side_stream: bool) -> float:
    """Milliseconds for each step of a long loop."""
    spans = schedule(copy, kernels, side_stream)
    return (spans[-1][1][1] - spans[19][1][1]) / 20


if __name__ == "__main__":
    for copy in (6, 1.5, 12):
        one, two = (step_time(copy, 10, side) for side in (False, True))
        print(f"copy {copy:4} ms, kernels 10 ms: {one} in one stream, {two} in two")

    figure, axes = plt.subplots(2, 1, figsize=(7, 3), sharex=True)
    for ax, side_stream in zip(axes, (False, True)):
        for step, row in enumerate(schedule(6, 10, side_stream, 4)):
            for line, (start, end) in enumerate(row):
                ax.broken_barh(
                    [(start, end - start)],
                    (1 - line - 0.35, 0.7),
                    facecolor=f"C{line}",
                    edgecolor="black",
                    alpha=0.5,
                )
                ax.text((start + end) / 2, 1 - line, step, ha="center", va="center")
        ax.set_yticks([1, 0], ["copy", "kernels"])
        ax.set_title("a side stream" if side_stream else "one stream")
    axes[1].set_xlabel("milliseconds")
    plt.show()
