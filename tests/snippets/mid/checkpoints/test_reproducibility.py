"""What docs/mid/checkpoints/reproducibility.md claims, proven beyond the example shown."""

import random

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from warmup.testing import load_snippet

seeds = load_snippet("mid/checkpoints/reproducibility_seeds.py")
hashes = load_snippet("mid/checkpoints/reproducibility_hash.py")
spread = load_snippet("mid/checkpoints/reproducibility_spread.py")
switches = load_snippet("mid/checkpoints/reproducibility_switches_broken.py")


@pytest.fixture
def same_settings():
    """Threads, switches and the state of NumPy are as before afterwards."""
    threads, state = torch.get_num_threads(), np.random.get_state()
    cudnn = torch.backends.cudnn.deterministic
    yield
    torch.set_num_threads(threads)
    torch.set_deterministic_debug_mode("default")
    torch.backends.cudnn.deterministic = cudnn
    np.random.set_state(state)


class OwnGenerator(TensorDataset):
    """Keeps a NumPy generator; ``per_sample`` seeds one for each index instead."""

    def __init__(self, per_sample):
        super().__init__(torch.zeros(4))
        self.generator, self.per_sample = np.random.default_rng(0), per_sample

    def __getitem__(self, index):
        generator = np.random.default_rng([0, index]) if self.per_sample else self.generator
        return generator.random()


@pytest.mark.usefixtures("same_settings")
class TestReproducibility:
    @pytest.mark.parametrize("total", [torch.sum, torch.mean])
    def test_the_number_of_threads_changes_sums_and_not_the_numbers_drawn(self, total):
        drawn, sums = [], []
        for threads in (1, 4, 1):
            torch.set_num_threads(threads)
            torch.manual_seed(0)
            x = torch.randn(20, 100_000)
            drawn.append(x)
            sums.append(torch.stack([total(row) for row in x]))
        assert torch.equal(drawn[0], drawn[1])
        assert torch.equal(sums[0], sums[2]) and not torch.equal(sums[0], sums[1])

    def test_the_size_of_the_batch_changes_the_same_row(self):
        torch.manual_seed(0)
        x, w = torch.randn(256, 512), torch.randn(512, 512)
        assert not torch.equal(torch.cat([row[None] @ w for row in x]), x @ w)

    @pytest.mark.parametrize("draw", [torch.rand, torch.randn, torch.randperm])
    def test_one_more_draw_shifts_the_stream_and_a_generator_of_its_own_does_not(self, draw):
        def after(extra):
            torch.manual_seed(0)
            extra()
            return draw(20)

        assert not torch.equal(after(lambda: torch.rand(1)), after(lambda: None))
        own = torch.Generator()
        for apart in (
            lambda: torch.rand(1, generator=own),
            lambda: nn.init.kaiming_uniform_(torch.empty(3, 3), generator=own),
            lambda: list(DataLoader(range(5), shuffle=True, generator=own)),
        ):
            assert torch.equal(after(apart), after(lambda: None))
        with pytest.raises(TypeError, match="generator"):
            nn.functional.dropout(torch.ones(1), generator=own)

    @pytest.mark.parametrize("draw", [seeds.torch_rand, random.random, np.random.rand])
    def test_without_workers_torch_seeds_torch_only_and_with_workers_all_three(self, draw):
        assert (seeds.epoch(draw, 0) == seeds.epoch(draw, 0)) is (draw is seeds.torch_rand)
        first = seeds.epoch(draw, 1)
        assert first == seeds.epoch(draw, 1) != seeds.epoch(draw, 0)
        two = seeds.epoch(draw, 2)
        assert first != two and len(set(two)) == 4

    def test_workers_follow_the_loaders_own_generator_if_it_has_one(self):
        def epoch(seed, own):
            torch.manual_seed(seed)
            generator = torch.Generator().manual_seed(own)
            samples = seeds.Noisy(range(4))
            samples.draw = random.random
            return [x.item() for x in DataLoader(samples, num_workers=1, generator=generator)]

        assert epoch(0, 1) == epoch(5, 1) != epoch(0, 2)

    def test_a_generator_in_the_dataset_is_copied_into_each_worker(self):
        def epoch(per_sample, workers):
            return [batch.item() for batch in DataLoader(OwnGenerator(per_sample), num_workers=workers)]

        a, b, c, d = epoch(per_sample=False, workers=2)
        assert a == b != c == d
        each = epoch(per_sample=True, workers=2)
        assert len(set(each)) == 4 and each == epoch(per_sample=True, workers=0)

    @pytest.mark.parametrize("persistent", [False, True])
    def test_new_workers_repeat_a_copied_generator_and_persistent_ones_do_not_see_the_epoch(self, persistent):
        class WithEpoch(OwnGenerator):
            epoch = 0

            def __getitem__(self, index):
                return self.generator.random(), self.epoch

        dataset = WithEpoch(per_sample=False)
        loader = DataLoader(dataset, num_workers=1, batch_size=None, persistent_workers=persistent)
        seen = []
        for dataset.epoch in range(2):
            seen.append(list(loader))
        assert ([a for a, _ in seen[0]] == [a for a, _ in seen[1]]) is not persistent
        assert {epoch for _, epoch in seen[1]} == ({0} if persistent else {1})

    def test_a_sampler_hands_the_epoch_to_persistent_workers(self):
        class Sampler:
            def __iter__(self):
                return iter([(self.epoch, index) for index in range(4)])

        class Drawn(TensorDataset):
            def __getitem__(self, key):
                return np.random.default_rng([0, *key]).random()

        def epochs(**workers):
            loader = DataLoader(Drawn(torch.zeros(4)), sampler=Sampler(), batch_size=None, **workers)
            seen = []
            for loader.sampler.epoch in range(2):
                seen.append(list(loader))
            return seen

        without = epochs()
        assert epochs(num_workers=1, persistent_workers=True) == without and without[0] != without[1]

    def test_only_deterministic_algorithms_refuse_put(self):
        torch.backends.cudnn.deterministic = True
        assert not torch.are_deterministic_algorithms_enabled() and not torch.backends.cudnn.benchmark
        assert switches.put(accumulate=False).startswith("[")
        torch.set_deterministic_debug_mode("error")  # the switch itself imports torch.compile
        assert switches.put(accumulate=False).startswith("RuntimeError: put_ does not have a deterministic")
        assert switches.put(accumulate=True) == "[3.0, 0.0]"
        torch.set_deterministic_debug_mode("warn")
        with pytest.warns(UserWarning, match="put_ does not have a deterministic"):
            assert switches.put(accumulate=False).startswith("[")

    def test_deterministic_mode_fills_new_memory_with_nan(self):
        torch.set_deterministic_debug_mode("error")
        assert torch.empty(100).isnan().all() and torch.utils.deterministic.fill_uninitialized_memory
        assert (torch.empty(100, dtype=torch.int16) == 2**15 - 1).all()

    def test_a_seed_in_each_epoch_repeats_order_and_masks(self):
        def two_epochs(seed_of, own=None):
            seen = []
            for epoch in range(2):
                torch.manual_seed(seed_of(epoch))
                order = torch.cat(list(DataLoader(range(50), batch_size=5, shuffle=True, generator=own)))
                seen.append((order.tolist(), nn.functional.dropout(torch.ones(50)).tolist()))
            return seen

        same, other = two_epochs(lambda epoch: 0), two_epochs(lambda epoch: epoch)
        assert same[0] == same[1]
        assert other[0][0] != other[1][0] and other[0][1] != other[1][1]
        own = two_epochs(lambda epoch: 0, torch.Generator().manual_seed(3))
        assert own[0][0] != own[1][0] and own[0][1] == own[1][1]

    def test_a_set_of_strings_follows_the_hash_seed_and_a_sorted_one_does_not(self):
        assert len({hashes.classes("list", seed) for seed in ("1", "2", "3")}) > 1
        assert len({hashes.classes("sorted", seed) for seed in ("1", "2")}) == 1
        assert hashes.classes("list", "1") == hashes.classes("list", "1")

    def test_seeds_scatter_more_than_the_two_widths_differ(self):
        narrow, wide = ([spread.held_out_loss(seed, width) for seed in range(4)] for width in (24, 32))
        assert spread.held_out_loss(0, 24) == narrow[0]
        assert max(narrow) - min(narrow) > 2 * abs(sum(narrow) - sum(wide)) / 4
        assert {a < b for a, b in zip(narrow, wide, strict=True)} == {True, False}

    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_a_longer_draw_begins_with_the_shorter_one_only_for_rand(self, seed):
        def draw(function, size):
            return function(size, generator=torch.Generator().manual_seed(seed))

        assert torch.equal(draw(torch.rand, 16)[:8], draw(torch.rand, 8))
        assert not torch.equal(draw(torch.randn, 16)[:8], draw(torch.randn, 8))
        assert torch.equal(draw(torch.randn, 15)[:8], draw(torch.randn, 8))

    def test_a_new_generator_has_the_same_seed_whatever_the_global_one_is(self):
        orders = set()
        for seed in range(3):
            torch.manual_seed(seed)
            orders.add(tuple(torch.randperm(50, generator=torch.Generator()).tolist()))
        assert len(orders) == 1
