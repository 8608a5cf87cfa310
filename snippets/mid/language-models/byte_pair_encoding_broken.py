import re
from collections import Counter

Pair = tuple[bytes, bytes]
TEXT = """the cat sat on the mat the low straw the lower berries newer newest
wide the strawberry wider widest the lowest berry newly the new strawberries"""


def split(text: str) -> list[list[bytes]]:
    """One list of single bytes per word; a word keeps the space before it."""
    words = re.findall(r" ?\S+|\s+", text)
    return [[bytes([value]) for value in word.encode()] for word in words]


def merge(word: list[bytes], pair: Pair) -> list[bytes]:
    """Join the pair wherever it occurs, from left to right."""
    out = word[:1]
    for part in word[1:]:
        joined = (out[-1], part) == pair
        out[-1:] = [out[-1] + part] if joined else [out[-1], part]
    return out


def train(text: str, size: int) -> dict[Pair, int]:
    """Merge the most frequent pair, size times at most: each pair's rank."""
    words, ranks = split(text), {}
    while len(ranks) < size:
        pairs = Counter(pair for word in words for pair in zip(word, word[1:]))
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        ranks[best] = len(ranks)
        words = [merge(word, best) for word in words]
    return ranks


def encode(text: str, ranks: dict[Pair, int]) -> list[bytes]:
    """Tokens as bytes: in each word the pair of the lowest rank merges first."""
    out = []
    for word in split(text):
        while known := [pair for pair in zip(word, word[1:]) if pair in ranks]:
            word = merge(word, min(known, key=ranks.__getitem__))
        out += word
    return out


def place(text: str, cut: int) -> str:
    """Where a cut lies: before a space, after one, or inside a word."""
    if text[cut] == " ":
        return "before a space"
    return "after a space" if text[cut - 1] == " " else "inside a word"


if __name__ == "__main__":
    text = " ".join(TEXT.split())
    ranks = train(text, 60)
    whole = encode(text, ranks)
    cuts, changed = Counter(), Counter()
    for cut in range(1, len(text)):
        where = place(text, cut)
        cuts[where] += 1
        parts = encode(text[:cut], ranks) + encode(text[cut:], ranks)
        changed[where] += parts != whole
    for where, n in cuts.items():
        print(f"{n:4} cuts {where}: {changed[where]} change the tokens")
    print("a token that is only a space:", whole.count(b" "), "of", len(whole))
    for prompt in ("on the", "on the "):
        *_, last = encode(prompt, ranks)
        after = {b for a, b in zip(whole, whole[1:]) if a == last}
        print(f"{prompt!r} ends in {last}: {len(after)} tokens are known to follow")
