"""What docs/senior/system-design/llm-serving.md claims, proven beyond the example shown."""

import math

import pytest

from warmup.testing import load_snippet

budget = load_snippet("senior/system-design/llm_serving.py")
choices = load_snippet("senior/system-design/llm_serving_choices.py")
replica = load_snippet("senior/system-design/llm_serving_replica.py")


def steady(rate, chunk, prompt, answer, seconds=25):
    requests = [replica.Request(i / rate, prompt, answer) for i in range(int(rate * seconds))]
    replica.serve(requests, chunk)
    return requests


class TestLlmServing:
    def test_the_prompt_is_five_sixths_of_what_a_request_adds(self):
        share = budget.prompt_s / (budget.prompt_s + budget.reads_s)
        assert share == pytest.approx(5 / 6, abs=0.02) and budget.prompt_s > 5 * budget.reads_s
        assert budget.prompt_s == pytest.approx(282e12 / (4 * 989e12 / 2), rel=0.01)

    def test_108_gpus_are_one_gpu_hour_per_million_answer_tokens(self):
        assert pytest.approx(1) == 108 / (100 * 300 * 3600 / 1e6)

    def test_three_zones_of_14_carry_the_load_when_one_is_lost_and_13_do_not(self):
        rate = choices.Replica().rate()
        assert 13 < 50 / rate <= 14 and 3 * 14 * 4 == 168

    def test_the_limit_of_the_rate_is_5_9(self):
        assert 1 / (budget.prompt_s + budget.reads_s) == pytest.approx(5.9, abs=0.05)
        gpus = {tpot: 4 * math.ceil(100 / choices.Replica().rate(tpot)) for tpot in (0.025, 0.05, 0.1)}
        assert gpus == {0.025: 228, 0.05: 108, 0.1: 84}

    @pytest.mark.parametrize(("rate", "prompt", "answer"), [(3, 2000, 300), (1.2, 4000, 300)])
    def test_the_simulated_time_per_token_is_the_weight_time_over_the_idle_share(self, rate, prompt, answer):
        requests = steady(rate, 512, prompt, answer)
        late = [b - a for r in requests for a, b in zip(r.times, r.times[1:], strict=False) if 12 < b < 25]
        work = prompt * replica.PROMPT_TOKEN + answer * replica.CACHE_TOKEN * (prompt + answer / 2)
        assert sum(late) / len(late) == pytest.approx(replica.STEP / (1 - rate * work), rel=0.1)

    def test_the_constants_of_the_simulation_are_those_of_the_budget(self):
        assert pytest.approx(budget.weights_s, rel=0.01) == replica.STEP
        assert pytest.approx(budget.prompt_s / 2000, rel=0.01) == replica.PROMPT_TOKEN
        assert pytest.approx(budget.reads_s / 300 / 2150, rel=0.01) == replica.CACHE_TOKEN
        assert pytest.approx(budget.room * 2150, rel=0.01) == replica.ROOM
        assert replica.ROOM // 2000 == 224

    def test_checking_four_drafts_of_58_answers_computes_longer_than_the_weights_are_read(self):
        assert pytest.approx(0.0207, abs=0.0005) == 5 * 58 * replica.PROMPT_TOKEN
        assert 5 * 58 * replica.PROMPT_TOKEN > replica.STEP > 10 * 5 * replica.PROMPT_TOKEN

    @pytest.mark.parametrize(("tokens", "ms"), [(3, 21), (2, 45), (1.5, 105)])
    def test_speculative_decoding_pays_only_if_enough_drafts_are_accepted(self, tokens, ms):
        def request_s(tokens, checked):
            return budget.prompt_s + budget.reads_s / tokens + 300 / tokens * checked * replica.PROMPT_TOKEN

        rate = choices.Replica().rate()
        step_s = budget.weights_s / (1 - rate * request_s(tokens, 5))
        assert 1000 * step_s / tokens == pytest.approx(ms, abs=1)
        assert 1 / request_s(3, 5) == pytest.approx(5.3, abs=0.05)
        alone = budget.weights_s / ((budget.weights_s + 5 * replica.PROMPT_TOKEN) / 3)
        assert alone > 0.05 / 0.0207 > 2  # one user gains more than 58

    def test_the_compute_of_58_answers_hides_behind_the_weights_and_of_246_does_not(self):
        assert pytest.approx(0.004, abs=0.0002) == 58 * replica.PROMPT_TOKEN
        assert 245 * replica.PROMPT_TOKEN < replica.STEP < 246 * replica.PROMPT_TOKEN

    @pytest.mark.parametrize(("answer", "fit"), [(1500, 224), (300, 560)])
    def test_an_unknown_length_reserves_the_limit(self, answer, fit):
        assert replica.ROOM // (500 + answer) == fit

    def test_58_answers_read_84_percent_of_256_experts(self):
        assert pytest.approx(0.84, abs=0.005) == 1 - (1 - 8 / 256) ** 58

    def test_another_replica_reads_the_prompt_and_half_the_answer_in_0_15_s(self):
        assert pytest.approx(0.15, abs=0.005) == 2150 * replica.PROMPT_TOKEN and 2 < 58 / 26 < 3

    @pytest.mark.parametrize(("tokens", "more"), [(32_000, 0.30), (2_000, 0.02)])
    def test_attention_adds_to_the_flops_of_a_prompt(self, tokens, more):
        attention = 80 * 4 * 8192 * tokens * tokens / 2  # scores and values, causal
        assert attention / (2 * budget.PARAMETERS * tokens) == pytest.approx(more, abs=0.005)


class TestLlmServingChoices:
    def test_long_answers_are_limited_by_memory(self, monkeypatch):
        monkeypatch.setattr(choices, "ANSWER", 3000)
        it = choices.Replica()
        in_time = (1 - it.step_s() / 0.05) / (it.prompt_s() + it.reads_s())
        assert in_time * 3000 * 0.05 == pytest.approx(170, abs=1) and it.room() == pytest.approx(128, abs=0.5)
        assert it.rate() < in_time

    def test_with_64_kv_heads_26_requests_fit(self, monkeypatch):
        monkeypatch.setattr(choices, "CACHE_BYTES", 8 * choices.CACHE_BYTES)
        assert int(choices.Replica().room()) == 26

    @pytest.mark.parametrize("other", [{"gpus": 8}, {"shared": 500}, {"weight_bytes": 1}])
    def test_a_rate_keeps_the_time_and_the_room(self, other):
        it = choices.Replica(**other)
        for tpot in (0.03, 0.05, 0.5):
            rate = it.rate(tpot)
            reached = it.step_s() / (1 - rate * (it.prompt_s() + it.reads_s()))
            opened = rate * choices.ANSWER * reached
            assert reached <= tpot * 1.0001 and opened <= it.room() * 1.0001
            assert reached == pytest.approx(tpot) or opened == pytest.approx(it.room())

    def test_two_pools_send_66_gb_per_second(self):
        assert pytest.approx(65.5, abs=0.1) == 100 * choices.CACHE_BYTES * 2000 / 1e9
        assert choices.Replica(gpus=8).step_s() == pytest.approx(0.0088, abs=0.0001)


class TestLlmServingReplica:
    def test_every_request_gets_its_whole_answer(self):
        for chunk, reserve in ((100, False), (5000, True)):
            requests = [replica.Request(i / 2, 300 + i, 5 + i) for i in range(20)]
            replica.serve(requests, chunk, reserve)
            assert [len(r.times) for r in requests] == [r.answer for r in requests]
            assert all(r.times == sorted(r.times) and r.first() > 0 for r in requests)

    @pytest.mark.parametrize("seed", [1, 2])
    def test_chunks_bound_the_pause_and_a_chunk_that_is_too_small_delays_the_first_token(self, seed):
        pause, first = {}, {}
        for chunk in (100_000, 512, 128):
            requests = replica.traffic(3, 24, seed)
            replica.serve(requests, chunk)
            others = [r for r in requests if r.prompt < 32_000]
            pause[chunk] = max(gap for r in others for gap in r.gaps())
            first[chunk] = replica.percentile([r.first() for r in others], 50)
        assert pause[100_000] > 2.2 and pause[128] < pause[512] < 0.07
        assert first[128] > 5 * first[512] > first[100_000]

    @pytest.mark.parametrize(("chunk", "keeps_up"), [(512, True), (100, False)])
    def test_chunk_over_step_time_must_exceed_the_prompt_tokens_that_arrive(self, chunk, keeps_up):
        step = replica.STEP + chunk * replica.PROMPT_TOKEN
        assert (chunk / step > 2.5 * 2000) is keeps_up
        requests = steady(2.5, chunk, 2000, 50, seconds=30)
        assert (requests[-1].first() < 2 * requests[20].first()) is keeps_up

    @pytest.mark.parametrize(("count", "answer", "later"), [(60, 1500, False), (40, 3000, True)])
    def test_a_full_cache_freezes_answers_and_admission_moves_the_wait_to_the_front(
        self, monkeypatch, count, answer, later
    ):
        monkeypatch.setattr(replica, "ROOM", 60_000)
        pauses, first, end = [], [], []
        for reserve in (False, True):
            requests = [replica.Request(0.0, 500, answer) for _ in range(count)]
            replica.serve(requests, 512, reserve)
            assert (sum(r.preempted for r in requests) > 0) is not reserve
            pauses.append(max(gap for r in requests for gap in r.gaps()))
            first.append(max(r.first() for r in requests))
            end.append(sum(r.times[-1] for r in requests) / count)
        assert pauses[0] > 5 and pauses[1] < 0.1 and first[1] > 3 * first[0]
        assert (end[1] > 1.2 * end[0]) is later
        assert not later or end == pytest.approx([78, 99], abs=1)

    @pytest.mark.parametrize("open_answers", [1, 50])
    def test_steps_run_back_to_back_as_long_as_one_request_is_open(self, open_answers):
        requests = [replica.Request(0.0, 1, 50) for _ in range(open_answers)]
        replica.serve(requests, 512)
        assert max(requests[0].gaps()) == pytest.approx(replica.STEP, rel=0.02)
