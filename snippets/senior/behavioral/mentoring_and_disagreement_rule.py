import random
from collections.abc import Callable


def verdict(a: Callable[[], float], b: Callable[[], float], least: float) -> str:
    """Compare two programs by a rule that was agreed on before the run.

    Runs 20 pairs in the order A B B A A B B A ..., and takes b / a - 1 of each. The
    sixth smallest and the sixth largest are an interval for the median, with 95.9%
    confidence if the pairs are independent.

    Args:
        a, b: run the program once and return its time.
        least: the smallest difference that counts, such as 0.05.
    """
    changes = []
    for pair in range(20):
        if pair % 2 == 0:
            one, other = a(), b()
        else:
            other, one = b(), a()
        changes.append(other / one - 1)
    changes.sort()
    low, high = changes[5], changes[-6]
    if low > least:
        said = "B is slower"
    elif high < -least:
        said = "B is faster"
    elif -least < low and high < least:
        said = "no difference that counts"
    else:
        said = "undecided: run more pairs"
    return f"{low:+.1%} to {high:+.1%}: {said}"


if __name__ == "__main__":
    machine = random.Random(0)
    runs = 0

    def program(ms: float, noise: float) -> Callable[[], float]:
        def run() -> float:
            global runs
            runs += 1  # the machine gets warm: 0.1% a run
            return ms * machine.gauss(1, noise) * (1 + 0.001 * runs)

        return run

    for label, a, b, noise in (
        ("threads twice, short runs", 5.0, 5.0, 0.04),
        ("threads twice, long runs", 5.0, 5.0, 0.01),
        ("text, A threads, B processes", 8.0, 2.5, 0.01),
        ("images, A threads, B processes", 5.0, 5.75, 0.01),
        ("both, A threads, B processes", 10.0, 10.25, 0.01),
    ):
        said = verdict(program(a, noise), program(b, noise), least=0.05)
        print(f"{label:32}{said}")
