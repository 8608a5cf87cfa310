"""Every claim of docs/mid/algorithms/trie.md, proven beyond the example shown."""

import random
import sys
import time
import unicodedata
from bisect import bisect_left

import pytest
import torch

from warmup.testing import load_snippet

story = load_snippet("mid/algorithms/trie.py")
broken = load_snippet("mid/algorithms/trie_broken.py")
embeddings = load_snippet("mid/algorithms/trie_embeddings.py")
longest = load_snippet("mid/algorithms/trie_longest.py")
deletion = load_snippet("mid/algorithms/trie_delete.py")


def read_by_set(keys: list[str], text: str) -> int:
    """Characters that slices hash until each place has its longest key."""
    known, longest, read = set(keys), max(map(len, keys)), 0
    for start in range(len(text)):
        for end in range(min(start + longest, len(text)), start, -1):
            read += end - start
            if text[start:end] in known:
                break
    return read


def read_by_trie(keys: list[str], text: str) -> int:
    """Characters that a walk from each place of ``text`` looks up."""
    root, read = {}, 0
    for key in keys:
        node = root
        for character in key:
            node = node.setdefault(character, {})
    for start in range(len(text)):
        node = root
        for character in text[start:]:
            read += 1
            if character not in node:
                break
            node = node[character]
    return read


def words(rng: random.Random, count: int, alphabet: str = "ab$é") -> list[str]:
    """Short words, with the empty one, duplicates and prefixes of one another."""
    return ["".join(rng.choices(alphabet, k=rng.randrange(0, 5))) for _ in range(count)]


class TestTrie:
    def test_agrees_with_a_dictionary(self):
        rng = random.Random(0)
        for _ in range(60):
            trie = embeddings.EmbeddingTrie(width=3, capacity=rng.randrange(0, 4))
            truth: dict[str, torch.Tensor] = {}
            for key in words(rng, rng.randrange(0, 25)):
                truth[key] = torch.randn(3)
                trie.insert(key, truth[key])
            assert len(trie) == len(truth)
            for query in {*words(rng, 20), *truth, ""}:
                found = trie.get(query)
                assert (found is None) == (query not in truth)
                assert found is None or torch.equal(found, truth[query])
                keys, vectors = trie.with_prefix(query)
                assert keys == sorted(key for key in truth if key.startswith(query))
                assert vectors.shape == (len(keys), 3)
                assert all(torch.equal(v, truth[k]) for k, v in zip(keys, vectors, strict=True))

    def test_a_key_of_many_thousand_characters_does_not_recurse(self):
        trie = embeddings.EmbeddingTrie(width=1)
        trie.insert("a" * 5000, torch.ones(1))
        assert trie.with_prefix("a")[1].tolist() == [[1.0]]

    def test_a_wrong_shape_is_refused_and_leaves_the_trie_as_it_was(self):
        trie = embeddings.EmbeddingTrie(width=2)
        for wrong in (torch.ones(1), torch.ones(1, 2), torch.tensor(1.0)):
            with pytest.raises(ValueError, match="shape"):
                trie.insert("a", wrong)
        assert len(trie) == 0 and trie.root == {}

    def test_vectors_are_copied_without_their_graph(self):
        trie = embeddings.EmbeddingTrie(width=2, capacity=1)
        vector = torch.ones(2, requires_grad=True)
        trie.insert("a", vector)
        with torch.no_grad():
            vector.zero_()
        found = trie.get("a")
        assert found.tolist() == [1.0, 1.0] and not found.requires_grad
        found.zero_()
        keys, stacked = trie.with_prefix("")
        stacked.zero_()
        assert trie.get("a").tolist() == [1.0, 1.0] and not trie.rows.requires_grad

    @pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.AdamW])
    def test_an_optimizer_step_changes_a_detached_row_of_the_weight_and_not_a_looked_up_vector(self, make):
        table = torch.nn.Embedding(3, 2)
        row, looked_up = table.weight[0].detach(), table(torch.tensor(0)).detach()
        trie = embeddings.EmbeddingTrie(width=2)
        trie.insert("a", table.weight[0])
        assert torch.equal(row, looked_up)
        table.weight.sum().backward()
        make(table.parameters(), lr=0.5).step()
        assert not torch.equal(row, looked_up)
        assert torch.equal(row, table.weight[0]) and torch.equal(trie.get("a"), looked_up)

    def test_it_can_be_filled_in_inference_mode_and_outside_in_turn(self):
        for first in (True, False):
            with torch.inference_mode(first):
                trie = embeddings.EmbeddingTrie(width=2, capacity=1)
            for i in range(9):
                with torch.inference_mode(i % 2 == 0):
                    trie.insert(str(i), torch.full((2,), float(i)))
            assert [trie.get(str(i)).tolist() for i in range(9)] == [[i, i] for i in range(9)]
            assert not trie.rows.is_inference()

    def test_without_detach_the_rows_join_the_graph(self):
        rows = torch.zeros(2, 2)
        rows[0] = torch.ones(2, requires_grad=True)
        assert rows.requires_grad

    def test_the_rows_grow_by_doubling_and_a_known_key_takes_no_new_row(self):
        trie = embeddings.EmbeddingTrie(width=1, capacity=2)
        for i in range(9):
            trie.insert(str(i), torch.tensor([float(i)]))
            trie.insert("0", torch.zeros(1))
        assert len(trie) == 9 and len(trie.rows) == 16
        assert [trie.get(str(i)).item() for i in range(9)] == list(range(9))


class TestTrieOfTheStory:
    def test_a_sorted_list_finds_the_keys_with_a_prefix_by_bisection(self):
        rng = random.Random(6)
        for _ in range(50):
            keys = sorted(set(words(rng, 20)))
            for prefix in words(rng, 5):
                found = []
                for key in keys[bisect_left(keys, prefix) :]:
                    if not key.startswith(prefix):
                        break
                    found.append(key)
                assert found == [key for key in keys if key.startswith(prefix)]

    def test_agrees_with_a_dictionary(self):
        rng = random.Random(3)
        for _ in range(60):
            root, truth = {}, {}
            for row, key in enumerate(words(rng, rng.randrange(0, 20))):
                story.insert(root, key, row)
                truth[key] = row
            for query in {*words(rng, 20), *truth, ""}:
                assert story.walk(root, query).get(None) == truth.get(query)
                below = [row for key, row in truth.items() if key.startswith(query)]
                assert sorted(story.values(story.walk(root, query))) == sorted(below)

    def test_row_zero_is_falsy_and_the_empty_key_is_at_the_root(self):
        root = {}
        for row, key in enumerate(["un", "", "unit"]):
            story.insert(root, key, row)
        row = story.walk(root, "un").get(None)
        assert row is not None and not row
        assert root[None] == 1 and story.walk(root, "").get(None) == 1

    @pytest.mark.parametrize("key", ["union", "abab", "é"])
    def test_without_an_end_mark_each_prefix_is_found(self, key):
        unmarked, marked = {}, {}
        broken.insert(unmarked, key)
        story.insert(marked, key, 0)
        prefixes = [key[:i] for i in range(1, len(key) + 1)]
        assert all(broken.found(unmarked, prefix) for prefix in prefixes)
        assert [story.walk(marked, prefix).get(None) for prefix in prefixes][:-1] == [None] * (len(key) - 1)
        assert not broken.found(unmarked, key + "x") and not broken.found(unmarked, "x")

    @pytest.mark.parametrize("mark", ["$", "b"])
    def test_an_end_mark_that_is_a_character_makes_a_prefix_a_key(self, mark):
        root = node = {}
        for character in f"a{mark}c":
            node = node.setdefault(character, {})
        node[mark] = True
        assert mark in root["a"]  # "a" looks like a key

    @pytest.mark.parametrize("length", [5000, 20_000])
    def test_a_recursive_walk_over_a_long_key_raises(self, length):
        root = {}
        story.insert(root, "a" * length, 0)
        with pytest.raises(RecursionError):
            list(story.values(root))
        while root:  # nested dictionaries this deep are taken apart by hand
            root = root.popitem()[1] or {}

    def test_equal_texts_may_differ_until_they_are_normalized(self):
        for one, two in (("caf\u00e9", "cafe\u0301"), ("\u00fcber", "u\u0308ber")):
            assert one != two and len(one) + 1 == len(two)
            assert unicodedata.normalize("NFC", two) == one == unicodedata.normalize("NFC", one)

    def test_the_longest_match_can_fail_where_a_shorter_one_would_not(self):
        for keys, text, cover in ((["ab", "abc", "cd"], "abcd", ["ab", "cd"]), (["a", "aa", "ab"], "aab", ["a", "ab"])):
            with pytest.raises(ValueError, match="no token begins"):
                longest.tokenize(longest.build(keys), text)
            assert "".join(cover) == text and set(cover) <= set(keys)
            assert "".join(longest.tokenize(longest.build([*keys, *text]), text)) == text


class TestTrieAgainstADictionary:
    @pytest.fixture(params=["random words", "two letters", "prefixes"])
    def keys(self, request):
        rng = random.Random(4)
        return {
            "random words": ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=8)) for _ in range(500)],
            "two letters": ["".join(rng.choices("ab", k=11)) for _ in range(500)],
            "prefixes": ["a" * i for i in range(1, 700)],
        }[request.param]

    def test_nested_dictionaries_are_larger_unless_keys_share_their_characters(self, keys):
        nodes, size = [longest.build(keys)], 0
        while nodes:
            node = nodes.pop()
            size += sys.getsizeof(node)
            nodes += [child for step, child in node.items() if step is not None]
        known = dict.fromkeys(keys)
        with_strings = sys.getsizeof(known) + sum(map(sys.getsizeof, known))
        assert size < with_strings / 1.5 if keys[-1] == "a" * 699 else size > 2 * with_strings
        assert sys.getsizeof(sorted(known)) < sys.getsizeof(known)

    def test_exact_search_takes_longer(self, keys):
        root, known = longest.build(keys), dict.fromkeys(keys, True)

        def walk(key):
            node = root
            for character in key:
                node = node.get(character, {})
            return node.get(None)

        def seconds(search):
            best = float("inf")
            for _ in range(5):
                fresh = ["".join(list(key)) for key in keys[::5]]  # a string keeps its hash
                start = time.perf_counter()
                assert all(search(key) for key in fresh)
                best = min(best, time.perf_counter() - start)
            return best

        assert seconds(walk) > 2 * seconds(known.get)


class TestTrieDelete:
    def test_leaves_the_trie_of_the_other_keys(self):
        rng = random.Random(5)
        for _ in range(100):
            keys = list(dict.fromkeys(words(rng, 8)))
            root = {}
            for row, key in enumerate(keys):
                deletion.insert(root, key, row)
            rng.shuffle(keys)
            while keys:
                deletion.delete(root, keys.pop())
                rest = longest.build(keys)
                nodes = [(root, rest)]
                while nodes:
                    found, truth = nodes.pop()
                    assert found.keys() == truth.keys()
                    nodes += [(found[step], truth[step]) for step in found if step is not None]

    @pytest.mark.parametrize("absent", ["", "u", "x", "unix", "units"])
    def test_refuses_a_word_that_is_no_key_and_changes_nothing(self, absent):
        root = longest.build(["un", "unit"])
        with pytest.raises(KeyError):
            deletion.delete(root, absent)
        assert root == longest.build(["un", "unit"])

    def test_without_the_mark_alone_a_dead_node_looks_like_a_prefix(self):
        root = longest.build(["un", "unit"])
        del root["u"]["n"]["i"]["t"][None]
        assert longest.longest_match(root, "unit", 0) == 2  # still right
        assert root["u"]["n"]["i"]  # but no key begins with "uni"
        pruned = longest.build(["un", "unit"])
        deletion.delete(pruned, "unit")
        assert pruned == longest.build(["un"])


class TestTrieLongest:
    def test_the_longest_match_is_that_of_a_set(self):
        rng = random.Random(1)
        for _ in range(200):
            keys, text = words(rng, rng.randrange(0, 8)), "".join(words(rng, 4))
            root = longest.build(keys)
            for start in range(len(text) + 1):
                ends = [start + len(key) for key in keys if text.startswith(key, start)]
                assert longest.longest_match(root, text, start) == (max(ends) if ends else None)

    def test_tokens_join_to_the_text_or_it_is_refused(self):
        root = longest.build(["a", "b", "ab", "bab", "$", "é", ""])
        rng = random.Random(2)
        for _ in range(50):
            text = "".join(words(rng, 4))
            assert "".join(longest.tokenize(root, text)) == text
        assert longest.tokenize(root, "") == []
        for keys in ([], [""], ["b"]):
            with pytest.raises(ValueError, match="no token begins at 0"):
                longest.tokenize(longest.build(keys), "ab")

    @pytest.mark.parametrize("length", [16, 50])
    def test_a_set_is_quadratic_in_the_longest_key_and_a_trie_linear(self, length):
        text = "a" * 1500
        keys = [["a", "a" * (n - 1) + "b"] for n in (length, 2 * length)]
        by_set, by_trie = ([read(k, text) for k in keys] for read in (read_by_set, read_by_trie))
        assert 3.6 < by_set[1] / by_set[0] < 4.2
        assert 1.9 < by_trie[1] / by_trie[0] < 2.1

    def test_the_counts_are_those_of_a_small_case(self):
        # set: "aaa", "aa", "a"; "aa", "a"; "a". trie: the walk breaks at the third a, if there is one
        assert read_by_set(["a", "aab"], "aaa") == 6 + 3 + 1
        assert read_by_trie(["a", "aab"], "aaa") == 3 + 2 + 1
        assert read_by_trie(["b"], "aa") == 2
