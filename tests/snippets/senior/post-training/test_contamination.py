"""What docs/senior/post-training/contamination.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

main = load_snippet("senior/post-training/contamination.py")
order = load_snippet("senior/post-training/contamination_order_broken.py")


def order_p(questions, text, copy):
    return order.order_test(order.train(torch.cat([text, copy.flatten()])), questions)[2]


class TestContamination:
    @pytest.mark.parametrize(("seed", "pool"), [(1, 800), (2, 500)])
    def test_a_copy_and_paraphrases_lift_the_old_test_and_fresh_questions_show_it(self, seed, pool):
        clean, copy, other = main.experiment(seed, pool=pool).values()
        assert abs(clean[1] - clean[2]) < 0.09  # two standard errors and some
        assert copy[1] > 0.95 and copy[1] - copy[2] > 0.2 and other[1] - other[2] > 0.1
        assert copy[2] - clean[2] < 0.09 and other[2] - clean[2] < 0.09
        assert (clean[0], copy[0], other[0]) == (0, 1, 0)

    @pytest.mark.parametrize("n", [3, 8, 13])
    def test_a_synonym_in_every_n_words_leaves_no_n_gram(self, n):
        torch.manual_seed(n)
        old = torch.randint(2 * main.WORDS, (50, main.LENGTH))
        other = main.paraphrase(old, every=n)
        assert not main.grams(old, n) & main.grams(other, n)
        assert (main.bags(old).sum(1) == main.LENGTH).all()
        assert torch.equal(old % main.WORDS, other % main.WORDS)

    def test_one_changed_word_in_thirteen_leaves_no_13_gram(self):
        old = torch.arange(5 * main.LENGTH).view(5, main.LENGTH)
        changed = old.clone()
        changed[:, 6] = 399  # of 16 words one, and each window of 13 holds it
        assert not main.grams(old, 13) & main.grams(changed, 13)
        long, marked = torch.arange(240), torch.arange(240)
        marked[12::13] = 999
        windows = [set(map(tuple, x.unfold(0, 13, 1).tolist())) for x in (long, marked)]
        assert not windows[0] & windows[1]

    def test_pairs_of_words_tell_paraphrases_from_other_questions_but_not_sharply(self):
        torch.manual_seed(0)
        known, old = (torch.randint(2 * main.WORDS, (n, main.LENGTH)) for n in (1000, 300))
        pairs = main.grams(old, 2)
        shares = [
            len(pairs & main.grams(torch.cat([known, x]), 2)) / len(pairs) for x in (old[:0], main.paraphrase(old))
        ]
        assert shares == pytest.approx([0.09, 0.40], abs=0.02)

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_the_order_test_finds_the_file_and_misses_a_shuffled_copy(self, seed):
        questions, trained = order.models(seed, number=30)
        found = {name: order.order_test(log_p, questions) for name, log_p in trained.items()}
        assert found["the file"][2] == 1 / 200
        assert found["no question"][2] > 0.05 and found["a shuffled copy"][2] > 0.05
        gain = found["a shuffled copy"][0] - found["no question"][0]
        mean = found["a shuffled copy"][1].mean() - found["no question"][1].mean()
        assert gain > 100 and mean.item() == pytest.approx(gain, rel=0.1)  # of each order alike

    def test_a_file_read_once_among_very_much_other_text_can_be_missed(self):
        ps = []
        for seed in range(5):
            questions, _ = order.models(seed)
            ps.append(order_p(questions, torch.randint(order.TOKENS, (3_000_000,)), questions))
        assert sorted(ps)[2] > 0.05

    def test_a_clean_model_is_rarely_accused(self):
        ps = [order.order_test(log_p["no question"], q)[2] for q, log_p in (order.models(s, 12) for s in range(20))]
        assert sum(p <= 0.05 for p in ps) <= 3

    @pytest.mark.parametrize("seed", [0, 1])
    def test_shuffled_paraphrases_pass_the_order_test(self, seed):
        questions, _ = order.models(seed)
        text = torch.randint(order.TOKENS, (30_000,))
        other = questions.clone()
        other[:, ::3] = torch.randint(order.TOKENS, other[:, ::3].shape)
        assert order_p(questions, text, other[torch.randperm(len(other))]) > 0.05

    def test_the_order_test_can_find_paraphrases_in_the_published_order(self):
        questions, _ = order.models(5)
        text = torch.randint(order.TOKENS, (30_000,))
        other = questions.clone()
        other[:, 2:4] = torch.randint(order.TOKENS, (len(other), 2))  # the ends are kept
        assert order_p(questions, text, other) < 0.05

    def test_a_difference_of_differences_of_ten_points_is_just_clear_with_500_questions(self):
        rates = (0.80, 0.66, 0.70, 0.66)  # suspect and other model, old and fresh
        half = 1.96 * sum(p * (1 - p) / 500 for p in rates) ** 0.5
        excess = (rates[0] - rates[1]) - (rates[2] - rates[3])
        assert excess == pytest.approx(0.10) and half == pytest.approx(0.08, abs=2e-3) and excess > half
