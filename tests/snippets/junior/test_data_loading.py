"""Every claim that the pages of docs/junior/data-loading make, proven beyond the example shown."""

import contextlib
import dataclasses
import itertools
import math
import multiprocessing
import pickle
import random
import re
import time
import warnings
from collections import UserDict, UserList
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, IterableDataset, default_collate, random_split
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

squares_snippet = load_snippet("junior/data-loading/dataloader.py")
who_snippet = load_snippet("junior/data-loading/dataloader_arguments_who.py")
loader_snippet = load_snippet("junior/data-loading/dataloader_lists.py")
data_leakage = load_snippet("junior/data-loading/data_leakage_mean.py")
data_leakage_groups = load_snippet("junior/data-loading/data_leakage_groups_broken.py")
data_leakage_shuffled = load_snippet("junior/data-loading/data_leakage_shuffled.py")
restart_snippet = load_snippet("junior/data-loading/dataloader_broken.py")
sorted_snippet = load_snippet("junior/data-loading/dataloader_sorted.py")

small_snippet = load_snippet("junior/data-loading/custom_dataset.py")
one_file_snippet = load_snippet("junior/data-loading/custom_dataset_one_file.py")
folder_snippet = load_snippet("junior/data-loading/custom_dataset_folder.py")
classes_snippet = load_snippet("junior/data-loading/custom_dataset_classes_broken.py")
labels_snippet = load_snippet("junior/data-loading/custom_dataset_labels.py")
split_snippet = load_snippet("junior/data-loading/custom_dataset_split.py")
arguments_snippet = load_snippet("junior/data-loading/dataloader_arguments.py")
ahead_snippet = load_snippet("junior/data-loading/dataloader_arguments_ahead.py")
stale_snippet = load_snippet("junior/data-loading/dataloader_arguments_broken.py")
cores_snippet = load_snippet("junior/data-loading/dataloader_arguments_cores.py")


def seeded(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(6))


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

    def test_the_dataset_answers_what_sample_i_is(self):
        dataset = loader_snippet.Squares(5)
        assert len(dataset) == 5
        x, y = dataset[3]
        assert x.tolist() == [9.0] and x.dtype == torch.float32 and y == 3
        assert dataset.asked == [3]

    @pytest.mark.parametrize("shuffle", [True, False])
    @pytest.mark.parametrize("batch_size", [1, 4, 20])
    def test_every_epoch_reads_every_sample_anew_and_building_the_loader_reads_none(self, shuffle, batch_size):
        dataset = loader_snippet.Squares(11)
        loader = DataLoader(dataset, batch_size, shuffle=shuffle)
        assert dataset.asked == []
        for epoch in (1, 2, 3):
            list(loader)
            assert len(dataset.asked) == 11 * epoch
            assert sorted(dataset.asked[-11:]) == list(range(11))

    def test_items_are_read_when_their_batch_is_asked_for(self):
        dataset = loader_snippet.Squares(10)
        iterator = iter(DataLoader(dataset, batch_size=4))
        assert dataset.asked == []
        next(iterator)
        assert dataset.asked == [0, 1, 2, 3]

    @pytest.mark.parametrize(("samples", "batch_size"), [(7, 3), (6, 3), (2, 3), (100, 7)])
    def test_the_length_counts_batches(self, samples, batch_size):
        dataset = loader_snippet.Squares(samples)
        for drop_last, expected in ((False, math.ceil(samples / batch_size)), (True, samples // batch_size)):
            loader = DataLoader(dataset, batch_size, drop_last=drop_last)
            assert len(loader) == len(list(loader)) == expected

    def test_the_default_is_batches_of_one_in_stored_order(self):
        assert [batch.tolist() for batch in DataLoader([5, 7, 6])] == [[5], [7], [6]]

    def test_a_loader_is_a_source_of_index_lists(self):
        dataset = loader_snippet.Squares(9)
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

    @pytest.mark.parametrize(("samples", "endless"), [(6, True), (2, True), (1, False)])
    def test_an_inner_loop_that_stops_at_once_makes_the_outer_one_endless_with_persistent_workers(
        self, samples, endless
    ):
        loader = DataLoader(range(samples), **WORKERS, persistent_workers=True)
        steps = 0
        for _ in loader:
            steps += 1
            next(iter(loader))
            if steps == 5 * samples:
                break
        assert steps == (5 * samples if endless else 1)

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
        one_epoch = restart_snippet.samples_seen(True, False, samples=60, batch_size=7)
        assert sorted(one_epoch) == list(range(60)) and set(one_epoch.values()) == {1}
        assert restart_snippet.samples_seen(False, True, samples=60, batch_size=7) == dict.fromkeys(range(7), 9)

    def test_with_shuffling_a_restarted_loader_misses_about_one_part_in_e(self):
        seen = restart_snippet.samples_seen(True, True, samples=4000, batch_size=80)
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

        dataset = loader_snippet.Squares(20)
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


class OneFile(Dataset):
    """Item i is byte i of one file that is opened in the constructor."""

    def __init__(self, path: Path):
        self.file = path.open("rb", buffering=0)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        self.file.seek(index)
        return self.file.read(1)[0]


class OneFileOpenedLate(OneFile):
    """The same, but the file is opened when the first item is read."""

    def __init__(self, path: Path):
        self.path, self.file = path, None

    def __getitem__(self, index):
        self.file = self.file or self.path.open("rb", buffering=0)
        return super().__getitem__(index)


class Draws(Dataset):
    """Numbers from a generator of its own, and from the global ones of NumPy, random and torch."""

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return (
            int(self.rng.integers(10**9)),
            int(np.random.randint(10**9)),
            random.randrange(10**9),
            int(torch.randint(10**9, ())),
        )


@dataclasses.dataclass
class Point:
    x: int


class TestCustomDataset:
    @pytest.fixture
    def root(self, tmp_path):
        rng = np.random.default_rng(0)
        for number, name in enumerate(["b", "a", "c", "b", "c", "c"]):
            (tmp_path / name).mkdir(exist_ok=True)
            np.save(tmp_path / name / f"{9 - number}.npy", rng.integers(0, 256, (4, 6), dtype=np.uint8))
        return tmp_path

    def test_an_item_is_a_float_image_between_0_and_1_and_an_int(self, root):
        dataset = folder_snippet.FolderDataset(root, ["a", "b", "c"])
        assert len(dataset) == 6
        for index, path in enumerate(dataset.paths):
            image, label = dataset[index]
            assert image.shape == (1, 4, 6) and image.dtype == torch.float32
            np.testing.assert_allclose(image[0].numpy() * 255, np.load(path), atol=1e-4)
            assert type(label) is int and path.parent.name == "abc"[label]

    def test_files_come_sorted_whatever_the_file_system_says(self, root, monkeypatch):
        ordered = folder_snippet.FolderDataset(root, "abc").paths
        listing = Path.glob
        monkeypatch.setattr(Path, "glob", lambda self, pattern: sorted(listing(self, pattern), reverse=True))
        assert folder_snippet.FolderDataset(root, "abc").paths == ordered == sorted(ordered)

    @pytest.mark.parametrize("num_workers", [0, 2])
    def test_a_batch_goes_straight_into_cross_entropy(self, root, num_workers):
        loader = DataLoader(folder_snippet.FolderDataset(root, "abc"), 4, num_workers=num_workers)
        for images, labels in loader:
            assert images.dtype == torch.float32 and images.shape[1:] == (1, 4, 6)
            F.cross_entropy(torch.zeros(len(labels), 3), labels)
        assert loader.dataset.labels == [0, 1, 1, 2, 2, 2]

    def test_the_transform_runs_each_time_an_item_is_read(self, root):
        calls = []
        dataset = folder_snippet.FolderDataset(root, "abc", lambda image: calls.append(1) or image + len(calls))
        plain = folder_snippet.FolderDataset(root, "abc")[1][0]
        assert torch.equal(dataset[1][0], plain + 1) and torch.equal(dataset[1][0], plain + 2)

    def test_the_order_of_classes_is_the_callers(self, root):
        assert folder_snippet.FolderDataset(root, ["c", "x", "b", "a"]).labels == [3, 2, 2, 0, 0, 0]

    def test_an_unknown_class_and_an_empty_folder_raise(self, root, tmp_path_factory):
        with pytest.raises(ValueError, match="'c'"):
            folder_snippet.FolderDataset(root, ["a", "b"])
        with pytest.raises(ValueError, match="no .npy file"):
            folder_snippet.FolderDataset(tmp_path_factory.mktemp("empty"), ["a"])

    def test_a_length_too_small_loses_samples_and_one_too_large_raises(self):
        class Wrong(list):
            length = 0

            def __len__(self):
                return self.length

        data = Wrong(range(6))
        data.length = 4
        assert sorted(torch.cat(list(DataLoader(data, 2, shuffle=True))).tolist()) == [0, 1, 2, 3]
        data.length = 8
        with pytest.raises(IndexError):
            list(DataLoader(data, 2, shuffle=True))

    @pytest.mark.parametrize("missing", ["a", "b", "c"])
    def test_numbering_by_folder_moves_every_label_after_a_missing_class(self, tmp_path, missing):
        for split, names in (("train", "abcd"), ("val", set("abcd") - {missing})):
            for name in names:
                (tmp_path / split / name).mkdir(parents=True)
        train, val = (classes_snippet.classes_in(tmp_path / split) for split in ("train", "val"))
        assert list(train.values()) == [0, 1, 2, 3]
        for name, label in val.items():
            assert label == train[name] - (name > missing)
            assert 0 <= label < 4

    @pytest.mark.parametrize(
        ("label", "dtype", "shape"),
        [
            (3, torch.int64, (4,)),
            (0.5, torch.float64, (4,)),
            (np.float32(1), torch.float32, (4,)),
            (np.int32(1), torch.int32, (4,)),
            (False, torch.bool, (4,)),
            (torch.tensor([2]), torch.int64, (4, 1)),
        ],
    )
    def test_the_return_line_decides_the_dtype_of_the_batch(self, label, dtype, shape):
        (batch,) = DataLoader([label] * 4, batch_size=4)
        assert batch.dtype == dtype and batch.shape == shape

    def test_labels_of_the_wrong_dtype_raise_in_cross_entropy(self):
        logits = torch.randn(4, 3)
        for dtype in (torch.float32, torch.float64, torch.int32, torch.bool):
            with pytest.raises(RuntimeError, match="Long"):
                F.cross_entropy(logits, torch.ones(4, dtype=dtype))
        with pytest.raises(RuntimeError, match="multi-target"):
            F.cross_entropy(logits, torch.ones(4, 1, dtype=torch.int64))
        assert labels_snippet.outcome(F.cross_entropy, logits, torch.ones(4, dtype=torch.int64)) == "float32"
        assert labels_snippet.outcome(F.cross_entropy, logits, torch.ones(4)) == "RuntimeError"

    def test_a_label_of_shape_1_broadcasts_in_the_mse(self):
        (target,) = DataLoader([torch.tensor([float(i)]) for i in range(4)], batch_size=4)
        with pytest.warns(UserWarning, match="target size"):
            loss = F.mse_loss(torch.arange(4.0), target)
        assert loss > 1

    def test_random_split_shares_one_dataset_and_so_one_transform(self):
        train, val = random_split(split_snippet.Photos(10, lambda photo: -photo - 1), [7, 3])
        assert train.dataset is val.dataset
        assert [val[i] for i in range(3)] == [-i - 1 for i in val.indices]
        val.dataset.transform = None
        assert [train[i] for i in range(7)] == train.indices

    @pytest.mark.parametrize("val_size", [1, 4])
    def test_two_views_split_by_index_have_a_transform_each(self, val_size):
        views = split_snippet.Photos(10, lambda photo: -photo - 1), split_snippet.Photos(10)
        train, val = split_snippet.split(*views, val_size, seeded())
        assert len(val) == val_size and sorted([*train.indices, *val.indices]) == list(range(10))
        assert list(map(train.__getitem__, range(len(train)))) == [-i - 1 for i in train.indices]
        assert list(map(val.__getitem__, range(val_size))) == val.indices
        again = split_snippet.split(*views, val_size, seeded())
        other = split_snippet.split(*views, val_size, seeded(4))
        assert again[0].indices == train.indices != other[0].indices
        assert train.indices != sorted(train.indices)

    def test_a_forked_worker_moves_the_position_of_an_inherited_file(self, tmp_path):
        path = tmp_path / "bytes"
        path.write_bytes(bytes([7, 8, 9, 10]))
        dataset = OneFile(path)
        assert dataset.file.tell() == 0
        loader = DataLoader(dataset, 4, num_workers=1, multiprocessing_context="fork")
        assert next(iter(loader)).tolist() == [7, 8, 9, 10]
        assert dataset.file.tell() == 4
        dataset.file.close()

    @pytest.mark.parametrize("touched", [True, False])
    def test_one_file_per_process_is_read_right_by_forked_workers_and_after_pickling(self, tmp_path, touched):
        path = tmp_path / "records"
        path.write_bytes(b"".join((3 * i).to_bytes(4, "little") for i in range(500)))
        dataset = one_file_snippet.Records(path)
        assert len(dataset) == 500
        if touched:
            assert dataset[499] == 1497 and dataset[-1] == 1497
            opened = dataset.file
            assert dataset[0] == 0 and dataset.file is opened
            with pytest.raises(IndexError):
                dataset[500]
        loader = DataLoader(dataset, 10, num_workers=2, multiprocessing_context="fork")
        assert torch.cat(list(loader)).tolist() == list(range(0, 1500, 3))
        copied = pickle.loads(pickle.dumps(dataset))  # what a spawned worker gets
        assert copied.file is None and copied[7] == 21
        for each in (dataset, copied):
            if each.file:
                each.file.close()

    @pytest.mark.parametrize("touched", [True, False])
    def test_opening_at_the_first_item_shares_the_position_if_the_main_process_has_read_one(self, tmp_path, touched):
        (tmp_path / "bytes").write_bytes(bytes([7, 8, 9, 10]))
        dataset = OneFileOpenedLate(tmp_path / "bytes")
        if touched:
            assert dataset[0] == 7
        loader = DataLoader(dataset, 4, num_workers=1, multiprocessing_context="fork")
        assert next(iter(loader)).tolist() == [7, 8, 9, 10]
        assert (dataset.file is not None) is touched
        if touched:
            assert dataset.file.tell() == 4  # the worker has moved it
            with pytest.raises(TypeError, match="pickle"):
                pickle.dumps(dataset)
            dataset.file.close()

    def test_workers_seed_the_global_generators_and_copy_a_generator_of_the_dataset(self):
        loader = DataLoader(Draws(), 1, num_workers=2, multiprocessing_context="fork")
        epochs = [[[int(value) for value in batch] for batch in loader] for _ in range(2)]
        for first, second in epochs:
            assert first[0] == second[0]
            assert all(a != b for a, b in zip(first[1:], second[1:], strict=True))
        assert epochs[0][0][0] == epochs[1][0][0]

    def test_the_small_dataset_lists_sorted_paths_and_reads_each_item_anew(self, tmp_path):
        for label, value in (("b", 51), ("a", 255), ("b", 102)):
            (tmp_path / label).mkdir(exist_ok=True)
            torch.save(torch.full((1, 2, 2), value, dtype=torch.uint8), tmp_path / label / f"{value}.pt")
        dataset = small_snippet.Images(tmp_path, ["a", "b"])
        assert [path.stem for path in dataset.paths] == ["255", "102", "51"] and dataset.labels == [0, 1, 1]
        assert [round(dataset[i][0].max().item(), 3) for i in range(len(dataset))] == [1.0, 0.4, 0.2]
        torch.save(torch.zeros(1, 2, 2, dtype=torch.uint8), dataset.paths[0])
        assert dataset[0][0].max() == 0

    @pytest.mark.parametrize("start_method", ["fork", "spawn"])
    def test_only_spawned_workers_need_a_pickle_of_the_dataset(self, start_method, tmp_path):
        (tmp_path / "file").write_bytes(b"abcd")
        dataset = OneFile(tmp_path / "file")
        loader = DataLoader(dataset, num_workers=1, multiprocessing_context=start_method)
        with dataset.file:
            if start_method == "fork":
                assert [batch.item() for batch in loader] == list(b"abcd")
            else:
                with warnings.catch_warnings(), pytest.raises(TypeError, match="cannot pickle"):
                    warnings.simplefilter("ignore")  # the loader warns, too
                    iter(loader)

    @pytest.mark.parametrize("item", [None, object(), {1, 2}, Path("a"), Point(1)])
    def test_what_default_collate_does_not_know_raises(self, item):
        with pytest.raises(TypeError, match="batch must contain"):
            next(iter(DataLoader([item])))

    @pytest.mark.parametrize(("seed", "repeats"), [(int, True), (lambda worker: torch.initial_seed(), False)])
    def test_a_generator_seeded_with_the_worker_id_repeats_itself_in_every_epoch(self, seed, repeats):
        def start(worker):
            torch.utils.data.get_worker_info().dataset.own = np.random.default_rng(seed(worker))

        class Own(Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, index):
                return int(self.own.integers(2**40))

        loader = DataLoader(Own(), worker_init_fn=start, **WORKERS)
        first, second = ([batch.item() for batch in loader] for _ in range(2))
        assert len(set(first)) == 4 and (first == second) is repeats

    @pytest.mark.parametrize("loss", [F.huber_loss, F.binary_cross_entropy])
    def test_some_losses_refuse_a_float64_target(self, loss):
        prediction = torch.rand(4, requires_grad=True)
        with pytest.raises(RuntimeError, match="Found dtype Double"):
            loss(prediction, torch.ones(4, dtype=torch.float64)).backward()

    def test_huber_loss_raises_in_backward_and_not_before(self):
        target = torch.ones(4, dtype=torch.float64)
        assert F.huber_loss(torch.rand(4, requires_grad=True), target).isfinite()
        with pytest.raises(RuntimeError, match="Found dtype Double"):
            F.binary_cross_entropy(torch.rand(4), target)

    @pytest.mark.parametrize(("batch_size", "raises"), [(1, False), (2, True)])
    def test_two_sizes_in_one_batch_raise_and_in_two_batches_do_not(self, batch_size, raises):
        loader = DataLoader([torch.ones(1, 2, 2), torch.ones(1, 3, 3)], batch_size)
        if raises:
            with pytest.raises(RuntimeError, match="equal size"):
                list(loader)
        else:
            assert [batch.shape[-1] for batch in loader] == [2, 3]

    def test_images_of_different_sizes_do_not_stack(self):
        with pytest.raises(RuntimeError, match="stack expects each tensor to be equal size"):
            next(iter(DataLoader([torch.zeros(1, 4, 4), torch.zeros(1, 4, 5)], 2)))

    def test_bce_raises_on_a_target_of_shape_1_and_mse_only_warns(self):
        with pytest.raises(ValueError, match="must be the same"):
            F.binary_cross_entropy_with_logits(torch.zeros(4), torch.ones(4, 1))

    @pytest.mark.parametrize("shift", [0, 1])
    def test_bytes_from_a_wrong_place_raise_only_in_a_format_that_checks_them(self, shift):
        record = pickle.dumps({"label": 3})
        data = (record + record)[shift : shift + len(record)]
        assert len(torch.frombuffer(bytearray(data), dtype=torch.uint8)) == len(record)
        with pytest.raises(pickle.UnpicklingError) if shift else contextlib.nullcontext():
            assert pickle.loads(data) == {"label": 3}

    @pytest.mark.parametrize(("folders", "raises"), [(["cat", "dog"], False), (["bird", "cat", "dog", "eel"], True)])
    def test_class_numbers_of_another_split_raise_only_out_of_range(self, folders, raises):
        logits = torch.eye(3)[[1, 2]]  # a model of bird, cat and dog
        labels = torch.arange(len(folders))[-2:]
        with pytest.raises(IndexError) if raises else contextlib.nullcontext():
            F.cross_entropy(logits, labels)

    def test_an_open_file_cannot_be_pickled(self, tmp_path):
        (tmp_path / "bytes").write_bytes(b"")
        dataset = OneFile(tmp_path / "bytes")
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(dataset)
        dataset.file.close()


WORKERS = {"num_workers": 2, "multiprocessing_context": "fork"}


class Meeting(Dataset):
    """Item 0 waits for an event; another item sets it. Item i is i, or -1 if the wait was in vain."""

    def __init__(self, setter: int, waiter: int | None = 0):
        self.event = multiprocessing.get_context("fork").Event()
        self.setter, self.waiter = setter, waiter

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if index == self.setter:
            self.event.set()
        return index if index != self.waiter or self.event.wait(timeout=10) else -1


class Strength(Dataset):
    """Each item is the strength that the main process has set; counts its reads."""

    def __init__(self, kind: str):
        self.strength, self.reads = (0, 0) if kind == "int" else (torch.zeros(1), torch.zeros(1))
        if kind == "shared tensor":
            self.strength.share_memory_(), self.reads.share_memory_()

    def set(self, value: int):
        self.strength = value if isinstance(self.strength, int) else self.strength.fill_(value)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        self.reads += 1
        return int(self.strength)


class Writes(Dataset):
    """Marks each item that is read in a tensor, an array and a list of its own."""

    def __init__(self):
        self.tensor, self.array, self.items = torch.zeros(4), np.zeros(4), [0.0] * 4

    def __len__(self):
        return 4

    def __getitem__(self, index):
        self.tensor[index] = self.array[index] = self.items[index] = 1.0
        return index


class Custom:
    def __init__(self, items):
        self.items = torch.stack(items)


@pytest.mark.multiprocess
class TestDataloaderArguments:
    @pytest.mark.parametrize("workers", [0, 1, 2])
    def test_whole_batches_go_to_the_workers_in_turn(self, workers):
        for batch_size in (2, 4):
            loader = DataLoader(who_snippet.WhoReads(), batch_size=batch_size, num_workers=workers)
            for number, names in enumerate(loader):
                assert set(names) == {f"w{number % workers}" if workers else "main"}

    @pytest.mark.parametrize(("length", "prefetch_factor"), [(4, 1), (7, 2), (7, 3)])
    def test_batches_are_dealt_in_turn_and_read_ahead(self, length, prefetch_factor):
        batches = ahead_snippet.Batches(length)
        dataset = [0] * 16
        loader = DataLoader(dataset, batch_sampler=batches, prefetch_factor=prefetch_factor, **WORKERS)
        readers = DataLoader(arguments_snippet.WhoReads(), 2, prefetch_factor=prefetch_factor, **WORKERS)
        assert [list(names) for names, _ in readers] == [["w0"] * 2, ["w1"] * 2, ["w0"] * 2, ["w1"] * 2, ["w0"]]
        for number, _ in enumerate(loader):
            assert batches.handed_out == min(2 * prefetch_factor + number + 1, length)
        assert number == length - 1

    def test_without_workers_the_main_process_reads_one_batch_at_a_time(self):
        batches = ahead_snippet.Batches(3)
        for number, (names, processes) in enumerate(DataLoader(arguments_snippet.WhoReads(), batch_sampler=batches)):
            assert list(names) == ["main"] * 2 and set(processes.tolist()) == {multiprocessing.current_process().pid}
            assert batches.handed_out == number + 1

    def test_every_batch_has_two_indices_of_its_own(self):
        assert list(ahead_snippet.Batches(3)) == [[0, 1], [2, 3], [4, 5]]

    @pytest.mark.parametrize("kind", ["int", "tensor", "shared tensor"])
    @pytest.mark.parametrize("method", ["fork", "spawn"])
    def test_persistent_workers_see_a_change_of_a_shared_tensor_only(self, method, kind):
        dataset = Strength(kind)
        loader = DataLoader(dataset, 2, num_workers=1, multiprocessing_context=method, persistent_workers=True)
        seen = []
        for strength in (1, 2):
            dataset.set(strength)
            seen.append({item for batch in loader for item in batch.tolist()})
        shared = kind == "shared tensor" or (kind == "tensor" and method == "spawn")
        assert seen == ([{1}, {2}] if shared else [{1}, {1}])
        assert (int(dataset.reads) == 8) is shared

    def test_spawned_workers_share_a_tensor_and_copy_an_array_and_a_list(self):
        dataset = Writes()
        list(DataLoader(dataset, 2, num_workers=1, multiprocessing_context="spawn"))
        assert dataset.tensor.tolist() == [1.0] * 4
        assert dataset.array.tolist() == dataset.items == [0.0] * 4

    @pytest.mark.parametrize("workers", [1, 2])
    def test_every_worker_of_a_stream_gives_every_sample(self, workers):
        loader = DataLoader(Stream(), 2, num_workers=workers, multiprocessing_context="fork")
        assert torch.cat(list(loader)).bincount().tolist() == [workers] * 6

    @pytest.mark.parametrize(
        ("samples", "workers", "kept"), [(6, 0, 4), (6, 2, 0), (10, 0, 8), (13, 2, 8), (16, 2, 16)]
    )
    def test_drop_last_drops_the_short_batch_of_each_worker_of_a_stream(self, samples, workers, kept):
        class Split(IterableDataset):
            def __iter__(self):
                info = torch.utils.data.get_worker_info()
                return iter(range(info.id, samples, info.num_workers) if info else range(samples))

        loader = DataLoader(Split(), 4, drop_last=True, **(WORKERS if workers else {}))
        assert sum(len(batch) for batch in loader) == kept

    @pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux")
    @pytest.mark.parametrize(("dtype", "grows"), [(list, True), (object, True), (str, False), (bytes, False)])
    def test_reading_python_objects_copies_their_pages_into_a_forked_worker(self, dtype, grows):
        names = [f"some/long/path/number/{i:07d}.png" for i in range(100_000)]  # about 9 MB
        kept = names if dtype is list else np.array(names, dtype=dtype)

        class Names(Dataset):
            def __len__(self):
                return 2

            def __getitem__(self, index):
                for name in kept if index else ():
                    assert len(name) == 33
                rollup = Path("/proc/self/smaps_rollup").read_text()
                return sum(int(number) for number in re.findall(r"Private_\w+: +(\d+)", rollup))

        before, after = (batch.item() for batch in DataLoader(Names(), num_workers=1, multiprocessing_context="fork"))
        assert (after - before > 4000) is grows  # KiB

    def test_an_epoch_without_a_batch_makes_a_division_raise_and_a_tensors_mean_nan(self):
        loader = DataLoader(range(3), batch_size=8, drop_last=True)
        losses = [batch.float().mean() for batch in loader]
        with pytest.raises(ZeroDivisionError):
            sum(losses) / len(loader)
        assert (sum(losses, torch.zeros(())) / len(loader)).isnan()
        assert torch.tensor(losses).mean().isnan()

    @pytest.mark.parametrize(("persistent", "starts"), [(False, 4), (True, 2)])
    def test_worker_init_runs_in_every_epoch_unless_workers_persist(self, persistent, starts):
        started = multiprocessing.get_context("fork").Value("i", 0)

        def count(worker_id):
            with started.get_lock():
                started.value += 1

        loader = DataLoader(range(4), persistent_workers=persistent, worker_init_fn=count, **WORKERS)
        for _ in range(2):
            list(loader)
        assert started.value == starts

    @pytest.mark.parametrize("seconds", [0.002, 0.01])
    def test_the_wait_for_the_next_batch_shows_a_slow_loader_and_a_kept_batch_has_none(self, seconds):
        class Slow(list):
            def __getitem__(self, index):
                time.sleep(seconds)
                return index

        loader = DataLoader(Slow(range(8)), 2)
        waited, batches = 0.0, iter(loader)
        for _ in range(len(loader)):
            start = time.perf_counter()
            kept = next(batches)
            waited += time.perf_counter() - start
        start = time.perf_counter()
        assert sum(int(kept.sum()) for _ in range(4)) == 4 * 13
        assert waited >= 8 * seconds and time.perf_counter() - start < waited

    def test_a_worker_reads_while_another_one_is_still_reading(self):
        assert [batch.item() for batch in DataLoader(Meeting(setter=1), **WORKERS)] == [0, 1, 2, 3, 4, 5]
        loader = DataLoader(Meeting(setter=1), num_workers=1, multiprocessing_context="fork")
        loader.dataset.event.wait = lambda timeout: False  # do not wait for what cannot come
        assert next(iter(loader)).item() == -1

    def test_workers_read_while_the_main_process_does_not_ask(self):
        dataset = Meeting(setter=3, waiter=None)
        iterator = iter(DataLoader(dataset, **WORKERS))
        assert next(iterator).item() == 0
        assert dataset.event.wait(timeout=10)

    def test_a_slow_batch_holds_back_finished_ones_unless_order_is_given_up(self):
        dataset = Meeting(setter=-1)
        iterator = iter(DataLoader(dataset, in_order=False, **WORKERS))
        first = next(iterator).item()  # item 0 is still waiting
        dataset.event.set()
        assert first != 0 and sorted([first, *(batch.item() for batch in iterator)]) == [0, 1, 2, 3, 4, 5]
        assert next(iter(DataLoader(Meeting(setter=3), **WORKERS))).item() == 0

    def test_persistent_workers_and_prefetching_need_workers(self):
        for options in ({"persistent_workers": True}, {"prefetch_factor": 2}):
            with pytest.raises(ValueError, match="num_workers > 0"):
                DataLoader(range(3), **options)
        defaults = DataLoader(range(3))
        assert defaults.num_workers == 0 and not defaults.persistent_workers
        assert not defaults.pin_memory and not defaults.drop_last and defaults.prefetch_factor is None
        assert DataLoader(range(3), num_workers=1).prefetch_factor == 2

    def test_only_persistent_workers_see_a_stale_dataset_and_no_worker_reports_back(self):
        assert stale_snippet.run() == ([[1], [2], [3]], 12)
        assert stale_snippet.run(**WORKERS) == ([[1], [2], [3]], 0)
        assert stale_snippet.run(persistent_workers=True, **WORKERS) == ([[1], [1], [1]], 0)

    @pytest.mark.parametrize(("shuffle", "persistent"), [(False, False), (False, True), (True, True)])
    def test_a_cache_dies_with_its_worker_and_each_persistent_worker_fills_its_own(self, shuffle, persistent):
        class Cached(Dataset):
            def __init__(self):
                self.cache = {}

            def __len__(self):
                return 8

            def __getitem__(self, index):
                hit = index in self.cache
                self.cache[index] = index
                return int(hit), len(self.cache)

        dataset = Cached()
        loader = DataLoader(dataset, 2, shuffle=shuffle, generator=seeded(), persistent_workers=persistent, **WORKERS)
        epochs = [[torch.stack(batch) for batch in loader] for _ in range(6)]
        hits = [int(sum(batch[0].sum() for batch in epoch)) for epoch in epochs]
        assert hits[0] == 0 and dataset.cache == {}
        if not persistent:
            assert hits == [0] * 6
        elif not shuffle:
            assert hits == [0] + [8] * 5
        else:
            held = max(int(batch[1].max()) for batch in epochs[-1])
            assert 0 < hits[1] < 8 and held > 6

    @pytest.mark.parametrize("samples", [0, 5, 7])
    def test_fewer_samples_than_a_batch_and_drop_last_is_an_epoch_without_a_step(self, samples):
        loader = DataLoader(list(range(samples)), batch_size=8, drop_last=True)
        assert len(loader) == 0
        losses = [batch.sum() for batch in loader]
        assert torch.tensor(losses).mean().isnan()

    def test_drop_last_drops_other_samples_in_each_shuffled_epoch(self):
        loader = DataLoader(range(10), batch_size=4, shuffle=True, drop_last=True, generator=seeded())
        seen = [frozenset(torch.cat(list(loader)).tolist()) for _ in range(4)]
        assert all(len(epoch) == 8 for epoch in seen) and len(set(seen)) > 1

    def test_without_an_accelerator_pin_memory_is_a_warning_and_nothing_else(self, monkeypatch):
        monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
        loader = DataLoader([torch.ones(2)], pin_memory=True)
        with pytest.warns(UserWarning, match="no accelerator is found"):
            (batch,) = loader
        assert not batch.is_pinned()

    def test_pinning_looks_into_containers_and_passes_other_types_on(self, monkeypatch):
        from torch.utils.data._utils.pin_memory import pin_memory

        monkeypatch.setattr(torch.Tensor, "pin_memory", lambda self, *device: self + 1)
        pinned = pin_memory({"x": torch.zeros(1), "y": [torch.zeros(1), (torch.zeros(1), "text")]})
        assert pinned["x"] == 1 and pinned["y"][0] == 1 and pinned["y"][1][0] == 1 and pinned["y"][1][1] == "text"
        batch = Custom([torch.zeros(1)])
        assert pin_memory(batch) is batch and batch.items == 0

    def test_pinning_looks_into_mappings_and_sequences_of_other_classes_too(self, monkeypatch):
        from torch.utils.data._utils.pin_memory import pin_memory

        monkeypatch.setattr(torch.Tensor, "pin_memory", lambda self, *device: self + 1)
        assert pin_memory(UserDict(x=torch.zeros(1)))["x"] == 1
        assert pin_memory(UserList([torch.zeros(1)]))[0] == 1

    @pytest.mark.parametrize(("lengths", "cheaper"), [([8, 8, 8], False), ([2, 8, 14], True)])
    def test_a_kept_batch_says_something_about_the_loader_if_all_batches_have_one_shape(self, lengths, cheaper):
        def work(lengths):
            with FlopCounterMode(display=False) as counter:
                for length in lengths:
                    F.linear(torch.ones(length, 4), torch.ones(4, 4))
            return counter.get_total_flops()

        assert (work(lengths[:1] * 3) < work(lengths)) is cheaper

    def test_the_check_of_the_number_of_workers_looks_at_one_loader(self):
        (warning,) = cores_snippet.warnings_for(1, 4096)
        cores = int(re.search(r"max number of worker in current system is (\d+)", warning)[1])
        assert cores_snippet.warnings_for(1, cores) == cores_snippet.warnings_for(5, cores) == []
        assert len(cores_snippet.warnings_for(3, cores + 1)) == 3
        assert str(cores) in cores_snippet.warnings_for(1, cores + 1)[0]


class TestDataLeakage:
    def coin_flips(self, n=60, features=2000):
        return torch.randn(n, features), torch.randint(2, (n,))

    def test_the_classifier_itself_is_honest(self):
        accuracies = []
        for _ in range(30):
            x, y = self.coin_flips(features=20)
            train, test = torch.randperm(60).split([40, 20])
            accuracies.append(data_leakage.fit_and_score(x, y, train, test))
        assert abs(sum(accuracies) / 30 - 0.5) < 0.08

    def test_it_learns_what_can_be_learned(self):
        x, y = self.coin_flips(features=5)
        x[:, 2] += 10 * y
        train, test = torch.randperm(60).split([40, 20])
        assert data_leakage.fit_and_score(x, y, train, test) == 1.0

    @pytest.mark.parametrize("leak", [True, False])
    def test_choosing_features_on_all_rows_is_what_leaks(self, leak):
        accuracies = []
        for _ in range(20):
            x, y = self.coin_flips()
            train, test = torch.randperm(60).split([40, 20])
            chosen = data_leakage.best_features(x, y, torch.arange(60) if leak else train)
            accuracies.append(data_leakage.fit_and_score(x[:, chosen], y, train, test))
        mean = sum(accuracies) / 20
        assert mean > 0.85 if leak else abs(mean - 0.5) < 0.1

    def test_best_features_finds_the_ones_that_differ(self):
        x, y = self.coin_flips(200, 50)
        x[:, [3, 7]] += 5 * y.unsqueeze(1)
        x[:, 11] -= 5 * y
        assert set(data_leakage.best_features(x, y, torch.arange(200), count=3).tolist()) == {3, 7, 11}

    def test_a_choice_of_rows_ignores_the_other_rows(self):
        x, y = self.coin_flips(100, 30)
        rows = torch.arange(50)
        chosen = data_leakage.best_features(x, y, rows, count=5)
        x[50:] = 100 * torch.randn(50, 30)
        assert torch.equal(data_leakage.best_features(x, y, rows, count=5), chosen)

    def test_shuffled_labels_uncover_a_leak(self):
        accuracies = []
        for _ in range(10):
            x, y = self.coin_flips()
            x[:, 0] += 2 * y
            shuffled = y[torch.randperm(60)]
            train, test = torch.randperm(60).split([40, 20])
            leaky = data_leakage.best_features(x, shuffled, torch.arange(60))
            accuracies.append(data_leakage.fit_and_score(x[:, leaky], shuffled, train, test))
        assert sum(accuracies) / 10 > 0.75

    def test_copies_of_one_thing_on_both_sides_answer_for_each_other(self):
        things = torch.randn(200, 16)
        labels = torch.randint(2, (200,))
        copies, owner = things.repeat_interleave(2, 0), torch.arange(200).repeat_interleave(2)
        first, second = torch.arange(0, 400, 2), torch.arange(1, 400, 2)
        score = data_leakage_groups.nearest_neighbor_accuracy
        assert score(copies, labels[owner], first, second) == 1.0
        apart = score(copies, labels[owner], torch.arange(200), torch.arange(200, 400))
        assert abs(apart - 0.5) < 0.2

    @pytest.mark.parametrize(("back", "ahead"), [(3, 4), (0, 6), (8, 5)])
    def test_a_gap_as_long_as_the_label_is_enough_even_if_inputs_reach_back_across_it(self, back, ahead):
        noise = torch.randn(2000, 80)  # 2000 series that nobody can forecast

        def label(sample):
            return noise[:, sample + 1 : sample + ahead + 1].sum(1) > 0

        last_train = 40
        for gap, leaks in ((0, True), (ahead, False), (back + ahead, False)):
            first_test = last_train + 1 + gap
            score = (label(first_test) == label(last_train)).float().mean()  # forecast the last label seen
            assert (score > 0.6) == leaks and (leaks or abs(score - 0.5) < 0.05)
        assert (
            back == 0 or last_train + 1 + ahead - back <= last_train + ahead
        )  # test inputs hold hours of train labels

    @pytest.mark.parametrize(("known", "honest"), [(True, True), (False, False)])
    def test_a_random_split_of_photos_is_honest_if_the_model_meets_the_same_patients(self, known, honest):
        def photos(patients, labels, count):
            x = patients.repeat_interleave(count, 0)
            return x + 0.1 * torch.randn_like(x), labels.repeat_interleave(count)

        def study():
            return torch.randn(200, 8), torch.randint(2, (200,))

        here = study()
        x, y = photos(*here, 5)
        train, test = torch.randperm(1000).split([800, 200])

        def accuracy(inputs, labels):
            return (y[train][torch.cdist(inputs, x[train]).argmin(1)] == labels).float().mean()

        in_use = accuracy(*photos(*(here if known else study()), 2))
        assert (abs(accuracy(x[test], y[test]) - in_use) < 0.05) == honest

    @pytest.mark.parametrize(("rows", "shift", "small"), [(1000, 0, True), (20, 0, False), (1000, 5, False)])
    def test_the_mean_moves_with_few_rows_or_with_test_rows_from_elsewhere(self, rows, shift, small):
        x = torch.randn(rows, 500)
        train, test = x.split([rows * 4 // 5, rows // 5])
        moved = (torch.cat([train, test + shift]).mean(0) - train.mean(0)).abs().mean()
        assert bool(moved < 0.03) is small

    def test_the_nearest_training_photo_nearly_always_shows_the_same_patient(self):
        patient = torch.arange(1000).repeat_interleave(5)
        photos = torch.randn(1000, 32)[patient] + 0.3 * torch.randn(5000, 32)
        train, test = torch.randperm(5000).split([4000, 1000])
        same = patient[train][torch.cdist(photos[test], photos[train]).argmin(1)] == patient[test]
        assert same.float().mean() > 0.98

    def test_fitting_the_normalization_on_all_rows_changes_little_here(self):
        x, y = self.coin_flips(1000, 20)
        train, test = torch.randperm(1000).split([800, 200])
        scores = [
            data_leakage.fit_and_score((x - x[rows].mean(0)) / x[rows].std(0), y, train, test)
            for rows in (train, torch.arange(1000))
        ]
        assert abs(scores[0] - scores[1]) < 0.03

    @pytest.mark.parametrize(
        ("leak", "by_row", "by_patient"),
        list(zip(data_leakage_shuffled.LEAKS, (True, False, False), (True, True, False), strict=True)),
    )
    def test_shuffling_labels_by_row_finds_selection_only_and_by_patient_finds_shared_patients(
        self, leak, by_row, by_patient
    ):
        true, rows, patients = [], [], []
        for seed in (1, 2, 3, 4):
            study = data_leakage_shuffled.Study(seed)
            y = study.sick[study.patient]
            true.append(study.score(leak, y))
            rows.append(study.score(leak, y[torch.randperm(1500)]))
            patients.append(study.score(leak, study.sick[torch.randperm(300)][study.patient]))
        assert sum(true) / 4 > 0.6
        for found, expected in ((rows, by_row), (patients, by_patient)):
            assert sum(found) / 4 > 0.6 if expected else abs(sum(found) / 4 - 0.5) < 0.1

    def test_the_study_has_five_alike_photos_of_each_patient(self):
        study = data_leakage_shuffled.Study(5)
        assert study.photos.shape == (1500, 32) and study.patient.bincount().tolist() == [5] * 300
        means = study.photos.view(300, 5, 32).mean(dim=1)
        assert torch.equal(torch.cdist(study.photos, means).argmin(dim=1), study.patient)
        assert study.photos.view(300, 5, 32).std(dim=1).mean() == pytest.approx(0.3, abs=0.03)

    @pytest.mark.parametrize("runs", [30, 100])
    def test_the_best_of_many_runs_on_validation_is_partly_luck(self, runs):
        truth = torch.randint(2, (2, 200))
        correct = (torch.randint(2, (runs, 2, 200)) == truth).float().mean(dim=2)
        validation, test = correct[correct[:, 0].argmax()].tolist()
        assert validation > 0.55 and validation > test

    @pytest.mark.parametrize("spread", [0.01, 0.05])
    def test_the_best_validation_score_is_too_high_on_average_and_not_in_every_study(self, spread):
        truth = (0.7 + spread * torch.randn(2000, 100)).clamp(0.01, 0.99)
        score = torch.distributions.Binomial(1000, truth).sample() / 1000
        best = score.argmax(1, keepdim=True)
        excess = score.gather(1, best) - truth.gather(1, best)
        assert excess.mean() > 0.004
        assert ((excess < 0).float().mean() > 0.1) == (spread == 0.05)

    @pytest.mark.parametrize("augment_first", [True, False])
    def test_augmenting_or_oversampling_before_the_split_puts_copies_on_both_sides(self, augment_first):
        images, labels, order = torch.randn(300, 16), torch.randint(2, (300,)), torch.randperm(300)
        original = torch.arange(300).repeat(2)
        copies = torch.cat([images, images.flip(1)]), labels[original]
        both = torch.cat([copies[0], copies[0].flip(1)])  # the model knows flips, too
        if augment_first:
            train, test = torch.randperm(600).split([480, 120])
        else:
            held_out = torch.isin(original, order[:60])
            train, test = (~held_out).nonzero().flatten(), held_out.nonzero().flatten()
        twice = torch.cat([train, train + 600])
        accuracy = data_leakage_groups.nearest_neighbor_accuracy(both, copies[1].repeat(2), twice, test)
        assert accuracy > 0.75 if augment_first else abs(accuracy - 0.5) < 0.2

    def test_folds_made_from_patients_share_none(self):
        from sklearn.model_selection import GroupKFold

        patient = np.repeat(np.arange(12), 5)
        for train, test in GroupKFold(n_splits=4).split(patient, groups=patient):
            assert not set(patient[train]) & set(patient[test]) and len(test) == 15
