"""The symbols are one text with blanks, in which a replacement of the pair also
hits the ends of longer symbols.
"""

from collections import Counter


def merge(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    return " ".join(symbols).replace(" ".join(pair), "".join(pair)).split()


def train_bpe(words: dict[str, int], n_merges: int) -> list[tuple[str, str]]:
    split = {word: list(word) for word in words}
    merges: list[tuple[str, str]] = []
    for _ in range(n_merges):
        counts: Counter[tuple[str, str]] = Counter()
        for word, symbols in split.items():
            for pair in zip(symbols, symbols[1:]):
                counts[pair] += words[word]
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(best)
        split = {word: merge(symbols, best) for word, symbols in split.items()}
    return merges


def encode(word: str, merges: list[tuple[str, str]]) -> list[str]:
    symbols = list(word)
    for pair in merges:
        symbols = merge(symbols, pair)
    return symbols
