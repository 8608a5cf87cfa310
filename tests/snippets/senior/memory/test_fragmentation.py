"""What docs/senior/memory/fragmentation.md claims, proven beyond the example shown."""

import functools
import random

import pytest

from warmup.testing import load_snippet

fragmentation = load_snippet("senior/memory/fragmentation.py")
model = load_snippet("senior/memory/fragmentation_model.py")
MIB = 2**20
enough = functools.cache(lambda lengths, keep, expandable: model.enough(list(lengths), keep, expandable))
GROWING = tuple(range(100, 1001, 100))


def lifetimes(order: list[str], capacity: int, expandable: bool = False) -> model.Allocator:
    """The allocator after the tensors of 9 MiB were made in this order and the temporary ones died."""
    allocator = model.Allocator(capacity * MIB, expandable)
    blocks = [allocator.malloc(9 * MIB) for _ in order]
    for block, lifetime in zip(blocks, order, strict=True):
        if lifetime == "temporary":
            allocator.free(block)
    return allocator


def fits(allocator: model.Allocator, mib: int) -> bool:
    try:
        allocator.malloc(mib * MIB)
    except MemoryError:
        return False
    return True


IN_TURN = ["temporary", "kept"] * 20
GROUPED = ["kept"] * 20 + ["temporary"] * 20


class TestFragmentation:
    @pytest.mark.parametrize("order", [IN_TURN, GROUPED, ["kept"] * 40, ["temporary"] * 40, GROUPED[::-1]])
    def test_the_short_program_says_what_the_whole_allocator_does(self, order: list[str]):
        free, returned, fit = fragmentation.try_40(order)
        allocator = lifetimes(order, 400)
        reserved = allocator.total("used", "free")
        assert allocator.total("free") == free * MIB
        assert fits(allocator, 40) == fit
        allocator = lifetimes(order, 400)
        allocator.empty_cache()
        assert reserved - allocator.total("used", "free") == returned * MIB

    def test_the_largest_hole_is_one_tensor_so_smaller_ones_still_fit(self):
        allocator = lifetimes(IN_TURN, 400)
        assert allocator.hole(9 * MIB) and not allocator.hole(9 * MIB + 512)
        assert all(fits(allocator, 9) for _ in range(20)) and not fits(allocator, 9)

    def test_wholly_free_segments_are_no_fragmentation(self):
        allocator = model.Allocator(1000 * MIB)
        blocks = [allocator.malloc(100 * MIB) for _ in range(9)]
        for block in blocks[::2]:
            allocator.free(block)
        assert allocator.hole(200 * MIB) is None and allocator.total("free") == 500 * MIB
        assert fits(allocator, 200)

    @pytest.mark.parametrize(("capacity", "fit"), [(400, True), (399, False), (380, False)])
    def test_expandable_segments_help_until_holes_smaller_than_a_page_are_all_that_is_left(self, capacity, fit):
        allocator = lifetimes(IN_TURN, capacity, expandable=True)
        assert allocator.total("used", "free") == 360 * MIB
        assert fits(allocator, 40) == fit

    def test_a_free_page_of_an_expandable_segment_is_given_back_alone(self):
        allocator = model.Allocator(200 * MIB, expandable=True)
        blocks = [allocator.malloc(25 * MIB) for _ in range(4)]
        allocator.free(blocks[1])
        allocator.free(blocks[2])
        allocator.empty_cache()
        assert [[b[0] // MIB, b[1]] for b in allocator.segments[0]] == [
            [25, "used"],
            [15, "free"],
            [20, "unmapped"],
            [15, "free"],
            [25, "used"],
        ]

    @pytest.mark.parametrize("expandable", [False, True])
    def test_growing_lengths_alone_need_hardly_more_than_their_peak(self, expandable: bool):
        peak = model.train(list(GROWING), False, model.Allocator(2**40, expandable))
        assert enough(GROWING, False, expandable) < 1.03 * peak

    def test_growing_lengths_reserve_nearly_three_times_their_peak_by_default_only(self):
        reserved = {}
        for lengths, expandable in ((GROWING, False), (GROWING[::-1], False), (GROWING, True)):
            roomy = model.Allocator(2**40, expandable)
            peak = model.train(list(lengths), False, roomy)
            reserved[lengths[0], expandable] = roomy.total("used", "free") / peak
        assert reserved[100, False] > 2.8 and reserved[1000, False] < 1.03 and reserved[100, True] < 1.03

    def test_tensors_kept_from_the_forward_pass_make_it_need_more_and_less_with_expandable_segments(self):
        over = {}
        for expandable in (False, True):
            peak = model.train(list(GROWING), True, model.Allocator(2**40, expandable))
            over[expandable] = enough(GROWING, True, expandable) / peak
        assert over[False] == pytest.approx(1.23, abs=0.005) and over[True] == pytest.approx(1.11, abs=0.005)

    @pytest.mark.parametrize("expandable", [False, True])
    def test_the_longest_first_needs_less(self, expandable: bool):
        assert enough(GROWING[::-1], True, expandable) < enough(GROWING, True, expandable)

    @pytest.mark.parametrize(("keep", "expandable"), [(False, False), (True, False), (True, True)])
    def test_what_is_enough_is_enough_and_2_mib_less_are_not(self, keep: bool, expandable: bool):
        need = enough(GROWING, keep, expandable)
        model.train(list(GROWING), keep, model.Allocator(need, expandable))
        with pytest.raises(MemoryError, match="are free"):
            model.train(list(GROWING), keep, model.Allocator(need - 2 * MIB, expandable))

    def test_buckets_that_grow_still_reserve_too_much(self):
        roomy = model.Allocator(2**40)
        model.train([-(-length // 256) * 256 for length in GROWING], False, roomy)
        assert roomy.total("used", "free") == 1904 * MIB

    def test_pages_are_as_large_as_a_segment_of_the_default(self):
        for expandable in (False, True):
            allocator = model.Allocator(2**40, expandable)
            allocator.malloc(2 * MIB)
            assert allocator.total("used", "free") == 20 * MIB

    def test_when_memory_runs_out_whole_segments_go_back_four_times_and_the_growing_loop_survives(self):
        class Counting(model.Allocator):
            flushes = 0

            def empty_cache(self) -> None:
                self.flushes += 1
                super().empty_cache()

        for capacity, flushes in ((1026 * MIB, 4), (2**40, 0)):
            allocator = Counting(capacity)
            model.train(list(GROWING), False, allocator)
            assert allocator.flushes == flushes

    @pytest.mark.parametrize(("seed", "random_order", "longest_first"), [(0, 3042, 3106), (1, 3142, 3242)])
    def test_the_longest_first_helps_only_if_no_step_leaves_tensors_behind(self, seed, random_order, longest_first):
        chance = random.Random(seed)
        lengths = [chance.randint(100, 1000) for _ in range(60)]
        reserved = {}
        for keep in (False, True):
            for first in ([], [1000]):
                allocator = model.Allocator(2**40)
                model.train(first + lengths, keep, allocator)
                reserved[keep, bool(first)] = allocator.total("used", "free") // MIB
        assert (reserved[True, False], reserved[True, True]) == (random_order, longest_first)
        assert reserved[False, True] == 1024 < reserved[False, False] / 1.3

    def test_growing_lengths_fill_old_holes_with_small_tensors_and_large_ones_find_none(self):
        allocator = model.Allocator(2**40)
        model.train([700], False, allocator)
        small, large = (800 * 16384 * part for part in (1, 4))
        assert allocator.hole(small) and not allocator.hole(large)
