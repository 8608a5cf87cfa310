"""What docs/senior/inference/prefix-caching.md claims, proven beyond the example shown."""

import random

import pytest
import torch

from warmup.testing import load_snippet

main = load_snippet("senior/inference/prefix_caching.py")
routing = load_snippet("senior/inference/prefix_caching_routing.py")
wrong = load_snippet("senior/inference/prefix_caching_key_broken.py")


@pytest.fixture(scope="module")
def shares():
    return {layout: main.serve(main.traffic(layout)) for layout in main.LAYOUTS}


@pytest.fixture(scope="module")
def routes():
    requests = [request for request in routing.chats(seed=3) if request[1] < 100]
    names = ("random", "by conversation", "by system prompt")
    return {(n, r): routing.serve(requests, r, n) for n in names for r in (4, 8)}


class TestPrefixCaching:
    def test_a_changed_token_ends_the_reuse_of_everything_after_it(self):
        draw = random.Random(5)
        for place in (0, 17, 40):
            text = [draw.randrange(1000) for _ in range(64)]
            other = [*text[:place], 5000, *text[place + 1 :]]
            same = [a == b for a, b in zip(main.keys(text), main.keys(other), strict=True)]
            assert same == [k < place // 16 for k in range(4)]

    def test_keys_of_a_text_are_those_of_its_prefixes(self):
        text = list(range(100))
        for length in (5, 16, 40, 96):
            assert list(main.keys(text[:length])) == list(main.keys(text))[: length // 16]

    def test_the_time_in_front_leaves_nothing_and_behind_the_system_prompt_leaves_it(self, shares):
        assert shares["time, system, history"][1] == 0
        total, reused = shares["system, time, history"]
        assert reused == 399 * 480  # all but the first request

    def test_a_user_id_behind_the_system_prompt_costs_nothing_and_in_front_a_copy_each(self, shares):
        behind, front = shares["system, user id, history"][1], shares["user id, system, history"][1]
        assert behind == shares["system, history"][1] > front
        assert 99 * 480 - 99 * 16 <= behind - front <= 99 * 480 + 99 * 16

    def test_almost_all_that_is_left_to_compute_is_questions(self, shares):
        total, reused = shares["system, history"]
        assert 400 * 60 < total - reused < 1.03 * 400 * 60

    @pytest.mark.parametrize(("answer", "lost"), [(16, 16), (20, 0), (33, 0)])
    def test_the_last_token_of_an_answer_never_ran_so_the_block_with_it_is_not_stored(self, answer, lost):
        prompt, said = list(range(32)), list(range(100, 100 + answer))
        again = ([*prompt, *said, *range(200, 220)], [])
        all_ran, reused = (main.serve([(prompt, ran), again])[1] for ran in (said, said[:-1]))
        assert all_ran - reused == lost  # a block, if the answer ends where the block does

    def test_the_time_at_the_end_costs_about_the_last_answer_of_each_turn(self, shares):
        lost = shares["system, history"][1] - shares["system, history, time"][1]
        assert 300 * 100 < lost < 300 * 120

    def test_a_time_that_stays_in_the_history_loses_nothing_and_a_user_id_at_the_end_does(self, shares):
        kept, user = [], []
        for turn in range(main.TURNS):
            for chat in range(main.CHATS):
                text, past = list(main.SYSTEM), main.HISTORY[chat]
                for k in range(turn + 1):
                    text += [*past[k][:60], 300_000 + 100 * k + chat, *(past[k][60:] if k < turn else [])]
                kept.append((text, past[turn][60:]))
                prompt = main.SYSTEM + sum(past[:turn], []) + past[turn][:60]
                user.append(([*prompt, 200_000 + chat], past[turn][60:]))
        assert main.serve(kept)[1] == shares["system, history"][1]
        assert main.serve(user)[1] == shares["system, history, time"][1] < shares["system, user id, history"][1]

    @pytest.mark.parametrize(("before", "moved"), [(4, 4 / 5), (9, 9 / 10)])
    def test_one_more_replica_moves_most_conversations_unless_the_hash_is_consistent(self, before, moved):
        chats, draw = range(900), random.Random(0)
        score = {(chat, replica): draw.random() for chat in chats for replica in range(before + 1)}

        def best(chat, replicas):  # the replica with the highest score for this chat
            return max(range(replicas), key=lambda replica: score[chat, replica])

        assert sum(c % before != c % (before + 1) for c in chats) / 900 == pytest.approx(moved)
        assert sum(best(c, before) != best(c, before + 1) for c in chats) / 900 < 1.3 / (before + 1)

    def test_random_routing_is_less_even_than_by_conversation(self, routes):
        for replicas in (4, 8):
            assert routes["by conversation", replicas][1] < routes["random", replicas][1] < 1.6

    @pytest.mark.parametrize("shared", [3, 15, 16, 33])
    def test_only_full_blocks_are_reused_and_the_last_token_always_runs(self, shared):
        head = list(range(shared))
        total, reused = main.serve([([*head, 100, 101], []), ([*head, 200, 201], [])])
        assert reused == shared // 16 * 16
        same = list(range(48))
        assert main.serve([(same, []), (same, [])])[1] == 32

    def test_routing_by_conversation_reuses_almost_all_and_random_routing_loses_with_replicas(self, routes):
        assert routes["by conversation", 4][0] > routes["by conversation", 8][0] > 0.88
        assert routes["random", 4][0] > routes["random", 8][0] + 0.03
        assert routes["by conversation", 8][0] > routes["random", 8][0] + 0.1
        one = routing.serve([r for r in routing.chats(seed=3) if r[1] < 100], 1, "random")[0]
        assert one == pytest.approx(routes["by system prompt", 8][0])

    def test_routing_by_system_prompt_overloads_one_replica(self, routes):
        assert routes["by system prompt", 4][1] > 2.3 and routes["by system prompt", 8][1] > 4.6
        assert routes["by conversation", 8][1] < 1.3

    def test_more_chats_per_replica_make_random_routing_less_bad(self):
        requests = routing.chats(seed=4)
        few = routing.serve(requests[:80], 8, "random")[0]
        assert routing.serve(requests[:80], 8, "by conversation")[0] > few

    @pytest.mark.parametrize(
        ("key", "found"),
        [
            ("its tokens", ["right", "WRONG", "WRONG"]),
            ("and all before", ["right", "right", "WRONG"]),
            ("and the adapter", ["right", "right", "right"]),
        ],
    )
    @pytest.mark.parametrize("shift", [0, 20])
    def test_a_key_needs_all_earlier_tokens_and_the_adapter(self, key, found, shift):
        first = [t + shift for t in wrong.A + wrong.B + wrong.C + wrong.ASK]
        swapped = [t + shift for t in wrong.C + wrong.A + wrong.B + wrong.ASK]
        got = []
        for request in ((first, 0), (swapped, 0), (first, 1)):
            make = wrong.KEYS[key]
            _, warm = wrong.serve([(first, 0), request], make)[1]
            _, cold = wrong.serve([request], make)[0]
            got.append("right" if torch.allclose(warm, cold) else "WRONG")
        assert got == found

    def test_the_first_layer_of_a_block_is_the_same_and_the_second_differs_after_another_beginning(self):
        none = torch.zeros(2, 2, 0, 8, dtype=torch.double)
        for head in (wrong.B, wrong.C):
            _, alone = wrong.run(wrong.A, 0, none)
            _, after = wrong.run(head + wrong.A, 0, none)
            torch.testing.assert_close(after[0, :, 4:], alone[0])  # without positions
            assert not torch.allclose(after[1, :, 4:], alone[1])

    def test_a_prefix_does_not_depend_on_what_follows(self):
        none = torch.zeros(2, 2, 0, 8, dtype=torch.double)
        _, one = wrong.run(wrong.A + wrong.B, 0, none)
        for tail in (wrong.C, wrong.ASK):
            _, longer = wrong.run(wrong.A + wrong.B + tail, 0, none)
            torch.testing.assert_close(longer[:, :, :8], one)

    def test_a_block_survives_37_seconds(self):
        assert round(448_000 * 0.72) == 322_560 and round(3.84 * 2300) == 8832
        assert round(322_560 / 8832) == 37
