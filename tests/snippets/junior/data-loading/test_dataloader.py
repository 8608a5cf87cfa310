"""What docs/junior/data-loading/dataloader.md claims, proven beyond the example shown."""

import itertools
import math
from collections import Counter

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset, default_collate

from warmup.testing import load_snippet

squares_snippet = load_snippet("junior/data-loading/dataloader.py")
loader_snippet = load_snippet("junior/data-loading/dataloader_lists.py")
sorted_snippet = load_snippet("junior/data-loading/dataloader_sorted.py")


def seeded(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(6))


class Squares(Dataset):
    """Item i is i squared, and i. It keeps the indices that it is asked for."""

    def __init__(self, length: int):
        self.length, self.asked = length, []

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.asked.append(index)
        return torch.tensor([index**2.0]), index


def samples_seen(shuffle, restart, samples, batch_size):
    """How often each sample is seen in as many steps as one epoch has."""
    loader = DataLoader(range(samples), batch_size, shuffle=shuffle, generator=seeded(0))
    iterator, seen = iter(loader), Counter()
    for _ in range(len(loader)):
        seen.update((next(iter(loader)) if restart else next(iterator)).tolist())
    return seen


WORKERS = {"num_workers": 2, "multiprocessing_context": "fork"}


class TestDataloader:
    def test_each_item_is_read_once_an_epoch_in_a_new_order(self, capsys):
        loader = DataLoader(squares_snippet.Squares(), batch_size=3, shuffle=True)
        epochs = []
        for _ in range(2):
            labels = torch.cat([labels for inputs, labels in loader if torch.equal(inputs[:, 0], labels.float() ** 2)])
            read = [int(word) for word in capsys.readouterr().out.split() if word.isdigit()]
            assert sorted(read) == list(range(7)) and read == labels.tolist()
            epochs.append(read)
        assert epochs[0] != epochs[1]

    @pytest.mark.parametrize("shuffle", [True, False])
    @pytest.mark.parametrize("batch_size", [1, 4, 20])
    def test_every_epoch_reads_every_sample_anew_and_building_the_loader_reads_none(self, shuffle, batch_size):
        dataset = Squares(11)
        loader = DataLoader(dataset, batch_size, shuffle=shuffle)
        assert dataset.asked == []
        for epoch in (1, 2, 3):
            list(loader)
            assert len(dataset.asked) == 11 * epoch
            assert sorted(dataset.asked[-11:]) == list(range(11))

    def test_items_are_read_when_their_batch_is_asked_for(self):
        dataset = Squares(10)
        iterator = iter(DataLoader(dataset, batch_size=4))
        assert dataset.asked == []
        next(iterator)
        assert dataset.asked == [0, 1, 2, 3]

    @pytest.mark.parametrize(("samples", "batch_size"), [(7, 3), (6, 3), (2, 3), (100, 7)])
    def test_the_length_counts_batches(self, samples, batch_size):
        dataset = Squares(samples)
        for drop_last, expected in ((False, math.ceil(samples / batch_size)), (True, samples // batch_size)):
            loader = DataLoader(dataset, batch_size, drop_last=drop_last)
            assert len(loader) == len(list(loader)) == expected

    def test_the_default_is_batches_of_one_in_stored_order(self):
        assert [batch.tolist() for batch in DataLoader([5, 7, 6])] == [[5], [7], [6]]

    def test_a_loader_is_a_source_of_index_lists(self):
        dataset = Squares(9)
        lists = [[8, 8, 8], [0], [3, 1]]
        for (inputs, labels), indices in zip(DataLoader(dataset, batch_sampler=lists), lists, strict=True):
            by_hand = default_collate([dataset[index] for index in indices])
            assert torch.equal(inputs, by_hand[0]) and torch.equal(labels, by_hand[1])
            assert labels.tolist() == indices

    def test_the_position_lives_in_the_iterator_and_each_iterator_has_its_own_order(self):
        loader = DataLoader(range(50), 50, shuffle=True, generator=seeded())
        first, second = iter(loader), iter(loader)
        assert next(first).tolist() != next(second).tolist()
        with pytest.raises(StopIteration):
            next(first)
        with pytest.raises(TypeError, match="not an iterator"):
            next(loader)

    def test_with_persistent_workers_a_second_iter_returns_and_resets_the_same_iterator(self):
        loader = DataLoader(range(6), 2, num_workers=1, persistent_workers=True, multiprocessing_context="fork")
        assert iter(loader) is iter(loader)
        assert [(a.tolist(), b.tolist()) for a, b in zip(loader, loader, strict=False)] == [([0, 1], [2, 3])]
        plain = DataLoader(range(6), 2)
        assert [(a.tolist(), b.tolist()) for a, b in zip(plain, plain, strict=True)][0] == ([0, 1], [0, 1])

    @pytest.mark.parametrize("shuffle", [False, True])
    def test_only_shuffling_gives_a_new_order_each_epoch(self, shuffle):
        loader = DataLoader(range(50), 50, shuffle=shuffle)
        orders = [next(iter(loader)).tolist() for _ in range(3)]
        assert (orders[0] != orders[1] != orders[2]) is shuffle
        assert (orders[0] == list(range(50))) is not shuffle

    def test_a_dataset_with_getitems_is_asked_for_the_whole_list(self):
        class Table(list):
            def __getitems__(self, indices):
                return [10 * index for index in indices]

        assert [batch.tolist() for batch in DataLoader(Table(range(4)), 2)] == [[0, 10], [20, 30]]

    @pytest.mark.parametrize("batch_size", [2, 3])
    def test_a_list_is_a_dataset(self, batch_size):
        items = [torch.tensor([float(i)]) for i in range(5)]
        batches = list(DataLoader(items, batch_size, shuffle=True))
        assert sorted(torch.cat(batches).flatten().tolist()) == [0, 1, 2, 3, 4]

    @pytest.mark.parametrize(("options", "outer"), [({}, 6), ({"persistent_workers": True}, 1)])
    def test_a_loop_inside_a_loop_ends_the_outer_one_early_with_persistent_workers(self, options, outer):
        loader = DataLoader(range(6), **WORKERS, **options)
        steps = 0
        for _ in loader:
            steps += 1
            assert sum(1 for _ in loader) == 6
        assert steps == outer

    @pytest.mark.parametrize("shuffle", [True, False])
    @pytest.mark.parametrize("generator", [None, 3])
    def test_two_iterators_of_one_loader_both_see_every_sample(self, shuffle, generator):
        loader = DataLoader(range(9), 2, shuffle=shuffle, generator=seeded(generator) if generator else None)
        pairs = list(zip(loader, loader, strict=True))
        for batches in zip(*pairs, strict=True):
            assert sorted(torch.cat(batches).tolist()) == list(range(9))

    def test_while_yield_from_restarts_an_empty_loader_again_and_again(self):
        class Counted(DataLoader):
            starts = 0

            def __iter__(self):
                self.starts += 1
                if self.starts > 50:
                    raise TimeoutError
                return super().__iter__()

        loader = Counted(range(3), batch_size=8, drop_last=True)

        def forever():
            while True:
                yield from loader

        with pytest.raises(TimeoutError):
            next(forever())

    def test_restarting_the_iterator_takes_a_first_batch_each_time(self):
        one_epoch = samples_seen(True, False, samples=60, batch_size=7)
        assert sorted(one_epoch) == list(range(60)) and set(one_epoch.values()) == {1}
        assert samples_seen(False, True, samples=60, batch_size=7) == dict.fromkeys(range(7), 9)

    def test_with_shuffling_a_restarted_loader_misses_about_one_part_in_e(self):
        seen = samples_seen(True, True, samples=4000, batch_size=80)
        assert 1 - len(seen) / 4000 == pytest.approx(1 / math.e, abs=0.03)
        assert sum(seen.values()) == 4000

    def test_unshuffled_classes_make_the_loss_a_sawtooth_and_cost_accuracy(self):
        losses, accuracy = sorted_snippet.train(shuffle=False)
        mixed_losses, mixed_accuracy = sorted_snippet.train(shuffle=True)
        assert len(losses) == len(mixed_losses) == 60
        assert accuracy < mixed_accuracy - 0.04
        last = torch.tensor(losses[-20:]).view(4, 5)
        assert (last[:, 0] == last.max(dim=1).values).sum() >= 3
        assert torch.tensor(losses[-20:]).std() > 2 * torch.tensor(mixed_losses[-20:]).std()

    def test_while_yield_from_sees_every_sample_and_cycle_replays_the_first_epoch(self):
        def forever(loader):
            while True:
                yield from loader

        def second_epoch(steps):
            return [batch.tolist() for batch in itertools.islice(steps, 5, 10)]

        dataset = Squares(20)
        loader = DataLoader(
            dataset,
            4,
            shuffle=True,
            generator=seeded(),
            collate_fn=lambda items: torch.tensor([label for _, label in items]),
        )
        first = [batch.tolist() for batch in loader]
        loader.generator.manual_seed(3)
        fresh = second_epoch(forever(loader))
        assert sorted(sum(fresh, [])) == list(range(20)) and fresh != first
        loader.generator.manual_seed(3)
        dataset.asked.clear()
        assert second_epoch(itertools.cycle(loader)) == first
        assert len(dataset.asked) == 20

    def test_a_stream_has_no_indices_to_shuffle(self):
        with pytest.raises(ValueError, match="shuffle"):
            DataLoader(Stream(), shuffle=True)
        assert [batch.tolist() for batch in DataLoader(Stream(), 4)] == [[0, 1, 2, 3], [4, 5]]

    def test_each_worker_iterates_its_own_copy_of_a_stream(self):
        batches = list(DataLoader(Stream(), 3, num_workers=2))
        assert sorted(torch.cat(batches).tolist()) == sorted([*range(6), *range(6)])

    @pytest.mark.parametrize(("samples", "batch_size"), [(7, 3), (20, 4)])
    def test_the_loader_by_hand_yields_what_a_loader_yields(self, samples, batch_size):
        dataset = Squares(samples)

        def orders(loader):
            torch.manual_seed(5)
            return [(inputs.flatten().tolist(), labels.tolist()) for inputs, labels in loader]

        by_hand, batches = orders(loader_snippet.batches(dataset, batch_size)), math.ceil(samples / batch_size)
        assert len(by_hand) == batches and sorted(sum((labels for _, labels in by_hand), [])) == list(range(samples))
        assert [len(labels) for _, labels in by_hand[:-1]] == [batch_size] * (batches - 1)
        assert all(inputs == [label**2 for label in labels] for inputs, labels in by_hand)
        loaded = orders(DataLoader(dataset, batch_size, shuffle=True))
        assert [len(labels) for _, labels in loaded] == [len(labels) for _, labels in by_hand]
        assert sum((labels for _, labels in by_hand), []) != list(range(samples))

    @pytest.mark.parametrize("ranks", [2, 3])
    def test_a_distributed_sampler_splits_the_indices_and_repeats_its_order_without_set_epoch(self, ranks):
        samplers = [DistributedSampler(range(12), ranks, rank) for rank in range(ranks)]
        epochs = []
        for epoch in (None, None, 1):
            for sampler in samplers:
                if epoch:
                    sampler.set_epoch(epoch)
            epochs.append([list(DataLoader(range(12), None, sampler=sampler)) for sampler in samplers])
            assert sorted(sum(epochs[-1], [])) == list(range(12))
        assert epochs[0] == epochs[1] != epochs[2]

    def test_a_sampler_excludes_shuffle_and_no_batch_size_means_no_batches(self):
        with pytest.raises(ValueError, match="mutually exclusive"):
            DataLoader(range(4), sampler=range(4), shuffle=True)
        assert [sample.shape for sample in DataLoader([torch.ones(2), torch.ones(3)], batch_size=None)] == [(2,), (3,)]
