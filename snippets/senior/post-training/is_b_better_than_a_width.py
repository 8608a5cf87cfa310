# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt


def paired(differ: float, lead: float, n: int) -> float:
    """Half of the 95% interval of the lead, if the models differ on so many."""
    return 1.96 * ((differ / n - (lead / n) ** 2) / n) ** 0.5


def unpaired(a: float, b: float, n: int) -> float:
    return 1.96 * ((a * (1 - a) + b * (1 - b)) / n) ** 0.5


def questions(differ: float, lead: float) -> float:
    """Questions for 80% power at 5%, if models differ on this share of them."""
    return (1.96 + 0.84) ** 2 * (differ - lead**2) / lead**2


if __name__ == "__main__":
    flat = unpaired(0.70, 0.72, 500)
    print(f"unpaired: 2.0 +- {100 * flat:.1f} points")
    largest = max(d for d in range(10, 500) if paired(d, 10, 500) < 0.02)
    print(f"paired, 2.0 points are clear up to {largest} differing questions")
    for differ in (0.05, 0.1, 0.4):
        need = questions(differ, 0.01)
        print(f"to see 1 point, {differ:.0%} differ: {need:6,.0f} questions")
    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    many = range(10, 221, 2)
    axes.plot(many, [100 * paired(d, 10, 500) for d in many], label="paired")
    axes.axhline(100 * flat, linestyle=":", color="C1", label="unpaired")
    axes.axhline(2, linestyle="--", color="C2", label="lead of 2 points")
    axes.set(xlabel="questions on which they differ", ylabel="half-width, points")
    axes.legend()
    plt.show()
