"""What docs/senior/memory/gpu-memory-allocator.md claims, proven beyond the example shown."""

import functools
import random
import re
from pathlib import Path

import pytest
import torch

from warmup.testing import load_snippet

sizes = load_snippet("senior/memory/gpu_memory_allocator.py")
steps = load_snippet("senior/memory/gpu_memory_allocator_steps.py")
MIB = 2**20
train = functools.cache(steps.train)


def header(name: str) -> int:
    """A constant of the allocator, as the wheel's header has it."""
    path = Path(torch.__file__).parent / "include/c10/core/AllocatorConfig.h"
    found = re.search(rf"{name}\s*[={{]\s*(\d+)", path.read_text(encoding="utf-8")) if path.exists() else None
    if not found:
        pytest.skip(f"this torch ships no header with {name}")
    return int(found[1])


class TestGpuMemoryAllocator:
    def test_the_sizes_are_those_of_the_installed_torch(self):
        least, small, buffer = header("kMinBlockSize"), header("kSmallSize"), header("kSmallBuffer")
        large, rounding, packed = header("kMinLargeAlloc"), header("kRoundLarge"), header("large_segment_size_")
        assert sizes.allocate(1) == sizes.allocate(least) == (least, buffer)
        assert sizes.allocate(least + 1) == (2 * least, buffer) and sizes.allocate(small) == (small, buffer)
        assert sizes.allocate(small + 1) == (small + least, packed)
        assert sizes.allocate(large - least) == (large - least, packed)
        assert sizes.allocate(large) == (large, large)
        assert sizes.allocate(large + 1)[1] == large + rounding

    def test_a_block_is_the_next_multiple_of_512_unless_the_rest_is_too_small_to_cut_off(self):
        for requested in (1, 511, 512, 513, 3 * MIB + 7, 24 * MIB + 7):
            block, segment = sizes.allocate(requested)
            assert block % 512 == 0 and 0 <= block - requested < 512 and segment >= block
        assert sizes.allocate(25 * MIB) == sizes.allocate(26 * MIB) == (26 * MIB, 26 * MIB)

    @pytest.mark.parametrize("requested", [4, MIB, MIB + 1, 9 * MIB, 10 * MIB, 33 * MIB, 35 * MIB - 9])
    def test_the_model_of_the_allocator_has_the_sizes_of_the_first_program(self, requested: int):
        allocator = steps.CachingAllocator(2**40)
        block = allocator.malloc(requested)
        assert block.used and allocator.total(used_only=True) == block.size
        assert (block.size, allocator.total(used_only=False)) == sizes.allocate(requested)

    @pytest.mark.parametrize("requested", [4, 3 * MIB, 64 * MIB])
    def test_a_freed_block_stays_reserved_and_serves_the_next_tensor_without_the_driver(self, requested: int):
        allocator = steps.CachingAllocator(2**40)
        allocator.free(allocator.malloc(requested))
        reserved = allocator.total(used_only=False)
        assert allocator.total(used_only=True) == 0 and reserved > 0
        allocator.malloc(requested)
        assert allocator.driver_calls == 1 and allocator.total(used_only=False) == reserved

    def test_the_smallest_hole_that_fits_is_taken_and_the_rest_is_cut_off(self):
        allocator = steps.CachingAllocator(2**40)
        big, fitting = allocator.malloc(64 * MIB), allocator.malloc(32 * MIB)
        allocator.free(big)
        allocator.free(fitting)
        allocator.malloc(30 * MIB)
        assert [[b.size // MIB for b in s] for s in allocator.segments] == [[64], [30, 2]]
        allocator.malloc(31 * MIB)
        assert [[b.size // MIB for b in s] for s in allocator.segments] == [[31, 33], [30, 2]]
        assert allocator.driver_calls == 2

    def test_a_rest_of_up_to_one_mib_is_not_cut_off(self):
        for requested, blocks in ((31 * MIB, [32 * MIB]), (31 * MIB - 512, [31 * MIB - 512, MIB + 512])):
            allocator = steps.CachingAllocator(2**40)
            allocator.free(allocator.malloc(32 * MIB))
            allocator.malloc(requested)
            assert [b.size for b in allocator.segments[0]] == blocks

    def test_small_and_large_tensors_use_different_segments(self):
        allocator = steps.CachingAllocator(2**40)
        allocator.malloc(3 * MIB)
        allocator.malloc(MIB)
        allocator.malloc(512)
        assert [[b.size for b in s if b.used] for s in allocator.segments] == [[3 * MIB], [MIB, 512]]

    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)])
    def test_free_neighbors_join(self, order: tuple[int, ...]):
        allocator = steps.CachingAllocator(2**40)
        blocks = [allocator.malloc(5 * MIB) for _ in range(3)]
        for number in order:
            allocator.free(blocks[number])
        assert [[b.size for b in s] for s in allocator.segments] == [[20 * MIB]]

    def test_before_it_gives_up_it_returns_free_segments_but_none_with_a_live_block(self):
        allocator = steps.CachingAllocator(100 * MIB)
        allocator.free(allocator.malloc(60 * MIB))
        allocator.malloc(80 * MIB)
        assert allocator.total(used_only=False) == 80 * MIB
        with pytest.raises(MemoryError, match="22 MiB"):
            allocator.malloc(22 * MIB)
        allocator.malloc(20 * MIB)
        allocator = steps.CachingAllocator(100 * MIB)
        dies, _ = allocator.malloc(9 * MIB), allocator.malloc(9 * MIB)
        allocator.free(dies)
        allocator.empty_cache()
        assert allocator.total(used_only=False) == 20 * MIB

    @pytest.mark.parametrize("width", [512, 1024])
    def test_from_the_third_step_on_a_loop_needs_no_driver_but_with_empty_cache_it_does(self, width: int):
        _, rows = train(empty_cache=False, width=width)
        calls = [row[2] for row in rows]
        assert calls[0] > 0 and calls[1] > 0 and calls[2:] == [0, 0]
        assert rows[-1][0] == rows[0][0] < rows[-1][1]
        emptied = [row[2] for row in train(empty_cache=True, width=width)[1]]
        assert emptied[1] == emptied[2] == emptied[3] > 0

    def test_reserved_only_rises_and_allocated_stays_below_it(self):
        curve = train(empty_cache=False)[0].curve
        reserved = [row[1] for row in curve]
        assert reserved == sorted(reserved) and all(used <= held for used, held in curve)

    def test_emptying_the_cache_leaves_the_peak_as_it_is(self):
        peaks = [max(row[1] for row in train(empty_cache=e)[0].curve) for e in (False, True)]
        assert peaks[0] == peaks[1]

    def test_no_byte_is_lost_in_a_random_sequence(self):
        chance = random.Random(0)
        allocator, live = steps.CachingAllocator(2**40), []
        for _ in range(300):
            if live and chance.random() < 0.5:
                allocator.free(live.pop(chance.randrange(len(live))))
            else:
                live.append(allocator.malloc(chance.choice([100, 4000, 700_000, 3 * MIB, 30 * MIB])))
            assert allocator.total(used_only=True) == sum(b.size for b in live)
        for block in live:
            allocator.free(block)
        assert all(len(s) == 1 for s in allocator.segments)
        allocator.empty_cache()
        assert allocator.segments == []
