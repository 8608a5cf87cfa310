from collections import Counter
from itertools import pairwise


class Word:
    def __init__(self, text, count=1):
        self.symbols, self.count = list(text), count

    def pairs(self):
        return Counter(pairwise(self.symbols))

    def apply(self, pair):
        i = 0
        while i + 1 < len(self.symbols):
            if tuple(self.symbols[i : i + 2]) == pair:
                self.symbols[i : i + 2] = ["".join(pair)]
            i += 1


def train_bpe(words, n_merges):
    corpus = [Word(text, count) for text, count in words.items()]
    totals = Counter()
    for word in corpus:
        for pair, times in word.pairs().items():
            totals[pair] += times * word.count
    learned = []
    for _ in range(n_merges):
        ranked = sorted(
            (-count, pair) for pair, count in totals.items() if count > 0
        )
        if not ranked:
            break
        best = ranked[0][1]
        learned.append(best)
        for word in corpus:
            before = word.pairs()
            if best in before:
                word.apply(best)
                for pair, times in before.items():
                    totals[pair] -= times * word.count
                for pair, times in word.pairs().items():
                    totals[pair] += times * word.count
    return learned


def encode(word, merges):
    state = Word(word)
    for pair in merges:
        state.apply(pair)
    return state.symbols
