"""Judge of byte-pair encoding: python judge.py my_solution.py"""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import Judge, Solution, main, same

INSTEAD = "count and merge the pairs yourself"
judge = Judge(
    __file__,
    names={"train_bpe": "function", "encode": "function"},
    forbidden=dict.fromkeys(("tokenizers", "sentencepiece", "tiktoken"), INSTEAD),
)
Pair = tuple[str, str]
Symbols = tuple[str, ...]
CLASSIC = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def joined(symbols: Symbols, pair: Pair) -> Symbols:
    """The symbols after a merge, from left to right."""
    if symbols[:2] == pair:
        return (pair[0] + pair[1], *joined(symbols[2:], pair))
    return symbols[:1] + joined(symbols[1:], pair) if symbols else ()


def learned(
    words: dict[str, int], n_merges: int
) -> tuple[list[Pair], dict[str, Symbols]]:
    """The merges, and how they split the words."""
    split: dict[str, Symbols] = {word: tuple(word) for word in words}
    merges: list[Pair] = []
    while len(merges) < n_merges:
        occurrences = [
            (symbols[i], symbols[i + 1])
            for word, symbols in split.items()
            for _ in range(words[word])
            for i in range(len(symbols) - 1)
        ]
        if not occurrences:
            break
        merges.append(
            sorted(sorted(set(occurrences)), key=occurrences.count, reverse=True)[0]
        )
        split = {
            word: joined(symbols, merges[-1]) for word, symbols in split.items()
        }
    return merges, split


def split_by(word: str, merges: list[Pair]) -> list[str]:
    symbols = tuple(word)
    for pair in merges:
        symbols = joined(symbols, pair)
    return list(symbols)


def is_open(word: str, merges: list[Pair]) -> bool:
    """Whether to apply the lowest merge that is there, again and again, gives something else: that is left open."""
    symbols = tuple(word)
    while found := [
        pair
        for pair in merges
        if pair in set(zip(symbols, symbols[1:], strict=False))
    ]:
        symbols = joined(symbols, found[0])
    return list(symbols) != split_by(word, merges)


def trains(solution: Solution, words: dict[str, int], n_merges: int) -> None:
    case = solution.run(f"words = {words}\ntrain_bpe(words, {n_merges})")
    same(case.got, learned(words, n_merges)[0])


def encodes(solution: Solution, word: str, merges: list[Pair]) -> None:
    assert not is_open(word, merges)
    case = solution.run(f"merges = {merges}\nencode({word!r}, merges)")
    same(case.got, split_by(word, merges))


def random_words(
    seed: int, letters: str, count: int, longest: int
) -> dict[str, int]:
    draw = random.Random(seed)
    texts = (
        "".join(draw.choices(letters, k=draw.randint(1, longest)))
        for _ in range(count)
    )
    return {text: draw.randint(1, 4) for text in texts}


@judge.group("the first merge")
def first(solution: Solution) -> None:
    for words in (
        {"ab": 1},
        {"ab": 3, "cd": 1, "cde": 1},
        {"abc": 1, "bc": 1},
        {"ab": 2, "bc": 1, "xbc": 2},
        CLASSIC,
    ):
        trains(solution, words, 1)


@judge.group("ties go to the smallest pair")
def ties(solution: Solution) -> None:
    for words in (
        {"cd": 1, "ab": 1},
        {"ab": 1, "cd": 1},
        {"bc": 2, "ab": 1, "abx": 1},
        {"ba": 1, "b": 1, "bb": 1},
        {"ab": 2, "Ab": 2, "aB": 1},
    ):
        trains(solution, words, 1)


@judge.group(
    "repeated symbols are counted at each place and merged without overlap"
)
def repeated(solution: Solution) -> None:
    trains(solution, {"abab": 2, "cd": 3}, 1)
    trains(solution, {"aaa": 3, "bc": 5}, 1)
    for words in (
        {"aaa": 1},
        {"aaaa": 1},
        {"aaa": 4, "aaaa": 3, "b": 9},
        {"abab": 1},
    ):
        trains(solution, words, 2)


@judge.group("several merges, also of symbols that contain each other")
def several(solution: Solution) -> None:
    for n_merges in (2, 3, 10):
        trains(solution, CLASSIC, n_merges)
    trains(solution, {"ca": 3, "cab": 2, "ab": 4, "abd": 1, "cabd": 1}, 4)
    trains(solution, {"xa": 9, "xab": 4, "ab": 3, "xabab": 2}, 4)


@judge.group("it ends when no pair is left")
def ends(solution: Solution) -> None:
    for words, n_merges in [
        ({"abc": 1}, 9),
        ({"a": 3}, 2),
        ({}, 2),
        ({"": 2, "ab": 1}, 2),
        ({"ab": 1}, 0),
        ({}, 0),
    ]:
        trains(solution, words, n_merges)


@judge.group("encoding applies the merges in their order")
def encoding(solution: Solution) -> None:
    for word, merges in [
        ("ab", [("a", "b")]),
        ("abc", [("b", "c"), ("a", "b")]),
        ("abc", [("a", "b"), ("b", "c")]),
        ("abcd", [("b", "c"), ("a", "b"), ("c", "d"), ("ab", "cd")]),
        ("abcabc", [("a", "b"), ("ab", "c"), ("abc", "abc")]),
        ("aaaaa", [("a", "a"), ("aa", "aa")]),
        ("cab", [("c", "a"), ("a", "b")]),
        ("abab", [("a", "b")]),
    ]:
        encodes(solution, word, merges)


@judge.group("encoding of empty, short and unknown words")
def unknown(solution: Solution) -> None:
    merges = [("a", "b"), ("ab", "c")]
    for word in ("", "a", "xyz", "xabcy", "äb", "a b"):
        encodes(solution, word, merges)
    encodes(solution, "Abc", [("a", "b"), ("A", "b")])
    encodes(solution, "abc", [])
    encodes(solution, "x a b", [("a", "b")])


@judge.group("random words, in either order of the dictionary, and back")
def many(solution: Solution) -> None:
    for seed, letters in enumerate(("ab", "abc", "abcd", "ab ")):
        words = random_words(seed, letters, 8, 7)
        for ordered in (words, dict(reversed(words.items()))):
            trains(solution, ordered, 12)
        merges, _ = learned(words, 12)
        for word in [*words, *random_words(seed + 10, letters, 4, 9)]:
            if not is_open(word, merges):
                encodes(solution, word, merges)


if __name__ == "__main__":
    main(judge)
