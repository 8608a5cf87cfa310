"""After a merge the loop moves on by one symbol instead of two, so a symbol is
used twice: a a a becomes aa aa.
"""

from collections import Counter


def merge(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    result: list[str] = []
    i = 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == pair:
            result.append(symbols[i] + symbols[i + 1])
            if i + 2 == len(symbols):
                break
        else:
            result.append(symbols[i])
        i += 1
    return result


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
