"""What docs/senior/inference/continuous-batching.md claims, proven beyond the example shown."""

import random

import pytest

from warmup.testing import load_snippet

main = load_snippet("senior/inference/continuous_batching.py")
queue = load_snippet("senior/inference/continuous_batching_queue.py")
rows = load_snippet("senior/inference/continuous_batching_rows_broken.py")


def exponential(seed, count=16_000, mean=300):
    draw = random.Random(seed)
    return [int(draw.expovariate(1 / mean)) + 1 for _ in range(count)]


def gain(answers, slots):
    return main.static(answers, slots) / main.continuous(answers, slots)


class TestGainInSteps:
    @pytest.mark.parametrize("slots", [4, 50])
    def test_equal_answers_gain_nothing(self, slots):
        assert gain([70] * 1000, slots) == 1

    @pytest.mark.parametrize("slots", [4, 16, 64])
    def test_evenly_spread_answers_gain_less_than_two(self, slots):
        draw = random.Random(3)
        answers = [draw.randint(1, 999) for _ in range(32_000)]
        assert 1.5 < gain(answers, slots) < 2

    @pytest.mark.parametrize("slots", [8, 32])
    def test_exponential_answers_gain_the_harmonic_number(self, slots):
        assert gain(exponential(1), slots) == pytest.approx(sum(1 / k for k in range(1, slots + 1)), rel=0.05)

    @pytest.mark.parametrize("slots", [2, 7])
    def test_the_schedule_is_that_of_a_loop_over_steps(self, slots):
        answers = exponential(2, count=60, mean=8)
        waiting, running, steps = list(answers), [], 0
        while waiting or running:
            while waiting and len(running) < slots:
                running.append(waiting.pop(0))
            running = [left - 1 for left in running if left > 1]
            steps += 1
        assert steps == main.continuous(answers, slots)

    def test_the_drawn_schedule_has_12_and_8_steps(self):
        answers = [3, 8, 2, 5, 4, 2, 3, 1]
        assert (main.static(answers, 4), main.continuous(answers, 4)) == (12, 8)

    @pytest.mark.parametrize("slots", [8, 32])
    def test_sorted_static_batches_are_as_good_or_one_longest_answer_worse(self, slots):
        for answers in main.ANSWERS.values():
            assert main.static(sorted(answers), slots) <= main.continuous(answers, slots)
        draw = random.Random(slots)
        tail = [int(draw.lognormvariate(5, 1)) + 1 for _ in range(100 * slots)]
        best = main.continuous(tail, slots)
        assert best < main.static(sorted(tail), slots) < sum(tail) / slots + max(tail) <= best + max(tail)

    def test_few_long_answers_gain_more_and_a_limit_less(self):
        draw = random.Random(1)
        answers = [2000 if draw.random() < 1 / 32 else 100 for _ in range(32_000)]
        assert gain(answers, 32) == pytest.approx(8.2, abs=0.3)
        cut = [min(answer, 400) for answer in main.ANSWERS["exponential"]]
        assert gain(cut, 32) == pytest.approx(2.3, abs=0.05)


class TestGainInTime:
    @pytest.mark.parametrize(("prompt", "slots"), [(500, 16), (4000, 64)])
    def test_only_the_weights_shrink(self, prompt, slots):
        answers = exponential(5)
        old = main.milliseconds(answers, main.static(answers, slots), prompt)
        new = main.milliseconds(answers, main.continuous(answers, slots), prompt)
        assert old[1:] == new[1:]
        assert 1 < sum(old) / sum(new) < old[0] / new[0] == pytest.approx(gain(answers, slots))

    def test_cache_reads_are_those_of_a_loop_over_tokens(self):
        answers = [1, 3, 6]
        read = sum(100 + token for answer in answers for token in range(1, answer + 1)) / 3
        parts = main.milliseconds(answers, 10, 100)
        assert parts[1] == pytest.approx(1e3 * read * 131_072 / 3.35e12)

    def test_prompts_that_hide_behind_reads_raise_the_gain_from_2_1_to_3_6(self):
        answers = main.ANSWERS["exponential"]
        old = main.milliseconds(answers, main.static(answers, 32), 2000)
        weights, caches, prompts = main.milliseconds(answers, main.continuous(answers, 32), 2000)
        tokens = 1e3 * sum(answers) / len(answers) * 2 * main.PARAMETERS / main.FLOPS  # math of the answers
        assert round(sum(old) / (weights + caches + prompts), 1) == 2.1
        assert round(sum(old) / max(weights + caches, prompts + tokens), 1) == 3.6
        assert tokens < caches  # a plain step waits for reads, so its math is not in the table

    @pytest.mark.parametrize(("slots", "wanted"), [(32, 2.9), (128, 3.1)])
    def test_ended_rows_that_go_on_with_padding_make_static_batching_dearer(self, slots, wanted):
        answers = main.ANSWERS["exponential"]
        padded = [max(answers[i : i + slots]) for i in range(0, len(answers), slots) for _ in range(slots)]
        old = main.milliseconds(padded, main.static(answers, slots), 2000)
        assert round(sum(old) / sum(main.milliseconds(answers, main.continuous(answers, slots), 2000)), 1) == wanted

    def test_221_requests_of_2200_tokens_fit_beside_the_weights(self):
        assert int((80e9 - main.WEIGHTS) / (2200 * main.CACHE_TOKEN)) == 221
        assert abs(2200 * main.CACHE_TOKEN / 0.29e9 - 1) < 0.01


class TestQueue:
    @pytest.mark.parametrize("seed", [1, 2])
    def test_dynamic_batching_keeps_up_with_less_than_a_quarter_of_the_load(self, seed):
        assert not queue.grows(queue.serve("dynamic", 0.2, seed=seed))
        assert queue.grows(queue.serve("dynamic", 0.3, seed=seed))
        assert queue.grows(queue.serve("static", 0.3, seed=seed))
        assert not queue.grows(queue.serve("continuous", 0.9, seed=seed))

    @pytest.mark.parametrize("seed", [1, 2])
    def test_static_batching_waits_longer_at_low_load_and_a_window_hardly_helps(self, seed):
        plain = queue.percentile(queue.serve("dynamic", 0.05, seed=seed), 50)
        assert queue.percentile(queue.serve("static", 0.05, seed=seed), 50) > 5 * plain
        assert 0.9 * plain < queue.percentile(queue.serve("dynamic", 0.05, 50, seed=seed), 50) < 1.1 * plain
        assert queue.percentile(queue.serve("dynamic", 0.05, 400, seed=seed), 50) > 1.3 * plain

    def test_with_a_limit_of_1000_steps_dynamic_carries_a_twentieth(self):
        assert queue.percentile(queue.serve("dynamic", 0.04, seed=1), 99) < 1000
        assert queue.percentile(queue.serve("dynamic", 0.07, seed=1), 99) > 1000
        assert queue.percentile(queue.serve("continuous", 0.95, seed=1), 99) < 1000


class TestRows:
    @pytest.mark.parametrize("slots", [1, 2, 4])
    def test_a_mixed_batch_equals_each_request_alone_if_all_of_a_row_moves(self, slots):
        draw = random.Random(slots)
        requests = [(k, draw.randrange(10), draw.randrange(10), draw.randint(1, 9)) for k in range(12)]
        alone = {}
        for request in requests:
            alone |= rows.serve([request], 1, move_bans=False)
        assert rows.serve(requests, slots, move_bans=True) == alone

    def test_without_the_move_users_get_bans_of_others(self):
        texts = rows.serve(rows.REQUESTS, 3, move_bans=False)
        assert "4" in texts["B"] and "4" not in texts["C"] and "6" in texts["C"]

    def test_a_batch_that_stays_until_the_end_does_not_have_the_bug(self):
        requests = [(user, digit, ban, 5) for user, digit, ban, _ in rows.REQUESTS]
        assert rows.serve(requests, 4, False) == rows.serve(requests, 4, True)
