from collections import Counter
from fractions import Fraction

VOCABULARY = [" false", " true", "false", "true", "ok", ":", " "]
TEXTS = ["ok: true"] * 90 + ["ok: false"] * 10
VALID = {"ok: true", "ok: false"}


def tokens(text):
    """The longest token first, as training saw it."""
    if not text:
        return []
    first = next(t for t in VOCABULARY if text.startswith(t))
    return [first, *tokens(text[len(first) :])]


PAIRS = Counter()
for text in TEXTS:
    PAIRS.update(zip(tokens(text), tokens(text)[1:]))


def outcomes(text, last, start=""):
    """Chances of the valid texts, if the model goes on after the token ``last``."""
    if text in VALID:
        return Counter({text: Fraction(1)})
    allowed = [
        t
        for t in VOCABULARY
        if t.startswith(start) and any(v.startswith(text + t) for v in VALID)
    ]
    weights = [PAIRS[last, t] + 1 for t in allowed]  # a count of one for new pairs
    total = Counter()
    for token, weight in zip(allowed, weights, strict=True):
        for end, chance in outcomes(text + token, token).items():
            total[end] += Fraction(weight, sum(weights)) * chance
    return total


if __name__ == "__main__":
    print("trained on:", tokens("ok: true"), "in 90% of the texts")
    for name, text, last, start in (
        ("forced 'ok:'", "ok:", ":", ""),
        ("forced 'ok: '", "ok: ", " ", ""),
        ("forced 'ok: ', last token healed", "ok:", ":", " "),
    ):
        print(
            f"{name:34}true {float(outcomes(text, last, start)['ok: true']):4.0%}"
        )
