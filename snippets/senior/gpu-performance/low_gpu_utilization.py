# /// script
# requires-python = ">=3.11"
# dependencies = ["matplotlib"]
# ///
from dataclasses import dataclass, replace

import matplotlib.pyplot as plt


@dataclass(frozen=True)
class Loop:
    """A training loop. Times are in microseconds, for one step."""

    load: int = 20_000  # reading a batch, in one worker
    workers: int = 4
    copy: int = 1_000  # host to GPU, in the stream of the kernels
    kernels: int = 200
    kernel: int = 100  # one kernel
    launch: int = 10  # Python and driver, for one kernel
    python: int = 0  # other work of the host: metrics, logging
    item: bool = False  # the step ends with loss.item()


def run(loop: Loop, steps: int = 64) -> tuple[int, list, list]:
    """Simulate the loop.

    Returns:
        Utilization in percent: the share of time in which a kernel runs, in the
        last half of the steps. Then spans (start, length, step) of the host and
        of the kernels.
    """
    free, asked, ends, host_spans, gpu_spans = [0] * loop.workers, [], [], [], []
    host = gpu = 0
    for step in range(steps):
        # A worker has at most two batches ready: prefetch_factor=2.
        queue = 2 * loop.workers
        sent = asked[step - queue] if step >= queue else 0
        worker = step % loop.workers
        free[worker] = max(free[worker], sent) + loop.load
        asked.append(host)
        begin = host = max(host, free[worker])
        host += loop.python
        gpu = max(gpu, host) + loop.copy  # pinned and non-blocking
        begin_gpu = None
        for _ in range(loop.kernels):
            host += loop.launch
            start = max(gpu, host)
            begin_gpu = start if begin_gpu is None else begin_gpu
            gpu = start + loop.kernel
        host_spans.append((begin, host - begin, step))
        gpu_spans.append((begin_gpu, gpu - begin_gpu, step))
        if loop.item:
            host = max(host, gpu)
        ends.append(gpu)
    half = steps // 2
    busy = (steps - half) * loop.kernels * loop.kernel
    return round(100 * busy / (ends[-1] - ends[half - 1])), host_spans, gpu_spans


CAUSES = {
    "slow loader": Loop(load=160_000),
    "slow copy": Loop(copy=20_000),
    "small kernels": Loop(kernels=2_000, kernel=10, launch=20),
    "item() each step": Loop(python=18_000, item=True),
}
CHECKS = {
    "as it is": lambda loop: loop,
    "kept batch": lambda loop: replace(loop, load=0),
    "on the GPU": lambda loop: replace(loop, load=0, copy=0),
    "no item()": lambda loop: replace(loop, item=False),
    "batch x 4": lambda loop: replace(
        loop, load=4 * loop.load, copy=4 * loop.copy, kernel=4 * loop.kernel
    ),
}

if __name__ == "__main__":
    print(f"{'%':16}" + "".join(f"{name:>13}" for name in CHECKS))
    for name, loop in CAUSES.items():
        row = [run(change(loop))[0] for change in CHECKS.values()]
        print(f"{name:16}" + "".join(f"{percent:13}" for percent in row))

    figure, axes = plt.subplots(2, 1, figsize=(7, 3.4), sharex=True)
    for ax, item in zip(axes, (True, False)):
        _, *rows = run(Loop(python=18_000, item=item))
        origin = rows[0][32][0]
        for row, spans in enumerate(rows):
            for begin, length, step in spans:
                left = max(0, (begin - origin) / 1e3)
                right = min(122, (begin - origin + length) / 1e3)
                if left < right:
                    ax.broken_barh(
                        [(left, right - left)],
                        (1 - row - 0.35, 0.7),
                        facecolor=f"C{row}",
                        edgecolor="black",
                        hatch="//" if step % 2 else None,
                    )
        ax.set_yticks([1, 0], ["host", "kernels"])
        ax.set_title("loss.item() in each step" if item else "no item()")
    axes[1].set_xlim(0, 122)
    axes[1].set_xlabel("milliseconds")
    plt.show()
