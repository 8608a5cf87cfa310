"""What docs/mid/data/dataloader-bottlenecks.md claims, proven beyond the example shown."""

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

from warmup.testing import load_snippet

wait = load_snippet("mid/data/dataloader_bottlenecks_prefetch.py")
kind = load_snippet("mid/data/dataloader_bottlenecks_kind.py")
cache = load_snippet("mid/data/dataloader_bottlenecks_cache.py")
slow = load_snippet("mid/data/dataloader_bottlenecks.py")


class Clock:
    """A clock that only sleeping moves, so that shares are exact."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(wait.time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(wait.time, "sleep", self.sleep)

    def sleep(self, seconds):
        self.now += seconds


class Threads(Dataset):
    def __len__(self):
        return 1

    def __getitem__(self, index):
        return torch.get_num_threads()


class Shards(IterableDataset):
    """Three shards of two samples each."""

    def __init__(self, split):
        self.split = split

    def __iter__(self):
        worker = get_worker_info()
        for shard in range(3)[worker.id :: worker.num_workers] if self.split else range(3):
            yield from (2 * shard, 2 * shard + 1)


class TestDataloaderBottlenecks:
    @pytest.mark.parametrize(("read", "step"), [(0.06, 0.02), (0.01, 0.03), (0.0, 1.0)])
    def test_without_workers_the_loop_waits_for_the_whole_read(self, monkeypatch, read, step):
        clock = Clock(monkeypatch)
        share = wait.wait_share(DataLoader(wait.Slow([5.0] + [read] * 9), None), lambda _: clock.sleep(step), 9)
        assert share == pytest.approx(read / (read + step))

    def test_the_first_batch_and_those_after_the_count_are_not_measured(self, monkeypatch):
        clock = Clock(monkeypatch)
        seen = []
        batches = wait.Slow([7.0, 1.0, 1.0, 7.0])
        share = wait.wait_share(iter(DataLoader(batches, None)), lambda b: (seen.append(b), clock.sleep(3.0)), 2)
        assert share == pytest.approx(0.25) and len(seen) == 2

    @pytest.mark.parametrize(("batches", "count"), [(0, 1), (1, 1), (3, 3)])
    def test_too_few_batches_raise(self, batches, count):
        with pytest.raises(ValueError, match="after the first one"):
            wait.wait_share(range(batches), print, count)
        with pytest.raises(ValueError, match="at least 1"):
            wait.wait_share(range(9), print, 0)

    @pytest.mark.parametrize("dataset", [slow.Slow([5, 6]), wait.Slow([0.0, 0.0])])
    def test_the_slow_datasets_sleep_in_each_read(self, monkeypatch, dataset):
        clock = Clock(monkeypatch)
        monkeypatch.setattr(slow.time, "sleep", clock.sleep)
        dataset[1]
        assert clock.now == (0.06 if isinstance(dataset, slow.Slow) else 0.0)

    @pytest.mark.parametrize("workers", [1, 2])
    def test_workers_hide_reads_that_wait(self, workers):
        import time

        def share(num_workers):
            loader = DataLoader(
                wait.Slow([0.01] * 7),
                None,
                num_workers=num_workers,
                multiprocessing_context="fork",
            )
            return wait.wait_share(loader, lambda _: time.sleep(0.01), 6)

        assert any(share(workers) < 0.35 for _ in range(4)), "half without workers, by calculation"

    def test_a_longer_queue_covers_peaks_only(self):
        import time

        def share(seconds, factor):
            loader = DataLoader(
                wait.Slow(seconds), None, num_workers=1, prefetch_factor=factor, multiprocessing_context="fork"
            )
            return wait.wait_share(loader, lambda _: time.sleep(0.005), 6)

        peak = [0.0] * 6 + [0.04]
        assert any(share(peak, 8) < share(peak, 1) - 0.15 for _ in range(4))
        assert share([0.015] * 7, 8) > 0.3

    def test_cpu_time_does_not_count_waiting(self, monkeypatch):
        assert kind.cpu_share(lambda: kind.time.sleep(0.002), 5) < 0.3
        assert kind.cpu_share(lambda: sum(range(20_000)), 50) > 0.5
        ticks, cpu = iter([0.0, 4.0, 10.0, 14.0]), iter([0.0, 1.0, 0.0, 3.0])
        monkeypatch.setattr(kind.time, "perf_counter", lambda: next(ticks))
        monkeypatch.setattr(kind.time, "thread_time", lambda: next(cpu))
        assert kind.cpu_share(lambda: None, 2) == 0.75, "the largest share"

    @pytest.mark.parametrize("kind_of_cache", ["none", "dict", "shared tensor"])
    def test_without_workers_every_cache_works(self, kind_of_cache):
        dataset = cache.Decoded(kind_of_cache)
        loader = DataLoader(dataset, shuffle=True)
        found = [sorted(float(batch) for batch in loader) for _ in range(3)]
        assert found == [[0.0, 10.0, 20.0, 30.0, 40.0, 50.0]] * 3
        assert dataset.decoded.tolist() == [3 if kind_of_cache == "none" else 1] * 6

    @pytest.mark.parametrize(("kind_of_cache", "decoded"), [("dict", 2), ("shared tensor", 1)])
    def test_a_dict_ends_with_its_worker_and_a_shared_tensor_does_not(self, kind_of_cache, decoded):
        dataset = cache.Decoded(kind_of_cache)
        loader = DataLoader(dataset, num_workers=1, multiprocessing_context="fork")
        for _ in range(2):
            assert [float(batch) for batch in loader] == [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
        assert dataset.decoded.tolist() == [decoded] * 6

    @pytest.mark.parametrize("threads", [1, 2])
    def test_a_worker_computes_with_one_thread_unless_its_init_function_sets_more(self, threads):
        init = None if threads == 1 else lambda worker: torch.set_num_threads(threads)
        loader = DataLoader(Threads(), num_workers=1, multiprocessing_context="fork", worker_init_fn=init)
        assert next(iter(loader)).item() == threads

    @pytest.mark.parametrize("split", [False, True])
    def test_a_stream_that_is_not_split_delivers_each_sample_once_per_worker(self, split):
        loader = DataLoader(Shards(split), None, num_workers=2, multiprocessing_context="fork")
        assert sorted(loader) == sorted([*range(6)] * (1 if split else 2))
