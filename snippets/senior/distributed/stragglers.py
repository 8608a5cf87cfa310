# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
import matplotlib.pyplot as plt


def step(shares: list[int], rates: list[float]) -> tuple[float, list[float]]:
    """Time of a synchronous step, and how long each rank waits in the all-reduce.

    Args:
        shares: samples of each rank.
        rates: samples that each rank computes in a unit of time.
    """
    work = [share / rate for share, rate in zip(shares, rates, strict=True)]
    return max(work), [max(work) - own for own in work]


def proportional(total: int, rates: list[float]) -> list[int]:
    """Whole shares of ``total`` samples, in proportion to ``rates``."""
    exact = [total * rate / sum(rates) for rate in rates]
    shares = [int(share) for share in exact]
    by_rest = sorted(range(len(rates)), key=lambda rank: shares[rank] - exact[rank])
    for rank in by_rest[: total - sum(shares)]:
        shares[rank] += 1
    return shares


if __name__ == "__main__":
    rates = [2, 2, 2, 1]  # rank 3 is the straggler
    plans = {
        "equal": ([64] * 4, rates),
        "proportional": (proportional(256, rates), rates),
        "without rank 3": (proportional(256, rates[:3]), rates[:3]),
    }
    figure, axes = plt.subplots(
        3, 1, figsize=(6, 4), sharex=True, layout="constrained"
    )
    print("shares          samples            step  each rank waits         speed")
    for axis, (name, (shares, speeds)) in zip(axes, plans.items(), strict=True):
        time, waits = step(shares, speeds)
        shown = " ".join(f"{wait:4.1f}" for wait in waits)
        print(f"{name:15} {shares!s:18} {time:4.1f}  {shown:20} {256 / time:8.1f}")

        ranks = range(len(shares))
        work = [time - wait for wait in waits]
        axis.barh(ranks, work, color="C0", label="computes")
        style = {"color": "none", "edgecolor": "C1", "hatch": "///"}
        axis.barh(ranks, waits, left=work, label="waits", **style)
        axis.set(yticks=ranks, ylabel="rank", title=f"{name}: {time:g}")
        axis.invert_yaxis()
    axes[1].legend(loc="center right")
    axes[2].set_xlabel("time until the step can be taken")
    plt.show()
