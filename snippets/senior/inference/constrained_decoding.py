from fractions import Fraction

# Chances of the next token in percent. The model likes "The answer is Rome".
START, AFTER_THE = {"The": 60, "Rome": 36, "Paris": 4}, {"answer": 99, "Hague": 1}
NEXT = {(): START, ("The",): AFTER_THE}
VALID = [("Rome",), ("Paris",), ("The", "Hague")]


def probability(text, mask):
    """Exact chance of a tuple of tokens, with or without the mask."""
    total = Fraction(1)
    for i, token in enumerate(text):
        chances = NEXT[text[:i]]
        if mask:  # keep the tokens that can still become valid
            allowed = {valid[i] for valid in VALID if valid[:i] == text[:i]}
            chances = {t: n for t, n in chances.items() if t in allowed}
        total *= Fraction(chances[token], sum(chances.values()))
    return total


share = float(sum(probability(text, mask=False) for text in VALID))
print(f"valid {share:.1%}   plain   given valid   with the mask")
for text in VALID:
    plain, masked = (float(probability(text, mask)) for mask in (False, True))
    print(f"{' '.join(text):13}{plain:7.1%}{plain / share:14.1%}{masked:16.1%}")
