import re
from collections import Counter


def split(s):  # a word keeps the space before it, and begins as single bytes
    return [[bytes([b]) for b in w.encode()] for w in re.findall(r" ?\S+|\s+", s)]


def merge(word, pair):
    out = word[:1]
    for part in word[1:]:
        joined = (out[-1], part) == pair
        out[-1:] = [out[-1] + part] if joined else [out[-1], part]
    return out


words, merges = split("the low lowest the new straw berry strawberry " * 3), []
for _ in range(20):
    pairs = Counter(pair for word in words for pair in zip(word, word[1:]))
    merges.append(max(pairs, key=lambda pair: (pairs[pair], pair)))
    words = [merge(word, merges[-1]) for word in words]
for text in ("the strawberry", "the Strawberry", "strawberry", "the ", "é"):
    words = split(text)
    for pair in merges:
        words = [merge(word, pair) for word in words]
    print(f"{text:15}", *[part for word in words for part in word])
