import math
import random
from collections import Counter

random.seed(0)
words = ["the", "cat", "sat", "on", "mat", "and", "dog", "ran", "to", "log", "with"]
text = " ".join(random.choices(words, k=2000))
ORDER = 4  # the model reads up to four characters back
counts = Counter(
    text[i : i + n] for n in range(ORDER + 2) for i in range(len(text) - n)
)


def perplexity(window: int, stride: int) -> float:
    """Score windows that begin every stride characters, each character once."""
    total, done = 0.0, 0
    for begin in range(0, len(text) - window, stride):
        for i in range(max(done, begin), begin + window):
            context = text[max(begin, i - ORDER) : i]
            total -= math.log(counts[context + text[i]] / counts[context])
        done = begin + window
    return math.exp(total / done)


if __name__ == "__main__":
    for window, stride in ((8, 8), (16, 16), (64, 64), (64, 32), (64, 1)):
        value = perplexity(window, stride)
        print(f"window {window:2}, stride {stride:2}: {value:.2f}")
