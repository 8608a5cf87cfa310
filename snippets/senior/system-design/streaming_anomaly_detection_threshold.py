# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import random
from bisect import bisect_left, insort
from collections import deque

import matplotlib.pyplot as plt


class Threshold:
    """Threshold that flags 0.5% of normal scores, from the last 500 accepted ones.

    Args:
        learn_all: accept every score, also those above the threshold.
        robust: use median and lower quartile, for scores that are about normally
            distributed, instead of the 99.5% quantile.
        ask_after: after so many flagged scores in a row, ask if this is normal.
    """

    def __init__(
        self,
        learn_all: bool = False,
        robust: bool = False,
        ask_after: int | None = None,
    ):
        self.learn_all, self.robust, self.ask_after = learn_all, robust, ask_after
        self.window: deque[float] = deque()
        self.pending: list[float] = []
        self.ordered: list[float] = []
        self.value = float("inf")

    def accept(self, score: float) -> None:
        if len(self.window) == 500:
            del self.ordered[bisect_left(self.ordered, self.window.popleft())]
        self.window.append(score)
        insort(self.ordered, score)
        count = len(self.ordered)
        if self.robust:
            median, quartile = self.ordered[count // 2], self.ordered[count // 4]
            self.value = median + 3.82 * (median - quartile)
        else:
            self.value = self.ordered[int(0.995 * count)]

    def update(self, score: float, is_normal: bool = False) -> bool:
        """Whether the score is flagged.

        ``is_normal`` is a person's answer, and read only when one is asked.
        """
        if len(self.window) < 100:  # too few to judge
            self.accept(score)
            return False
        flagged = score > self.value
        if self.learn_all or not flagged:
            self.accept(score)
        self.pending = [*self.pending, score] if flagged else []
        if self.ask_after and len(self.pending) == self.ask_after and is_normal:
            self.window.clear()
            self.ordered.clear()
            for old in self.pending:
                self.accept(old)
            self.pending = []
        return flagged


def run(threshold: Threshold, is_normal: bool = False, seed: int = 0):
    """Feed 1,000 normal scores, then 300 that are 6 higher.

    Returns:
        For each of the 300: whether it was flagged, the threshold, the score.
    """
    generator = random.Random(seed)
    for _ in range(1_000):
        threshold.update(generator.gauss(0, 1))
    found = []
    for _ in range(300):
        score = generator.gauss(6, 1)
        found.append((threshold.update(score, is_normal), threshold.value, score))
    return found


RULES: dict[str, dict] = {
    "quantile, all": {"learn_all": True},
    "quantile, unflagged": {},
    "median, unflagged": {"robust": True},
    "... ask after 30": {"robust": True, "ask_after": 30},
}

if __name__ == "__main__":
    print("                       no change:    300 scores are 6 higher,")
    print("                       flagged in    attack:   or drift:")
    print("accepts                20,000        missed    false alarms")
    styles = ("-", "-.", "--", ":")
    for (name, options), style in zip(RULES.items(), styles, strict=True):
        generator, rule = random.Random(1), Threshold(**options)
        quiet = sum(rule.update(generator.gauss(0, 1)) for _ in range(20_000))
        missed = [flag for flag, _, _ in run(Threshold(**options))].count(False)
        drift = run(Threshold(**options), is_normal=True)
        false = sum(flag for flag, _, _ in drift)
        print(f"{name:23}{quiet / 20_000:6.1%}{missed:14}{false:13}")
        if name != "quantile, unflagged":
            plt.plot([value for _, value, _ in drift], style, label=name)
    scores = [score for _, _, score in drift]
    plt.plot(scores, ".", markersize=2, color="gray", label="scores")
    plt.xlabel("scores since the change")
    plt.ylabel("threshold")
    plt.legend(loc="lower right")
    plt.show()
