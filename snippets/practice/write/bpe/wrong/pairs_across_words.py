"""All words stand in one list, so pairs cross from one word into the next."""

from collections import Counter


def merge(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    result: list[str] = []
    for symbol in symbols:
        if result and (result[-1], symbol) == pair:
            result[-1] += symbol
        else:
            result.append(symbol)
    return result


def train_bpe(words: dict[str, int], n_merges: int) -> list[tuple[str, str]]:
    text = [
        symbol for word, count in words.items() for symbol in list(word) * count
    ]
    merges: list[tuple[str, str]] = []
    for _ in range(n_merges):
        counts: Counter[tuple[str, str]] = Counter(zip(text, text[1:]))
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(best)
        text = merge(text, best)
    return merges


def encode(word: str, merges: list[tuple[str, str]]) -> list[str]:
    symbols = list(word)
    for pair in merges:
        symbols = merge(symbols, pair)
    return symbols
