def _join(symbols, left, right):
    out, i = [], 0
    while i < len(symbols):
        if i + 1 < len(symbols) and symbols[i] == left and symbols[i + 1] == right:
            out.append(left + right)
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return tuple(out)


def train_bpe(words, n_merges):
    corpus = [(tuple(word), count) for word, count in words.items()]
    merges = []
    while len(merges) < n_merges:
        counts = {}
        for symbols, count in corpus:
            for i in range(len(symbols) - 1):
                pair = symbols[i], symbols[i + 1]
                counts[pair] = counts.get(pair, 0) + count
        if not counts:
            return merges
        most = max(counts.values())
        left, right = sorted(pair for pair in counts if counts[pair] == most)[0]
        merges.append((left, right))
        corpus = [(_join(symbols, left, right), count) for symbols, count in corpus]
    return merges


def encode(word, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    symbols = list(word)
    while True:
        found = [
            (rank[pair], i)
            for i, pair in enumerate(zip(symbols, symbols[1:]))
            if pair in rank
        ]
        if not found:
            return symbols
        _, i = min(found)
        symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
