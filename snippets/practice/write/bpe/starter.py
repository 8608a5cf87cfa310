def train_bpe(words: dict[str, int], n_merges: int) -> list[tuple[str, str]]:
    """Learn merges from words.

    At first a word's symbols are its characters. Then, n_merges times, the adjacent
    pair of symbols that is most frequent becomes one symbol in all words. Words and
    n_merges may be empty and 0.

    Every adjacent occurrence in a word counts, also overlapping ones (aaa has a, a
    twice), and as often as the word occurs. Pairs do not cross words. Of equally
    frequent pairs, the smallest tuple of strings wins. A pair is merged from left
    to right, without overlap: a a a becomes aa a.

    Args:
        words: how often each word occurs (at least once). It is not changed.
        n_merges: how many merges to learn; fewer if no pair is left.

    Returns:
        The merged pairs, in the order in which they were learned.
    """
    raise NotImplementedError


def encode(word: str, merges: list[tuple[str, str]]) -> list[str]:
    """Split a word, which need not have been learned from, into symbols.

    Starts with its characters and applies the merges in the order in which they
    were learned, each to the whole word, from left to right.

    Returns:
        The symbols, which make up the word.
    """
    raise NotImplementedError
