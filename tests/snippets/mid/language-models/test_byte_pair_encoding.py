"""Every claim of docs/mid/language-models/byte-pair-encoding.md, proven beyond the example shown."""

import codecs
import itertools
import random

import pytest
from torch import nn

from warmup.testing import load_snippet

broken = load_snippet("mid/language-models/byte_pair_encoding_broken.py")
SYLLABLES = ["low", "new", "wid", "est", "er", "ly", "straw", "berr", "y", "ies", "e", "s", "t", "ä"]


def text_of(seed, words):
    draw = random.Random(seed)
    return " ".join("".join(draw.choices(SYLLABLES, k=draw.randint(1, 4))) for _ in range(words))


def replay(text, merges):
    words = broken.split(text)
    for pair in merges:
        words = [broken.merge(word, pair) for word in words]
    return [part for word in words for part in word]


def by_joined_bytes(text, vocabulary):
    """Merge the leftmost pair whose joined bytes have the lowest rank, whoever merged them in training."""
    out = []
    for word in broken.split(text):
        while known := [
            (vocabulary[a + b], i) for i, (a, b) in enumerate(itertools.pairwise(word)) if a + b in vocabulary
        ]:
            _, i = min(known)
            word[i : i + 2] = [word[i] + word[i + 1]]
        out += word
    return out


def ends(tokens):
    """The places in characters at which a token ends, and a character too."""
    places, seen = set(), b""
    for token in tokens:
        seen += token
        try:
            places.add(len(seen.decode()))
        except UnicodeDecodeError:
            continue
    return places


class TestBytePairEncoding:
    @pytest.mark.parametrize(
        ("word", "pair", "expected"),
        [
            ("aaa", "aa", ["aa", "a"]),
            ("aaaa", "aa", ["aa", "aa"]),
            ("abab", "ab", ["ab", "ab"]),
            ("ba", "ab", ["b", "a"]),
        ],
    )
    def test_a_merge_goes_from_left_to_right_without_overlap(self, word, pair, expected):
        parts = [bytes([b]) for b in word.encode()]
        assert broken.merge(parts, (pair[:1].encode(), pair[1:].encode())) == [e.encode() for e in expected]

    @pytest.mark.parametrize("text", ["aaab", "low low lower", "the  cat", ""])
    def test_the_first_merge_is_the_most_frequent_pair_within_words(self, text):
        ranks = broken.train(text, 1)
        counts = {}
        for word in broken.split(text):
            for pair in itertools.pairwise(word):
                counts[pair] = counts.get(pair, 0) + 1
        assert not counts or counts[next(iter(ranks))] == max(counts.values())

    def test_no_token_crosses_from_one_word_into_the_next(self):
        ranks = broken.train("of the " * 50, 30)
        assert all(b" " not in (a + b)[1:] for a, b in ranks)
        assert (b"of", b" the") not in ranks

    @pytest.mark.parametrize("size", [0, 5, 40])
    @pytest.mark.parametrize("text", ["héllo 🙂 wörld", "日本 語", "a  b\n c", "", "\x00 \t"])
    def test_no_text_is_unknown_and_the_bytes_come_back(self, size, text):
        tokens = broken.encode(text, broken.train(broken.TEXT, size))
        assert b"".join(tokens).decode() == text

    @pytest.mark.parametrize("size", [5, 20, 40])
    @pytest.mark.parametrize("seed", [0, 1])
    def test_three_ways_to_encode_agree_on_merges_that_training_made(self, size, seed):
        ranks = broken.train(text_of(seed, 60), size)
        vocabulary = {a + b: rank for (a, b), rank in ranks.items()}
        assert len(vocabulary) == len(ranks)
        assert all(len(part) == 1 or vocabulary[part] < ranks[pair] for pair in ranks for part in pair)
        for text in (text_of(9, 100), broken.TEXT):
            assert replay(text, ranks) == broken.encode(text, ranks) == by_joined_bytes(text, vocabulary)

    def test_a_pair_ranked_before_the_one_that_makes_its_part_separates_two_ways_to_encode(self):
        ranks = {(b"b", b"c"): 0, (b"abc", b"d"): 1, (b"a", b"bc"): 2}
        assert broken.encode("abcd", ranks) == [b"abcd"]
        assert replay("abcd", ranks) == [b"abc", b"d"]

    def test_an_added_token_merges_by_joined_bytes_and_not_by_pairs(self):
        assert broken.encode("abc", {(b"a", b"b"): 0, (b"b", b"c"): 1, (b"a", b"bc"): 2}) == [b"ab", b"c"]
        assert by_joined_bytes("abc", {b"ab": 0, b"bc": 1, b"abc": 2}) == [b"abc"]

    @pytest.mark.parametrize("added", [" ", "^"])
    def test_what_each_call_adds_in_front_changes_the_tokens_at_every_cut(self, added):
        ranks, text = broken.train(broken.TEXT, 40), " ".join(broken.TEXT.split())
        whole = broken.encode(added + text, ranks)
        for cut in range(1, len(text)):
            assert broken.encode(added + text[:cut], ranks) + broken.encode(added + text[cut:], ranks) != whole

    @pytest.mark.parametrize("size", [0, 10, 25, 60])
    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_a_cut_keeps_the_tokens_exactly_where_a_token_ends(self, size, seed):
        ranks, text = broken.train(text_of(seed, 40), size), text_of(seed + 5, 15)
        whole = broken.encode(text, ranks)
        kept = {
            c for c in range(1, len(text)) if broken.encode(text[:c], ranks) + broken.encode(text[c:], ranks) == whole
        }
        assert kept == ends(whole) - {len(text)}
        assert {c for c in range(1, len(text)) if text[c] == " "} <= kept

    def test_between_two_spaces_a_cut_can_change_the_tokens_although_a_token_ends_there(self):
        text, ranks = "a  b", {(b" ", b"b"): 0}
        assert broken.encode(text, ranks) == [b"a", b" ", b" ", b"b"]
        assert broken.encode("a ", ranks) + broken.encode(" b", ranks) == [b"a", b" ", b" b"]

    @pytest.mark.parametrize("size", [40, 60])
    def test_a_capital_letter_or_a_missing_space_gives_other_tokens(self, size):
        ranks = broken.train(broken.TEXT * 3, size)
        lower, upper = (broken.encode(t, ranks) for t in (" strawberry", " Strawberry"))
        assert len(upper) > len(lower)
        assert not set(lower) & set(upper)
        assert broken.encode("strawberry", ranks)[0] != lower[0]

    def test_every_frequent_word_is_one_token_and_a_lone_space_is_none(self):
        text = " ".join(broken.TEXT.split())
        tokens = broken.encode(text, broken.train(text, 60))
        assert len(tokens) == len(text.split())
        assert b" " not in tokens

    @pytest.mark.parametrize("size", [20, 40])
    def test_the_longest_token_first_differs_on_some_words_of_a_trained_vocabulary_too(self, size):
        ranks = broken.train(broken.TEXT * 3, size)
        vocabulary = {a + b for a, b in ranks}

        def first(word):
            n = max(n for n in range(1, len(word) + 1) if n == 1 or word[:n] in vocabulary)
            return [word[:n], *(first(word[n:]) if word[n:] else [])]

        words = {"".join(random.Random(s).choices(SYLLABLES[:-1], k=3)) for s in range(300)}
        differ = sum(broken.encode(word, ranks) != first(word.encode()) for word in words)
        assert 0 < differ < len(words) / 2

    @pytest.mark.parametrize("text", ["é", "🙂", "añb🙂"])
    def test_an_incremental_decoder_waits_for_the_bytes_of_a_character(self, text):
        tokens = [bytes([b]) for b in text.encode()]
        assert "\ufffd" in "".join(token.decode(errors="replace") for token in tokens)
        decoder = codecs.getincrementaldecoder("utf-8")()
        assert "".join(map(decoder.decode, tokens)) == text

    def test_a_strict_decoder_raises_on_bytes_that_are_no_text(self):
        tokens = [b"caf", b"\xc3", b"a"]
        with pytest.raises(UnicodeDecodeError):
            list(map(codecs.getincrementaldecoder("utf-8")().decode, tokens))
        assert "".join(map(codecs.getincrementaldecoder("utf-8")("replace").decode, tokens)) == "caf\ufffda"

    @pytest.mark.parametrize(("size", "shape"), [(40, (296, 8)), (10, (266, 4))])
    def test_the_embedding_has_a_row_for_each_byte_and_each_merge(self, size, shape):
        ranks = broken.train(broken.TEXT * 3, size)
        assert nn.Embedding(256 + len(ranks), shape[1]).weight.shape == shape

    def test_more_merges_make_the_text_shorter(self):
        lengths = [len(broken.encode(broken.TEXT, broken.train(broken.TEXT, n))) for n in (0, 10, 30, 60)]
        assert lengths == sorted(lengths, reverse=True) and len(set(lengths)) == 4

    def test_merges_by_frequency_split_numbers_of_one_length_differently(self):
        ranks = {(b"1", b"2"): 0, (b"12", b"3"): 1}
        splits = [[len(part) for part in broken.encode(number, ranks)] for number in ("1234", "4512", "9876")]
        assert splits == [[3, 1], [1, 1, 2], [1, 1, 1, 1]]
