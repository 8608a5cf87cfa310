# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt

MUON, CUBIC = (3.4445, -4.7750, 2.0315), (1.5, -0.5, 0.0)


def after(s: float, steps: int, a: float, b: float, c: float) -> float:
    """What the iteration makes of one singular value between 0 and 1."""
    for _ in range(steps):
        square = s * s
        s = s * (a + square * (b + square * c))
    return s


if __name__ == "__main__":
    grid = [10 ** (-4 + k / 100) for k in range(401)]
    print("              from 0.0001   from 0.01   lowest and highest above 0.01")
    for name, coefficients in (("Muon", MUON), ("cubic", CUBIC)):
        for steps in (5, 10, 20):
            low, mid = (after(s, steps, *coefficients) for s in (1e-4, 1e-2))
            rest = [after(s, steps, *coefficients) for s in grid if s >= 0.0099]
            span = f"{min(rest):22.2f} to {max(rest):.2f}"
            print(f"{name:5} {steps:2} steps{low:12.3f}{mid:12.2f}{span}")

    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    axes.axhspan(0.68, 1.21, alpha=0.2, color="gray", linewidth=0)
    for steps, style in ((1, ":"), (3, "--"), (5, "-")):
        curve = [after(s, steps, *MUON) for s in grid]
        axes.plot(grid, curve, style, label=f"{steps} step" + "s" * (steps > 1))
    axes.set_xscale("log")
    axes.set(xlabel="singular value before", ylabel="after")
    axes.legend()
    plt.show()
