from fractions import Fraction

# Chances of the next token in tenths, by the token before: target and draft.
P = {0: (6, 3, 1), 1: (2, 2, 6), 2: (5, 4, 1)}
Q = {0: (3, 3, 4), 1: (1, 8, 1), 2: (3, 3, 4)}


def step(before, drafts, after_rejection):
    """Yield each text that a step may emit, with its exact chance."""
    p, q = ([Fraction(x, 10) for x in table[before]] for table in (P, Q))
    if drafts == 0:  # all were accepted: one more, from the target
        yield from (((x,), p[x]) for x in range(3))
        return
    rejected = 0
    for x in range(3):
        accept = min(1, p[x] / q[x])
        for rest, chance in step(x, drafts - 1, after_rejection):
            yield (x, *rest), q[x] * accept * chance
        rejected += q[x] * (1 - accept)
    yield from (((x,), rejected * after_rejection(p, q)[x]) for x in range(3))


def residual(p, q):
    rest = [max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True)]
    return [x / sum(rest) for x in rest]


def texts(length, before, drafts, after_rejection):
    """Chances of the next ``length`` tokens, with as many steps as it takes."""
    total, open_ = {}, [((), before, Fraction(1))]
    while open_:
        text, last, share = open_.pop()
        for more, chance in step(last, drafts, after_rejection):
            longer = text + more
            if len(longer) < length:
                open_.append((longer, longer[-1], share * chance))
            else:
                key = longer[:length]
                total[key] = total.get(key, 0) + share * chance
    return total


def target(text, before):
    chance = Fraction(1)
    for x in text:
        chance, before = chance * Fraction(P[before][x], 10), x
    return chance


if __name__ == "__main__":
    print("three tokens after token 0       equal to the target  wrong share")
    rules = {"residual": residual, "the target again": lambda p, q: p}
    for drafts in (1, 2, 4):
        for name, rule in rules.items():
            chances = texts(3, 0, drafts, rule)
            off = [abs(c - target(text, 0)) for text, c in chances.items()]
            row = f"{drafts} drafted, {name:16}{off == [0] * 27!s:>21}"
            print(f"{row}{float(sum(off) / 2):15.1%}")
