"""What docs/senior/language-models/context-extension.md claims, proven beyond the example shown."""

import math

import pytest
import torch

from warmup.testing import load_snippet

lookup = load_snippet("senior/language-models/context_extension_lookup_broken.py")


def frequencies(width, base=10_000.0):
    return base ** (-torch.arange(0, width, 2, dtype=torch.double) / width)


def ntk(width, scale, base=10_000.0):
    return frequencies(width, base * scale ** (width / (width - 2)))


def yarn(plain, trained, scale):
    keep = ((trained * plain / (2 * math.pi) - 1) / 31).clamp(0, 1)
    return keep * plain + (1 - keep) * plain / scale


def unseen(new, plain, trained, scale):
    """Which pairs meet, in a text ``scale`` times as long, an angle beyond all trained ones."""
    last = trained * plain
    return (last < 2 * math.pi) & (scale * trained * new > last * (1 + 1e-9))


def looks(new, plain, back, reach=32_768):
    return int((torch.arange(reach)[:, None] * new - back * plain).cos().mean(1).argmax())


class TestAngles:
    @pytest.mark.parametrize(("width", "trained", "scale"), [(128, 4096, 8), (64, 2048, 4), (128, 8192, 16)])
    def test_unchanged_pairs_below_a_turn_meet_unseen_angles_pi_and_yarn_leave_none(self, width, trained, scale):
        plain = frequencies(width)
        slow = int((trained * plain < 2 * math.pi).sum())
        assert slow == unseen(plain, plain, trained, scale).sum() > 0
        assert not unseen(plain / scale, plain, trained, scale).any()
        assert not unseen(yarn(plain, trained, scale), plain, trained, scale).any()
        assert unseen(ntk(width, scale), plain, trained, scale).sum() == slow - 1  # only the last fits

    def test_46_pairs_turn_around_in_4096_tokens_and_18_do_not(self):
        turns = 4096 * frequencies(128) / (2 * math.pi)
        assert (turns >= 1).sum() == 46 and (turns < 1).sum() == 18
        assert ((8192 * frequencies(128, 500_000.0)) < 2 * math.pi).sum() == 29

    @pytest.mark.parametrize(("width", "scale"), [(128, 8), (64, 4)])
    def test_ntk_keeps_the_first_pair_and_divides_only_the_last_by_the_scale(self, width, scale):
        factor = ntk(width, scale) / frequencies(width)
        assert factor[0] == 1 and factor[-1].item() == pytest.approx(1 / scale)
        assert (factor.diff() < 0).all() and factor[-2] > 1 / scale

    def test_a_base_of_181_000_brings_all_pairs_into_range_and_82_685_does_not(self):
        plain = frequencies(128)
        for base, count in ((181_000.0, 0), (8 ** (128 / 126) * 10_000, 17)):
            new = frequencies(128, base)
            assert unseen(new, plain, 4096, 8).sum() == count
        assert frequencies(128, 181_000.0)[-1] < plain[-1] / 8 * 0.9
        assert pytest.approx(82_685, abs=1) == 10_000 * 8 ** (128 / 126)

    def test_the_slowest_pair_turns_by_0_47_in_training_and_by_3_8_or_0_08_in_32k(self):
        assert 4096 * frequencies(128)[-1] == pytest.approx(0.47, abs=0.01)
        assert 32_768 * frequencies(128)[-1] == pytest.approx(3.8, abs=0.05)
        assert 32_768 * frequencies(128, 500_000.0)[-1] == pytest.approx(0.08, abs=0.005)
        slow = lookup.TRAINED * lookup.frequencies("unchanged", 1)[-1]
        assert slow == pytest.approx(0.45, abs=0.01)


class TestDistances:
    @pytest.mark.parametrize(("width", "scale"), [(128, 8), (64, 4)])
    @pytest.mark.parametrize("back", [1, 7, 100])
    def test_pi_moves_every_distance_by_the_scale(self, width, scale, back):
        plain = frequencies(width)
        assert looks(plain, plain, back, 2000) == back
        assert looks(plain / scale, plain, back, 2000) == back * scale

    @pytest.mark.parametrize("scale", [4, 8])
    def test_ntk_and_yarn_keep_the_previous_token(self, scale):
        plain = frequencies(128)
        assert looks(ntk(128, scale), plain, 1, 2000) == 1
        assert looks(yarn(plain, 4096, scale), plain, 1, 2000) == 1

    def test_yarn_keeps_100_and_not_1000(self):
        plain = frequencies(128)
        new = yarn(plain, 4096, 8)
        assert looks(new, plain, 100, 8192) == 100 and abs(looks(new, plain, 1000, 8192) - 1000) > 100

    def test_with_a_window_below_the_training_length_no_distance_is_new(self):
        distance = torch.arange(32_768)[-1] - torch.arange(32_768)
        for window in (1024, 4096):
            assert distance[distance < window].max() < 4096


class TestYarn:
    def test_21_pairs_are_kept_25_blended_and_18_divided_by_8(self):
        plain = frequencies(128)
        factor = yarn(plain, 4096, 8) / plain
        kept, divided = (factor > 1 - 1e-9).sum(), (factor < 1 / 8 + 1e-9).sum()
        assert (kept, divided, 64 - kept - divided) == (21, 18, 25)
        turns = 4096 * plain / (2 * math.pi)
        assert turns[20] > 32 > turns[21] and turns[45] > 1 > turns[46]

    def test_a_ramp_over_pairs_gives_other_factors_than_one_over_turns(self):
        plain = frequencies(128)
        turns = 4096 * plain / (2 * math.pi)
        by_turns = ((turns - 1) / 31).clamp(0, 1)
        dims = [128 * math.log(4096 / (n * 2 * math.pi)) / (2 * math.log(10_000)) for n in (32, 1)]
        low, high = math.floor(dims[0]), math.ceil(dims[1])
        by_pair = 1 - ((torch.arange(64) - low) / (high - low)).clamp(0, 1)
        assert (by_pair - by_turns).max() > 0.2

    @pytest.mark.parametrize("scale", [4, 8])
    def test_a_factor_on_cosines_and_sines_multiplies_scores_by_its_square(self, scale):
        torch.manual_seed(0)
        q, k = torch.randn(2, 32, dtype=torch.double)
        f, factor = frequencies(32), 0.1 * math.log(scale) + 1
        plain = lookup.rotate(q, torch.tensor(9), f) @ lookup.rotate(k, torch.tensor(2), f)
        scaled = (factor * lookup.rotate(q, torch.tensor(9), f)) @ (factor * lookup.rotate(k, torch.tensor(2), f))
        torch.testing.assert_close(scaled, factor**2 * plain)
        if scale == 8:
            assert factor**2 == pytest.approx(1.46, abs=0.005)

    @pytest.mark.parametrize("keys", [1000, 8000])
    def test_with_more_keys_the_softmax_spreads_and_larger_scores_sharpen_it(self, keys):
        torch.manual_seed(0)
        scores = torch.randn(keys, dtype=torch.double)
        scores[0] = 5.0
        few = scores[: keys // 8].softmax(0)[0]
        assert few > scores.softmax(0)[0] < (1.46 * scores).softmax(0)[0]


class TestLookup:
    @pytest.fixture(scope="class")
    @staticmethod
    def weight():
        torch.manual_seed(7)
        return lookup.train(steps=150)

    def test_at_the_trained_length_all_methods_are_one(self, weight):
        found = {m: lookup.accuracy(weight, m, 64) for m in ("unchanged", "PI", "NTK-aware", "YaRN")}
        assert len(set(found.values())) == 1 and found["PI"] > 0.9

    @pytest.mark.parametrize("length", [160, 384])
    def test_longer_texts_fail_unchanged_ntk_helps_and_pi_and_yarn_help_most(self, weight, length):
        plain, pi, aware, mixed = (lookup.accuracy(weight, m, length) for m in ("unchanged", "PI", "NTK-aware", "YaRN"))
        assert plain < 0.1 < plain + 0.15 < aware < min(pi, mixed) - 0.15 and min(pi, mixed) > 0.75

    def test_the_rotated_score_depends_on_the_distance_only_and_keys_of_other_frequencies_do_not_fit(self):
        torch.manual_seed(1)
        q, k = torch.randn(2, 32, dtype=torch.double)
        old, new = lookup.frequencies("unchanged", 1), lookup.frequencies("PI", 8)
        score = [
            lookup.rotate(q, torch.tensor(n + 5), old) @ lookup.rotate(k, torch.tensor(n), old) for n in (0, 90, 400)
        ]
        torch.testing.assert_close(score[0], score[1])
        torch.testing.assert_close(score[0], score[2])
        mixed = [
            lookup.rotate(q, torch.tensor(n + 5), new) @ lookup.rotate(k, torch.tensor(n), old) for n in (0, 90, 400)
        ]
        assert abs(mixed[0] - mixed[1]) > 0.1 and abs(mixed[0] - mixed[2]) > 0.1
