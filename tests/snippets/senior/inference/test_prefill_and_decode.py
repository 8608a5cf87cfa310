"""What docs/senior/inference/prefill-and-decode.md claims, proven beyond the example shown."""

import pytest

from warmup.testing import load_snippet

main = load_snippet("senior/inference/prefill_and_decode.py")
chunks = load_snippet("senior/inference/prefill_and_decode_chunks_broken.py")

RIDGE = main.PEAK / main.BANDWIDTH


def intensity(**step):
    flops, moved = main.work(**step)
    return flops / moved


def times(**step):
    flops, moved = main.work(**step)
    return 1000 * flops / main.PEAK, 1000 * moved / main.BANDWIDTH


class TestPrefillAndDecode:
    def test_the_ridge_is_295_flops_per_byte(self):
        assert round(RIDGE) == 295

    @pytest.mark.parametrize(("prompt", "by_math"), [(100, False), (250, False), (320, True), (8192, True)])
    def test_a_prompt_is_compute_bound_from_about_300_tokens(self, prompt, by_math):
        math, memory = times(prompt=prompt)
        assert (math > memory) == by_math == (intensity(prompt=prompt) > RIDGE)

    @pytest.mark.parametrize("context", [8192, 10_000])
    def test_with_a_long_context_no_batch_gets_beyond_19_flops_per_byte(self, context):
        rows = [intensity(answers=n, context=context) for n in (1, 32, 1000, 10**6)]
        assert rows == sorted(rows) and rows[0] < 2 and rows[-1] < 19

    def test_with_a_short_context_a_large_batch_is_compute_bound(self):
        assert intensity(answers=1000, context=64) > RIDGE > intensity(answers=100, context=64)

    @pytest.mark.parametrize("answers", [1, 1000])
    def test_attention_to_a_cache_does_four_flops_per_byte_at_any_batch(self, answers):
        flops, moved = (
            b - a for a, b in zip(main.work(answers=answers, context=0), main.work(answers=answers), strict=True)
        )
        assert flops / moved == main.PAIR / main.CACHE == 4
        assert main.PAIR / (main.CACHE / 8) == 32  # one KV head

    def test_a_quarter_of_the_weight_bytes_helps_few_users_more_than_many(self):
        gain = []
        for answers, context in ((1, 1024), (32, 8192)):
            _, moved = main.work(answers=answers, context=context)
            gain.append(moved / (moved - 1.5 * main.WEIGHTS))
        assert gain[0] > 3 and gain[1] < 1.4

    @pytest.mark.parametrize(("context", "low", "high"), [(1024, 320, 360), (4096, 550, 590)])
    def test_prompt_tokens_are_almost_free_up_to_the_bend(self, context, low, high):
        empty, before, after = (chunks.step_ms(n, context=context) for n in (0, low, high))
        assert before < 1.02 * empty
        assert chunks.step_ms(high + 200, context=context) - after > 3
        assert chunks.step_ms(high + 200, context=context) / after > 1.3

    def test_a_step_of_32_answers_reads_ten_times_as_long_as_it_computes(self):
        math, memory = times(answers=32, context=1024)
        assert (round(math, 1), round(memory, 1)) == (0.5, 6.1)

    @pytest.mark.parametrize("every", [120, 180])
    def test_chunks_shorten_the_longest_gap_and_the_mean_and_lengthen_the_first_token(self, every):
        whole, cut = chunks.serve(2048, every=every), chunks.serve(256, every=every)
        assert max(whole[0]) > 5 * max(cut[0])
        assert sum(whole[0]) / len(whole[0]) > sum(cut[0]) / len(cut[0])
        assert cut[1][0] > 1.3 * whole[1][0]
        assert whole[2] == cut[2] == 0

    def test_too_small_chunks_never_catch_up(self):
        waiting = [chunks.serve(64, until=until)[2] for until in (3000, 6000, 12_000)]
        assert waiting == sorted(waiting) and waiting[0] >= 8 and waiting[2] > 1.8 * waiting[1]
        assert chunks.serve(64, every=240)[2] == 0  # half the traffic
        assert 32 * chunks.step_ms(64) > 120

    @pytest.mark.parametrize(("used", "experts", "tokens"), [(1, 1, 300), (8, 256, 9400)])
    def test_a_mixture_of_experts_needs_more_tokens_to_be_compute_bound(self, used, experts, tokens):
        weights = 1e9 * experts
        for n, by_math in ((0.9 * tokens, False), (1.1 * tokens, True)):
            flops = 2 * weights * used / experts * n
            assert (flops / main.PEAK > 2 * weights / main.BANDWIDTH) == by_math

    def test_the_numbers_of_the_follow_ups(self):
        assert round(2048 * main.CACHE / 1e6) == 268
        math, memory = times(prompt=2048)
        assert round(math) == 34 > memory
        _, least = times(answers=1, context=0)
        assert round(least, 1) == 4.8 and round(300 * least / 1000, 1) == 1.4
        assert round(2048 / 2348, 2) == 0.87
        for prompt, share in ((2048, 0.03), (32_768, 0.53)):
            linear = 2 * main.WEIGHTS * prompt
            assert round((main.work(prompt=prompt)[0] - linear) / linear, 2) == share

    def test_for_the_server_a_prompt_can_cost_more_than_its_answer(self):
        prompt, answer = 2 * main.WEIGHTS * 2048, 2 * main.WEIGHTS * 300
        assert prompt > answer
