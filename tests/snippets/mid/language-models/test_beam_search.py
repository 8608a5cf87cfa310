"""Every claim of docs/mid/language-models/beam-search.md, proven beyond the example shown."""

import random
from itertools import product
from math import log

import pytest
import torch

from warmup.testing import load_snippet

page = load_snippet("mid/language-models/beam_search.py")
samples = load_snippet("mid/language-models/beam_search_samples.py")
END = page.P[0][0]


def log_p(words, table=page.P):
    """Log-probability of a finished text of these words."""
    return sum(log(table[a][b]) for a, b in zip((0, *words), (*words, 0), strict=True))


def random_table(seed, end):
    rows = torch.softmax(torch.randn(5, 4, generator=torch.Generator().manual_seed(seed)).double(), 1)
    return [[end, *((1 - end) * row).tolist()] for row in rows]


class TestBeamSearch:
    def test_each_row_is_a_distribution_with_one_next_word_of_0_56(self):
        assert samples.P == page.P
        for row in page.P:
            assert sum(row) == pytest.approx(1)
            assert sorted(row[1:])[-2:] == [0.2, 0.56]

    @pytest.mark.parametrize("longest", [3, 5])
    def test_the_empty_text_is_the_most_probable_of_all(self, longest):
        texts = [t for n in range(longest + 1) for t in product(range(1, 5), repeat=n)]
        assert max(texts, key=log_p) == ()

    @pytest.mark.parametrize(("seed", "end"), [(0, 0.08), (1, 0.02), (2, 0.3)])
    def test_a_constant_chance_to_end_makes_the_empty_text_the_mode_of_any_table(self, seed, end):
        table = random_table(seed, end)
        texts = [t for n in range(5) for t in product(range(1, 5), repeat=n)]
        assert max(texts, key=lambda t: log_p(t, table)) == ()
        assert all(log_p(t, table) < log((1 - end) * end) + 1e-12 for t in texts if t)

    @pytest.mark.parametrize("longest", [6, 10, 15])
    def test_narrow_beams_loop_to_the_limit_and_wide_ones_return_nothing(self, longest):
        loop = [i % 4 + 1 for i in range(longest)]
        for width in (1, 2, 3):
            assert page.beam_search(width, longest)[1] == [0, *loop]
        for width in (4, 8, 16):
            assert page.beam_search(width, longest) == (log(END), [0, 0])

    @pytest.mark.parametrize("longest", [5])
    def test_a_beam_of_all_texts_finds_the_mode(self, longest):
        score, text = page.beam_search(5**longest, longest)
        assert (score, text) == (log(END), [0, 0])

    def test_the_wider_beam_is_the_more_probable_here(self):
        scores = [page.beam_search(width)[0] for width in (1, 3, 4, 8)]
        assert scores == sorted(scores) and scores[0] < scores[-1]

    @pytest.mark.parametrize("seed", [0, 1])
    def test_a_sample_is_empty_in_8_percent_and_has_11_5_words_on_average(self, seed):
        draw = random.Random(seed)
        lengths = [len(samples.sample(draw)) for _ in range(20_000)]
        assert lengths.count(0) / len(lengths) == pytest.approx(END, abs=0.01)
        assert sum(lengths) / len(lengths) == pytest.approx((1 - END) / END, abs=0.4)

    def test_a_text_of_eleven_words_is_rare_but_there_are_four_million(self):
        assert 4**11 == 4_194_304
        assert 0.56**11 * END < 0.0002

    @pytest.mark.parametrize(("alpha", "best"), [(0.0, 0), (0.4, 1), (0.6, 4), (0.8, 12), (1.0, 12)])
    def test_the_exponent_sets_the_length(self, alpha, best):
        def score(n):
            return log_p([i % 4 + 1 for i in range(n)]) / (n + 1) ** alpha

        assert max(range(13), key=score) == best

    @pytest.mark.parametrize(("alpha", "best"), [(0.6, 4), (0.8, 12), (0.9, 29)])
    def test_below_an_alpha_of_one_the_best_length_is_finite_without_a_limit(self, alpha, best):
        scores = [(n * log(0.56) + log(END)) / (n + 1) ** alpha for n in range(2000)]
        assert scores.index(max(scores)) == best

    @pytest.mark.parametrize("width", [1, 2, 3, 8])
    def test_collecting_ends_among_twice_the_width_finds_the_empty_text_with_width_2(self, width):
        beams, ended = [(0.0, [0])], []
        for _ in range(10):
            grown = [(s + log(p), [*t, w]) for s, t in beams for w, p in enumerate(page.P[t[-1]])]
            best = sorted(grown, reverse=True)[: 2 * width]
            ended += [(s, t) for s, t in best if t[-1] == 0]
            beams = [(s, t) for s, t in best if t[-1]][:width]
        assert (max(ended + beams)[1] == [0, 0]) == (width >= 2)

    def test_ending_is_the_fourth_best_first_step_so_widths_1_to_3_drop_it(self):
        assert sorted(page.P[0], reverse=True).index(END) == 3

    @pytest.mark.parametrize("n", [1, 2, 4])
    def test_the_best_text_of_a_length_is_the_loop(self, n):
        best = max(product(range(1, 5), repeat=n), key=log_p)
        assert best == tuple(i % 4 + 1 for i in range(n))

    @pytest.mark.parametrize("n", [5, 12, 40])
    def test_the_mean_log_probability_of_the_loop_rises_with_its_length(self, n):
        loop = [i % 4 + 1 for i in range(n)]
        assert log_p(loop) / (n + 1) > log_p(loop[:-1]) / n

    @pytest.mark.parametrize("temperature", [0.5, 0.1])
    def test_a_low_temperature_approaches_the_loop(self, temperature):
        row = torch.tensor(page.P[0], dtype=torch.double)
        sharp = torch.softmax(row.log() / temperature, 0)
        assert sharp[1] > 0.56 + 0.2

    def test_an_end_that_waits_for_its_place_makes_a_text_the_mode(self):
        table = [[0.01, 0.96, 0.01, 0.01, 0.01], [0.01, 0.01, 0.96, 0.01, 0.01]]
        table += [[0.01, 0.01, 0.01, 0.96, 0.01], [0.96, 0.01, 0.01, 0.01, 0.01], [0.2] * 5]
        texts = [t for n in range(5) for t in product(range(1, 5), repeat=n)]
        assert max(texts, key=lambda t: log_p(t, table)) == (1, 2, 3)
        assert log_p((1, 2, 3), table) > log(0.8)
        greedy, at = [], 0
        while at := max(range(5), key=table[at].__getitem__):
            greedy.append(at)
        assert greedy == [1, 2, 3]
