"""What docs/senior/gpu-performance/sm-utilization.md claims, proven beyond the example shown."""

from math import ceil

import pytest

from warmup.testing import load_snippet

utilization = load_snippet("senior/gpu-performance/sm_utilization.py")
waves = load_snippet("senior/gpu-performance/sm_utilization_waves.py")
moved = load_snippet("senior/gpu-performance/sm_utilization_gpu_broken.py")


class TestSmUtilization:
    @pytest.mark.parametrize("sms", [108, 132])
    @pytest.mark.parametrize("full", [1, 2, 10])
    def test_one_tile_more_than_full_waves_costs_a_whole_wave(self, sms, full):
        columns = 128 * full
        tiles, count, share = utilization.plan(256 * sms, columns, sms)
        assert (tiles, count, share) == (full * sms, full, 1)
        assert utilization.plan(256 * sms + 1, columns, sms)[1] > full
        one_row = utilization.plan(256, 128 * (full * sms + 1), sms)
        assert one_row[1] == full + 1 and one_row[2] == pytest.approx((full * sms + 1) / ((full + 1) * sms))

    def test_the_same_mistake_costs_9_percent_with_ten_waves_and_1_percent_with_100(self):
        assert round(1 - utilization.plan(2304, 15361)[2], 2) == 0.09
        assert round(1 - utilization.plan(2304, 100 * 1536 + 1)[2], 2) == 0.01

    @pytest.mark.parametrize("sms", [1, 7, 108, 132])
    def test_the_share_is_that_of_waves_times_that_of_tiles(self, sms):
        for rows, columns in ((2304, 1664), (100, 100), (3000, 5001)):
            tiles, count, share = utilization.plan(rows, columns, sms)
            t = tiles / sms
            assert count == ceil(t)
            assert share == pytest.approx(t / ceil(t) * rows * columns / (tiles * 256 * 128))

    @pytest.mark.parametrize("sms", [7, 108])
    def test_waves_lose_less_than_one_over_their_number(self, sms):
        for tiles in range(1, 500):
            count = len(waves.busy(tiles, sms))
            assert 1 - tiles / (count * sms) < 1 / count

    @pytest.mark.parametrize(("tiles", "sms"), [(108, 108), (117, 108), (1, 4), (12, 4), (13, 4)])
    def test_all_waves_but_the_last_are_full(self, tiles, sms):
        working = waves.busy(tiles, sms)
        assert sum(working) == tiles and len(working) == ceil(tiles / sms)
        assert all(count == sms for count in working[:-1]) and 0 < working[-1] <= sms

    @pytest.mark.parametrize(("rows", "good", "bad"), [(2304, 108, 132), (2816, 132, 108)])
    def test_what_fills_one_gpu_leaves_gaps_on_the_other(self, rows, good, bad):
        assert moved.filled(rows, 1536, good) == 1 and moved.filled(rows, 1536, bad) < 0.85
        assert moved.filled(1, 1, 5) == 0.2

    def test_a_power_of_two_is_not_the_best_size(self):
        shares = {n: utilization.plan(2304, n)[2] for n in (1536, 2048, 3072)}
        assert shares[2048] < 0.7 < shares[1536] == shares[3072] == 1

    @pytest.mark.parametrize(("rows", "columns", "covered"), [(2304, 1600, 12.5 / 13), (2432, 1536, 9.5 / 10)])
    def test_a_multiple_of_64_or_128_that_is_none_of_the_edge_sticks_out(self, rows, columns, covered):
        tiles, _, _ = utilization.plan(rows, columns)
        assert rows * columns / (tiles * 256 * 128) == pytest.approx(covered)
        assert rows % 128 == 0 and columns % 64 == 0

    def test_other_tiles_move_the_steps(self):
        small = ceil(2304 / 128) * ceil(1664 / 128)
        assert small == 234 and ceil(small / 108) == 3

    @pytest.mark.parametrize(("splits", "share"), [(2, 0.89), (3, 0.67)])
    def test_two_splits_of_48_blocks_fill_108_sms_better_than_three(self, splits, share):
        working = waves.busy(48 * splits, 108)
        assert round(sum(working) / (108 * len(working)), 2) == share

    def test_50304_is_a_multiple_of_128(self):
        assert 50304 % 128 == 0 and 50257 % 64 != 0
