from math import log

WORDS = ["(end)", "the", "dog", "runs", "far"]
NEXT = [
    0.56,
    0.20,
    0.10,
    0.06,
]  # of the next word in the list, the one behind it, ...
P = [[0.08, *NEXT[4 - i :], *NEXT[: 4 - i]] for i in range(5)]  # row 0: the start


def beam_search(width: int, longest: int = 10) -> tuple[float, list[int]]:
    """Log-probability and indices of the best text kept, after a leading 0."""
    beams = [(0.0, [0])]
    for _ in range(longest):
        grown = [(s, t) for s, t in beams if t[1:] and t[-1] == 0]  # finished
        for s, t in beams:
            if (s, t) not in grown:
                grown += [(s + log(p), [*t, w]) for w, p in enumerate(P[t[-1]])]
        beams = sorted(grown, reverse=True)[:width]
    return beams[0]


if __name__ == "__main__":
    for width in (1, 2, 3, 4, 8):
        score, text = beam_search(width)
        print(f"width {width}, log p {score:5.2f}:", *(WORDS[w] for w in text[1:]))
