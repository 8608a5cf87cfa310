"""What docs/junior/data-loading/custom-dataset.md claims, proven beyond the example shown."""

import contextlib
import dataclasses
import operator
import os
import pickle
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset, random_split

from warmup.testing import load_snippet

small_snippet = load_snippet("junior/data-loading/custom_dataset.py")
folder_snippet = load_snippet("junior/data-loading/custom_dataset_folder.py")
classes_snippet = load_snippet("junior/data-loading/custom_dataset_classes_broken.py")
split_snippet = load_snippet("junior/data-loading/custom_dataset_split.py")


def seeded(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


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


class OnePerProcess(Dataset):
    """Item i is a number of four bytes, read from a file that each process opens."""

    def __init__(self, path: Path):
        self.path, self.file, self.process = path, None, None

    def __len__(self):
        return self.path.stat().st_size // 4

    def __getitem__(self, index):
        if self.process != os.getpid():
            self.file, self.process = self.path.open("rb"), os.getpid()
        self.file.seek(4 * index)
        return int.from_bytes(self.file.read(4), "little")

    def __getstate__(self):
        return self.__dict__ | {"file": None, "process": None}


class Stream(IterableDataset):
    def __init__(self, shares: bool):
        self.shares = shares

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        return iter(range(8)[info.id :: info.num_workers] if self.shares else range(8))


WORKERS = {"num_workers": 2, "multiprocessing_context": "fork"}


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

    def test_the_order_is_that_of_linux_on_windows_too(self, root, monkeypatch):
        for name in ("c/B.npy", "c/a.npy"):
            np.save(root / name, np.zeros((2, 2), np.uint8))
        monkeypatch.setattr(type(root), "__lt__", lambda self, other: str(self).lower() < str(other).lower())
        names = [path.name for path in folder_snippet.FolderDataset(root, "abc").paths]
        assert names[-2:] == ["B.npy", "a.npy"]

    def test_folders_are_no_files(self, root):
        (root / "a" / "folder.npy").mkdir()
        assert len(folder_snippet.FolderDataset(root, "abc", pattern="**/*")) == 6
        assert len(folder_snippet.FolderDataset(root, "abc")) == 6

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
        with pytest.raises(ValueError, match=r"^not in classes: \['b', 'c'\]$"):
            folder_snippet.FolderDataset(root, ["a"])
        with pytest.raises(ValueError, match=r"^twice in classes: \['a', 'b', 'c', 'a'\]$"):
            folder_snippet.FolderDataset(root, "abca")
        with pytest.raises(ValueError, match=r"^no file \*/\*\.npy in "):
            folder_snippet.FolderDataset(tmp_path_factory.mktemp("empty"), ["a"])

    def test_files_of_another_kind_and_depth_are_read_by_a_function_of_the_caller_in_workers_too(self, tmp_path):
        for name in ("no/2021/b", "no/2020/a", "yes/c", "yes/2020/d"):
            path = tmp_path / f"{name}.pt"
            path.parent.mkdir(parents=True, exist_ok=True)
            torch.save({"name": name, "x": torch.ones(2, dtype=torch.float64)}, path)
        dataset = folder_snippet.FolderDataset(
            str(tmp_path), ("yes", "no"), operator.itemgetter("name"), torch.load, "**/*.pt"
        )
        assert dataset.labels == [1, 1, 0, 0]
        for each in (dataset, pickle.loads(pickle.dumps(dataset))):  # a spawned worker gets a pickle
            loader = DataLoader(each, 4, num_workers=1, multiprocessing_context="fork")
            assert list(loader)[0][0] == ("no/2020/a", "no/2021/b", "yes/2020/d", "yes/c")

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

    @pytest.mark.parametrize("missing", ["a", "b", "c"])
    def test_numbering_by_folder_moves_every_label_after_a_missing_class(self, missing):
        train = classes_snippet.number("abcda")
        assert list(train.values()) == [0, 1, 2, 3]
        for name, label in classes_snippet.number(set("abcd") - {missing}).items():
            assert label == train[name] - (name > missing) and 0 <= label < 4

    def test_the_class_shown_lists_sorted_paths_and_reads_each_item_anew(self, tmp_path):
        def save(name, red):
            Image.new("RGB", (4, 2), (red, 0, 51)).save(tmp_path / name)

        for name, red in (("b_1.png", 51), ("a_2.png", 255), ("b_0.png", 102)):
            save(name, red)
        dataset = small_snippet.Photos(tmp_path, ["a", "b"])
        assert [path.name for path in dataset.paths] == ["a_2.png", "b_0.png", "b_1.png"] and dataset.labels == [
            0,
            1,
            1,
        ]
        assert len(dataset) == 3 and type(dataset[0][1]) is int
        for index, red in enumerate((1.0, 0.4, 0.2)):
            x = dataset[index][0]
            assert x.dtype == torch.float32 and x.shape == (3, 2, 4)
            assert torch.allclose(x.mean((1, 2)), torch.tensor([red, 0, 0.2]))
        save("a_2.png", 0)
        assert dataset[0][0][0].max() == 0
        assert small_snippet.Photos(tmp_path, "ab", lambda x: x.sum()).transform(torch.ones(2)) == 2
        assert torch.equal(small_snippet.Photos(tmp_path, "ab", torch.neg)[1][0], -dataset[1][0])
        with pytest.raises(ValueError, match="not in list"):
            small_snippet.Photos(tmp_path, ["a"])

    @pytest.mark.parametrize("touched", [True, False])
    def test_a_file_that_each_process_opens_is_read_right_by_forked_workers_and_after_pickling(self, tmp_path, touched):
        path = tmp_path / "records"
        path.write_bytes(b"".join((3 * i).to_bytes(4, "little") for i in range(500)))
        dataset = OnePerProcess(path)
        if touched:
            assert dataset[499] == 1497
        loader = DataLoader(dataset, 10, num_workers=2, multiprocessing_context="fork")
        assert torch.cat(list(loader)).tolist() == list(range(0, 1500, 3))
        copied = pickle.loads(pickle.dumps(dataset))  # what a spawned worker gets
        assert copied.file is None and copied[7] == 21
        for each in (dataset, copied):
            if each.file:
                each.file.close()

    def test_a_file_read_past_its_end_gives_no_bytes_and_no_error(self, tmp_path):
        (tmp_path / "file").write_bytes(b"abcd")
        with (tmp_path / "file").open("rb") as file:
            file.seek(100)
            assert file.read(4) == b""

    def test_a_float_label_makes_the_mse_float64(self):
        (target,) = DataLoader([1.0] * 4, batch_size=4)
        assert F.mse_loss(torch.zeros(4), target).dtype == torch.float64
        for label in (np.float32(1), torch.tensor(1.0)):
            (target,) = DataLoader([label] * 4, batch_size=4)
            assert F.mse_loss(torch.zeros(4), target).dtype == torch.float32

    def test_only_cross_entropy_and_not_the_loader_notices_a_label_out_of_range(self):
        ((_, labels),) = DataLoader([(torch.zeros(3), 0), (torch.zeros(3), 3)], batch_size=2)
        with pytest.raises(IndexError, match="out of bounds"):
            F.cross_entropy(torch.zeros(2, 3), labels)

    @pytest.mark.parametrize("shares", [True, False])
    def test_each_worker_yields_the_whole_stream_unless_it_takes_its_share(self, shares):
        found = torch.cat(list(DataLoader(Stream(shares), 2, **WORKERS))).tolist()
        assert sorted(found) == (list(range(8)) if shares else sorted([*range(8), *range(8)]))

    def test_one_draw_for_a_batch_flips_all_images_or_none(self):
        torch.manual_seed(0)
        batch, flips = torch.arange(12.0).view(4, 1, 1, 3), set()
        for _ in range(20):
            once = batch.flip(-1) if torch.rand(()) < 0.5 else batch
            assert torch.equal(once, batch) or torch.equal(once, batch.flip(-1))
            each = torch.where(torch.rand(4, 1, 1, 1) < 0.5, batch.flip(-1), batch)
            flips.add(int((each != batch).any(-1).sum()))
        assert flips & {1, 2, 3}

    def test_persistent_workers_go_on_drawing_the_same_numbers_as_each_other(self):
        loader = DataLoader(Draws(), 1, persistent_workers=True, **WORKERS)
        (a, b), (c, d) = ([int(batch[0]) for batch in loader] for _ in range(2))
        assert a == b != c == d

    def test_an_unsorted_file_list_passes_every_check_but_the_one_of_its_order(self, root):
        dataset = folder_snippet.FolderDataset(root, "abc")
        dataset.paths.reverse()
        dataset.labels.reverse()
        assert dataset[0][0].dtype == torch.float32 and set(dataset.labels) == {0, 1, 2}
        assert torch.equal(dataset[0][0], dataset[0][0])
        assert dataset.paths != sorted(dataset.paths)
