"""Every claim that docs/mid/algorithms/lru-cache.md makes, proven beyond the example shown."""

import gc
import math
import random
import threading
import time
import weakref
from collections import OrderedDict
from functools import lru_cache

import pytest
import torch
from torch.utils.data import DataLoader

from warmup.testing import load_snippet

simple = load_snippet("mid/algorithms/lru_cache.py").LRUCache
linked = load_snippet("mid/algorithms/lru_cache_linked.py").LinkedLRUCache
rates = load_snippet("mid/algorithms/lru_cache_rates.py")
broken = load_snippet("mid/algorithms/lru_cache_broken.py")


class Cached(torch.utils.data.Dataset):
    """Tells whether an index was found in a cache that holds all of them."""

    def __init__(self, length):
        self.length, self.cache = length, simple(length)

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        hit = self.cache.get(index) is not None
        self.cache.put(index, index)
        return int(hit)


class Plain(dict):
    """A cache in a plain dictionary, whose first key is the oldest."""

    def __init__(self, capacity):
        super().__init__()
        self.capacity = capacity

    def get(self, key):
        if key not in self:
            return None
        self[key] = self.pop(key)
        return self[key]

    def put(self, key, value):
        self.pop(key, None)
        self[key] = value
        if len(self) > self.capacity:
            del self[next(iter(self))]


class BruteForce:
    """Pairs in a list, newest last; every operation searches."""

    def __init__(self, capacity):
        self.capacity, self.pairs = capacity, []

    def get(self, key):
        for pair in self.pairs:
            if pair[0] == key:
                self.pairs.remove(pair)
                self.pairs.append(pair)
                return pair[1]
        return None

    def put(self, key, value):
        self.pairs = [pair for pair in self.pairs if pair[0] != key] + [(key, value)]
        self.pairs = self.pairs[-self.capacity :]


def order(cache):
    """The keys, oldest first, and for the linked list that both directions agree."""
    if hasattr(cache, "entries"):
        return list(cache.entries)
    there, node = [], cache.oldest.after
    while node is not cache.newest:
        there.append(node.key)
        node = node.after
    back, node = [], cache.newest.before
    while node is not cache.oldest:
        back.append(node.key)
        node = node.before
    assert there == back[::-1] and set(there) == set(cache.nodes)
    return there


class TestLruCache:
    @pytest.mark.parametrize("cache_class", [simple, linked, Plain])
    @pytest.mark.parametrize(("capacity", "keys"), [(1, 3), (2, 2), (2, 5), (7, 10), (10, 7)])
    def test_random_operations_agree_with_a_list(self, cache_class, capacity, keys):
        draw = random.Random(capacity * 100 + keys)
        cache, oracle = cache_class(capacity), BruteForce(capacity)
        for step in range(400):
            key = draw.randrange(keys)
            if draw.random() < 0.5:
                assert cache.get(key) == oracle.get(key)
            else:
                cache.put(key, step)
                oracle.put(key, step)
            keys_now = list(cache) if cache_class is Plain else order(cache)
            assert keys_now == [pair[0] for pair in oracle.pairs]

    def test_without_the_move_in_get_the_random_operations_disagree(self):
        cache, oracle = broken.NoRefresh(2), BruteForce(2)
        for target in (cache, oracle):
            target.put("a", 1)
            target.put("b", 2)
            target.get("a")
            target.put("c", 3)
        assert "a" not in cache and oracle.get("a") == 1

    @pytest.mark.parametrize("cache_class", [simple, linked])
    def test_a_miss_on_an_empty_cache_and_a_stored_nan(self, cache_class):
        cache = cache_class(1)
        assert cache.get("key") is None
        cache.put("key", math.nan)
        assert math.isnan(cache.get("key"))
        cache.put(math.nan, 1)
        assert cache.get(math.nan) == 1 and cache.get(float("nan")) is None

    def test_the_linked_list_tells_a_stored_none_from_a_miss(self):
        cache = linked(1)
        cache.put("key", None)
        assert cache.get("key", default=0) is None and cache.get("other", default=0) == 0

    @pytest.mark.parametrize("capacity", [0, -1])
    def test_the_linked_list_refuses_a_capacity_below_one(self, capacity):
        with pytest.raises(ValueError, match="capacity"):
            linked(capacity)

    def test_a_key_must_be_hashable(self):
        for call in (lambda: linked(1).get([]), lambda: linked(1).put([], 0)):
            with pytest.raises(TypeError, match="unhashable"):
                call()

    @pytest.mark.parametrize("capacity", [1, 2, 64, 500])
    def test_each_operation_writes_three_links_at_any_size(self, capacity):
        cache = linked(capacity)
        for key in range(capacity):
            cache.put(key, key)
        for use in (lambda: cache.get(0), lambda: cache.put(0, 1), lambda: cache.put(-1, 0)):
            before = cache.links_written
            use()
            assert cache.links_written - before == 3

    @pytest.mark.parametrize(("keys", "capacity"), [(10, 9), (10, 1), (100, 99)])
    def test_epochs_in_one_order_over_more_keys_than_fit_get_no_hit(self, keys, capacity):
        stream = list(range(keys)) * 5
        assert rates.hit_rate(stream, capacity) == 0
        assert rates.hit_rate(stream, keys) == pytest.approx(4 / 5)

    def test_a_fixed_half_gets_half_from_the_second_epoch_on(self):
        kept, hits = set(), []
        for _ in range(3):
            hits.append(0)
            for key in range(1000):
                if key in kept:
                    hits[-1] += 1
                elif len(kept) < 500:
                    kept.add(key)
        assert hits == [0, 500, 500] and rates.hit_rate(list(range(1000)) * 3, 500) == 0

    def test_the_rates_of_the_picture_are_those_of_the_cache(self):
        stream = rates.streams(keys=50, epochs=4)
        for requests in stream.values():
            cache, hits = simple(20), 0
            for key in requests:
                hits += cache.get(key) is not None
                cache.put(key, 0)
            assert rates.hit_rate(requests, 20) == hits / len(requests)

    def test_lru_beats_first_in_first_out_where_few_keys_are_popular(self):
        popular = rates.streams()["few keys are popular"]
        for capacity in (10, 100, 400):
            assert rates.hit_rate(popular, capacity) > rates.hit_rate(popular, capacity, refresh=False) + 0.01

    @pytest.mark.parametrize("cache_class", [simple, linked])
    def test_a_dropped_tensor_is_freed_at_once(self, cache_class):
        gc.freeze()
        gc.disable()
        try:
            cache = cache_class(1)
            cache.put(0, torch.ones(2))
            seen = weakref.ref(cache.get(0))
            cache.put(1, torch.ones(2))
            assert seen() is None
        finally:
            gc.enable()
            gc.unfreeze()

    def test_a_deleted_linked_list_waits_for_the_garbage_collector(self):
        gc.freeze()
        gc.disable()
        try:
            for cache_class, waits in ((simple, False), (linked, True)):
                cache = cache_class(2)
                cache.put(0, torch.ones(2))
                seen = weakref.ref(cache.get(0))
                del cache
                assert (seen() is not None) == waits
                gc.collect()
                assert seen() is None
        finally:
            gc.enable()
            gc.unfreeze()

    @pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
    def test_a_view_holds_its_batch_and_follows_its_writes(self, dtype):
        batch = torch.ones(100, 8, dtype=dtype)
        view, copy = batch[3].detach(), batch[3].detach().clone()
        assert view.untyped_storage().nbytes() == 100 * copy.untyped_storage().nbytes()
        batch.zero_()
        assert view.sum() == 0 and copy.sum() == 8

    def test_functools_asks_for_identity_and_keeps_its_argument(self):
        calls = []

        @lru_cache(maxsize=2)
        def total(x):
            calls.append(1)
            return x.sum().item()

        x = torch.ones(3)
        assert [total(x), total(x), total(torch.ones(3))] == [3, 3, 3] and len(calls) == 2
        x.zero_()
        assert total(x) == 3
        seen = weakref.ref(x)
        del x
        assert seen() is not None

    def test_functools_on_a_method_keeps_self(self):
        class Model:
            @lru_cache(maxsize=1)  # noqa: B019
            def size(self):
                return 1

        model = Model()
        assert model.size() == 1
        seen = weakref.ref(model)
        del model
        gc.collect(0)
        assert seen() is not None

    def test_a_limit_in_bytes_drops_until_the_new_value_fits(self):
        budget, used = 100, 0
        cache = simple(capacity=10**9)
        for step in range(200):
            key, value = step * 7 % 13, torch.zeros(1 + step % 40, dtype=torch.uint8)
            old = cache.entries.pop(key, None)
            used -= 0 if old is None else old.untyped_storage().nbytes()
            while used + value.untyped_storage().nbytes() > budget:
                used -= cache.entries.popitem(last=False)[1].untyped_storage().nbytes()
            cache.put(key, value)
            used += value.untyped_storage().nbytes()
            assert used == sum(each.untyped_storage().nbytes() for each in cache.entries.values()) <= budget

    def test_an_eviction_from_a_plain_dict_is_slower_and_grows_with_the_size(self):
        def seconds(cache_class, capacity):
            cache = cache_class(capacity)
            for key in range(capacity):
                cache.put(key, key)
            start = time.process_time()
            for key in range(capacity, 2 * capacity):
                cache.put(key, key)
            return (time.process_time() - start) / capacity

        plain = [seconds(Plain, capacity) for capacity in (1000, 10_000)]
        assert plain[1] > 2 * plain[0] and plain[1] > 3 * seconds(simple, 10_000)

    @pytest.mark.parametrize("cache_class", [simple, linked])
    def test_get_returns_the_stored_tensor_and_a_clone_protects_it(self, cache_class):
        cache = cache_class(1)
        cache.put("key", torch.ones(2))
        cache.get("key").clone().mul_(5)
        assert cache.get("key").sum() == 2
        cache.get("key").mul_(5)
        assert cache.get("key").sum() == 10

    @pytest.mark.parametrize(
        ("workers", "persistent", "hits"), [(0, False, [0, 8, 8]), (1, False, [0, 0, 0]), (1, True, [0, 8, 8])]
    )
    def test_workers_start_each_epoch_without_hits_unless_they_persist(self, workers, persistent, hits):
        data = Cached(8)
        loader = DataLoader(
            data,
            4,
            num_workers=workers,
            persistent_workers=persistent,
            multiprocessing_context="fork" if workers else None,
        )
        assert [sum(batch.sum().item() for batch in loader) for _ in range(len(hits))] == hits
        assert len(data.cache.entries) == (0 if workers else 8)

    def test_workers_start_each_epoch_with_what_the_cache_of_the_parent_holds(self):
        data = Cached(8)
        for key in range(3):
            data[key]
        loader = DataLoader(data, 4, num_workers=1, multiprocessing_context="fork")
        assert [sum(batch.sum().item() for batch in loader) for _ in range(2)] == [3, 3]

    def test_a_shuffled_key_may_come_to_a_worker_that_has_never_loaded_it(self):
        loader = DataLoader(
            Cached(16),
            2,
            shuffle=True,
            num_workers=2,
            persistent_workers=True,
            multiprocessing_context="fork",
            generator=torch.Generator().manual_seed(0),
        )
        first, second = (sum(batch.sum().item() for batch in loader) for _ in range(2))
        assert first == 0 < second < 16

    def test_an_eviction_between_the_check_and_the_move_raises(self):
        cache = simple(2)

        class Interrupted(OrderedDict):
            def move_to_end(self, key):
                if key == "a":  # what another thread may do at this moment
                    del self["a"]
                super().move_to_end(key)

        cache.put("a", 1)
        cache.put("b", 2)
        cache.entries = Interrupted(cache.entries)
        assert cache.get("b") == 2
        with pytest.raises(KeyError):
            cache.get("a")

    @pytest.mark.parametrize("cache_class", [simple, linked])
    @pytest.mark.parametrize("size", [10, 40])
    def test_equal_hashes_are_compared_with_all_of_them(self, cache_class, size):
        class Key:
            compared = 0

            def __init__(self, name):
                self.name = name

            def __hash__(self):
                return 1

            def __eq__(self, other):
                Key.compared += 1
                return self.name == other.name

        cache = cache_class(size)
        for name in range(size):
            cache.put(Key(name), name)
        Key.compared = 0
        assert cache.get(Key(-1)) is None
        assert Key.compared in (size, 2 * size)  # with one lookup or two

    def test_a_stored_none_looks_like_a_miss(self):
        cache = simple(2)
        cache.put("key", None)
        assert cache.get("key") is None and cache.get("other") is None

    @pytest.mark.parametrize("rows", [4, 100])
    def test_a_row_by_a_list_of_indices_is_a_copy_with_a_graph(self, rows):
        batch = torch.ones(rows, 8, requires_grad=True) * 2
        row = batch[[3]]
        assert row.untyped_storage().nbytes() == 8 * 4 and row.grad_fn is not None
        assert batch[3].untyped_storage().nbytes() == rows * 8 * 4

    @pytest.mark.parametrize("batches", [10, 100])
    def test_rows_of_different_batches_keep_all_of_them(self, batches):
        cache = simple(batches)
        for number in range(batches):
            cache.put(number, torch.ones(16, 8)[7])
        held = {v.untyped_storage().data_ptr(): v.untyped_storage().nbytes() for v in cache.entries.values()}
        assert sum(held.values()) == batches * 16 * 8 * 4

    def test_a_lock_around_both_methods_keeps_threads_apart(self):
        cache, lock, failed = simple(2), threading.Lock(), []

        def work(seed):
            draw = random.Random(seed)
            try:
                for _ in range(500):
                    with lock:
                        cache.get(draw.randrange(4))
                    with lock:
                        cache.put(draw.randrange(4), 0)
            except KeyError as error:
                failed.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed and len(cache.entries) == 2
