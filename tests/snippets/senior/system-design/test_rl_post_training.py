"""What docs/senior/system-design/rl-post-training.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

budget = load_snippet("senior/system-design/rl_post_training.py")
pools = load_snippet("senior/system-design/rl_post_training_async.py")
queue = load_snippet("senior/system-design/rl_post_training_queue.py")


class TestRlPostTraining:
    def test_the_rows_are_the_stages_of_a_step_and_the_wait_is_27_percent(self):
        *stages, step = budget.rows.values()
        assert sum(stages) == pytest.approx(step) and budget.step == step
        assert step == pytest.approx(345, abs=1) and budget.rows["the last 10%"] / step == pytest.approx(
            0.27, abs=0.005
        )
        write = budget.rows["rollout: 90% are ready"] + budget.rows["the last 10%"]
        assert write == pytest.approx(240, abs=1) and write == pytest.approx(pools.rollout_s(budget.lengths))
        learn = pools.learner_s(64 * sum(budget.lengths), 64)
        assert learn == pytest.approx(104, abs=1) and 0.85 * learn < budget.rows["the last 10%"] < learn

    def test_half_are_below_3000_and_the_longest_have_16000(self):
        assert budget.lengths[63] < 3000 < budget.lengths[64] and budget.lengths[-1] == 16_000

    def test_a_thousand_steps_take_four_days_and_the_weights_0_6_seconds(self):
        assert 1000 * budget.step / 86400 == pytest.approx(4, abs=0.05)
        assert pytest.approx(0.6, abs=0.05) == 2 * budget.PARAMETERS / 25e9

    def test_95_percent_leave_44_percent_of_the_groups_without_an_advantage(self):
        assert pytest.approx(0.44, abs=0.005) == 0.95**16 + 0.05**16

    def test_new_draws_in_place_of_the_lost_answers_leave_a_worker_1_percent_long_ones(self):
        torch.manual_seed(0)
        written, again = (torch.distributions.LogNormal(8, 0.8).sample([100_000]) for _ in range(2))
        is_open = written > written.quantile(0.9)
        redrawn = torch.where(is_open, again, written)
        assert (redrawn > written.quantile(0.9)).double().mean() == pytest.approx(0.01, abs=0.002)
        assert redrawn.mean() < 0.9 * written.mean() and written[~is_open].mean() < redrawn.mean()

    @pytest.mark.parametrize("lengths", [[2, 2, 2, 2], [1, 2, 3, 10]])
    def test_at_a_ratio_of_1_a_mean_per_answer_is_zero_and_a_mean_per_token_only_for_equal_lengths(self, lengths):
        advantage, tokens = torch.tensor([0.75, -0.25, -0.25, -0.25]), torch.tensor(lengths)
        logits = torch.zeros(4, requires_grad=True)
        ratio = (logits - logits.detach()).exp()
        (ratio * advantage).mean().backward()
        assert (ratio * advantage).mean() == 0 and logits.grad.abs().min() > 0
        by_token = (ratio * advantage * tokens).sum() / tokens.sum()
        assert (by_token == 0) == (len(set(lengths)) == 1)


class TestRlPostTrainingAsync:
    @pytest.mark.parametrize("answers", [1, 32, 512])
    def test_no_number_of_gpus_is_faster_than_the_longest_answer_alone(self, answers):
        alone = pools.rollout_s([16_000])
        assert alone == pytest.approx(136, abs=0.5)
        assert pools.rollout_s([*pools.lengths(answers)[:-1], 16_000]) >= 0.999 * alone

    @pytest.mark.parametrize("gpus", [2, 4])
    def test_a_step_that_reads_faster_shortens_the_wait_that_more_engines_do_not(self, gpus, monkeypatch):
        more_engines = pools.rollout_s(pools.lengths(128 // gpus))
        one_by_one = pools.rollout_s(pools.lengths(128 * gpus)) / gpus
        monkeypatch.setattr(pools, "BANDWIDTH", gpus * pools.BANDWIDTH)
        sharded = pools.rollout_s(pools.lengths(128 * gpus))
        assert sharded == pytest.approx(one_by_one) and sharded < more_engines
        assert gpus != 4 or (sharded + 104, sharded) == pytest.approx((249, 144), abs=1)

    def test_the_longest_answer_takes_two_steps_of_the_learner_in_a_full_engine(self):
        seconds = 16_000 * 120 / pools.refilled_tokens_per_s(120, pools.lengths(128))
        assert seconds == pytest.approx(548, abs=0.5) and 2 * 261 < seconds < 3 * 261

    def test_equal_lengths_have_no_tail(self):
        step_by_step = [4000] * 128
        assert pools.rollout_s(step_by_step) < pools.rollout_s(pools.lengths(128)) / 2

    @pytest.mark.parametrize("answers", [[700] * 9, [100, 900, 1300]])
    def test_the_rollout_time_is_the_sum_over_steps(self, answers):
        seconds = 0.0
        for token in range(max(answers)):
            left = sum(length > token for length in answers)
            seconds += (2 * pools.PARAMETERS + left * (token + 0.5) * pools.CACHE_BYTES) / pools.BANDWIDTH
        assert pools.rollout_s(answers) == pytest.approx(seconds)

    @pytest.mark.parametrize("spread", [0, 3])
    def test_an_open_answer_is_long_as_the_formula_says(self, spread):
        answers = [100, 100 + 100 * spread, 400]
        slots = [(n, token) for n in answers for token in range(n)]  # each moment of each answer
        open_tokens = sum(token + 0.5 for _, token in slots) / len(slots)
        step = (2 * pools.PARAMETERS + 8 * open_tokens * pools.CACHE_BYTES) / pools.BANDWIDTH
        assert pools.refilled_tokens_per_s(8, answers) == pytest.approx(8 / step)

    def test_36_and_28_are_the_best_two_pools_of_those_tried(self):
        tokens = 64 * sum(pools.lengths(128))
        speed = pools.refilled_tokens_per_s(120, pools.lengths(128))
        steps = {n: max(tokens / (n * speed), pools.learner_s(tokens, 64 - n)) for n in (32, 36, 40)}
        assert min(steps, key=lambda n: steps[n]) == 36 and steps[36] == pytest.approx(261, abs=1)

    def test_120_open_answers_fit_beside_the_weights(self):
        answers = pools.lengths(128)
        held = 120 * sum(n * n for n in answers) / (2 * sum(answers)) * pools.CACHE_BYTES
        assert held + 2 * pools.PARAMETERS < 72e9


class TestRlPostTrainingQueue:
    def test_a_limited_queue_bounds_the_age_and_keeps_the_reward(self):
        rewards, ages, muted = queue.train(2.0, 3, updates=100, seed=1)
        assert max(ages) <= 3 and max(muted) < 0.2 and rewards[-1] > 0.93

    @pytest.mark.parametrize(("rate", "age"), [(1.5, 29), (2.0, 44)])
    def test_without_a_limit_the_age_grows_and_the_reward_suffers(self, rate, age):
        rewards, ages, muted = queue.train(rate, 1000, updates=90, seed=1)
        assert ages[-1] == pytest.approx(age, abs=2) and ages == sorted(ages)
        fresh = queue.train(1.0, 1, updates=90, seed=1)
        assert rewards[-1] < fresh[0][-1] - 0.2 and sum(muted) / 90 > 0.3 > sum(fresh[2]) / 90

    def test_a_longer_run_gets_there_without_a_limit(self):
        rewards, _, muted = queue.train(1.5, 1000, updates=320)
        assert next(i for i, reward in enumerate(rewards, 1) if reward >= 0.95) == pytest.approx(310, abs=5)
        fresh, _, _ = queue.train(1.5, 4)
        assert next(i for i, reward in enumerate(fresh, 1) if reward >= 0.95) == pytest.approx(89, abs=5)

    def test_groups_that_are_all_solved_mute_nothing(self, monkeypatch):
        solved = torch.zeros(queue.PROMPTS, 1, dtype=torch.long)
        monkeypatch.setattr(torch, "randint", lambda *shape, **kind: solved)
        monkeypatch.setattr(torch, "multinomial", lambda p, n, **kind: solved.expand(-1, n))
        assert queue.train(1.0, 1, updates=3)[2] == [0, 0, 0]

    @pytest.mark.parametrize("limit", [4, 1000])
    def test_without_a_clip_an_old_batch_costs_this_prototype_nothing(self, limit, monkeypatch):
        monkeypatch.setattr(torch.Tensor, "clamp", lambda ratio, low, high: ratio)
        rewards, ages, muted = queue.train(1.5, limit, seed=1)
        assert rewards[-1] > 0.96 and sum(muted) == 0

    def test_slower_workers_leave_the_queue_empty(self):
        with pytest.raises(IndexError):
            queue.train(0.5, 4)
