from fractions import Fraction

P = [Fraction(n, 10) for n in (6, 3, 1)]  # the target's chances of three tokens
Q = [Fraction(n, 10) for n in (3, 3, 4)]  # the draft's


# Exact chances of the token that one draft token leads to.
def emitted(p, q, accept, after_rejection):
    kept = [b * a for b, a in zip(q, accept, strict=True)]
    lost = 1 - sum(kept)
    return [k + lost * r for k, r in zip(kept, after_rejection, strict=True)]


ratio = [min(Fraction(1), p / q) for p, q in zip(P, Q, strict=True)]
missing = [max(Fraction(0), p - q) for p, q in zip(P, Q, strict=True)]
residual = [m / sum(missing) for m in missing]
likely = [Fraction(p >= Fraction(2, 10)) for p in P]

for name, accept, after in (
    ("accept p/q, then the residual", ratio, residual),
    ("accept p/q, then the target", ratio, P),
    ("accept if p is 0.2 or more, then the target", likely, P),
):
    chances = emitted(P, Q, accept, after)
    print(f"{name:44}", [float(c) for c in chances], chances == P)
