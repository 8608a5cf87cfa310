"""What docs/junior/data-loading/dataloader-arguments.md claims, proven beyond the example shown."""

import multiprocessing
import re
import time
from collections import UserDict, UserList
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, IterableDataset
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

who_snippet = load_snippet("junior/data-loading/dataloader_arguments_who.py")
arguments_snippet = load_snippet("junior/data-loading/dataloader_arguments.py")
ahead_snippet = load_snippet("junior/data-loading/dataloader_arguments_ahead.py")
stale_snippet = load_snippet("junior/data-loading/dataloader_arguments_broken.py")
cores_snippet = load_snippet("junior/data-loading/dataloader_arguments_cores.py")


def seeded(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(6))


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
            loader = DataLoader(who_snippet.WhoReads(range(9)), batch_size=batch_size, num_workers=workers)
            for number, names in enumerate(loader):
                assert set(names) == {f"w{number % workers}" if workers else "main"}

    @pytest.mark.parametrize(("length", "prefetch_factor"), [(4, 1), (7, 2), (7, 3)])
    def test_batches_are_dealt_in_turn_and_read_ahead(self, length, prefetch_factor):
        batches = ahead_snippet.Batches(length)
        dataset = [0] * 16
        loader = DataLoader(dataset, batch_sampler=batches, prefetch_factor=prefetch_factor, **WORKERS)
        readers = DataLoader(who_snippet.WhoReads(range(9)), 2, prefetch_factor=prefetch_factor, **WORKERS)
        assert [list(names) for names in readers] == [["w0"] * 2, ["w1"] * 2, ["w0"] * 2, ["w1"] * 2, ["w0"]]
        for number, _ in enumerate(loader):
            assert batches.handed_out == min(2 * prefetch_factor + number + 1, length)
        assert number == length - 1

    def test_without_workers_the_main_process_reads_one_batch_at_a_time(self):
        batches = ahead_snippet.Batches(3)
        for number, processes in enumerate(DataLoader(arguments_snippet.WhoReads(range(9)), batch_sampler=batches)):
            assert set(processes.tolist()) == {multiprocessing.current_process().pid}
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

    def test_only_persistent_workers_see_a_stale_dataset(self):
        assert stale_snippet.run() == [{1}, {2}, {3}]
        assert stale_snippet.run(**WORKERS) == [{1}, {2}, {3}]
        assert stale_snippet.run(persistent_workers=True, **WORKERS) == [{1}] * 3

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
