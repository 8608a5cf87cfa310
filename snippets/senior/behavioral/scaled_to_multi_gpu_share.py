# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt


def fixed_share(alone: float, together: float, gpus: int) -> float:
    """Share of the time on one GPU that did not get shorter on several.

    The Karp-Flatt metric. For a fixed number of steps: if it grows with the GPUs,
    each message has a cost; if not, a part is not divided, or bandwidth limits.

    Args:
        alone, together: time for the same work on one GPU and on ``gpus``, in any
            unit.
        gpus: two or more.

    Raises:
        ValueError: ``gpus`` is below two.
    """
    if gpus < 2:
        raise ValueError("compare one GPU with two or more")
    return (gpus * together / alone - 1) / (gpus - 1)


JOBS = {
    "validation on rank 0": lambda n: 40 / n + 2,
    "a message for each GPU": lambda n: 42 / n + 0.25 * (n - 1),
}

if __name__ == "__main__":
    counts = (2, 4, 8, 16, 64)
    for style, (name, time) in zip(("o-", "s--"), JOBS.items()):
        print(name)
        for n in counts:
            share = fixed_share(time(1), time(n), n)
            print(f"{n:4} GPUs{time(1) / time(n):7.1f}x{share:7.1%} fixed")
        sizes = range(1, 65)
        plt.plot(sizes, [time(1) / time(n) for n in sizes], style[1:], label=name)
    share = fixed_share(14, 2.1, 8)
    print(f"14 days, 2.1 on 8 GPUs: {14 / 2.1:.2f}x, {share:.1%} fixed")
    plt.plot([1, 32], [1, 32], ":", color="gray", label="ideal")
    plt.axvline(8, color="gray", lw=0.5)
    plt.xlabel("GPUs")
    plt.ylabel("speed-up")
    plt.ylim(0, 20)
    plt.legend()
    plt.show()
