"""Every claim that the pages of docs/mid/data make, proven beyond the example shown."""

import io
import pickle
import subprocess
import sys
from functools import partial

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    WeightedRandomSampler,
    default_collate,
    get_worker_info,
)

from warmup.testing import load_snippet

collate = load_snippet("mid/data/collate_fn_pad.py")
epoch_snippet = load_snippet("mid/data/collate_fn_epoch.py")
buckets = load_snippet("mid/data/collate_fn_buckets.py")
mask_snippet = load_snippet("mid/data/collate_fn_mask.py")

WORDS = [torch.arange(1, n + 1) for n in (3, 1, 5, 2, 2, 7, 4)]


def seeded(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class TestCollateFn:
    @pytest.mark.parametrize("padding_value", [0, -1])
    def test_pad_batch_keeps_every_token_and_marks_the_rest(self, padding_value):
        batch = collate.pad_batch(WORDS, padding_value)
        assert batch.tokens.shape == batch.mask.shape == (7, 7)
        assert batch.mask.dtype == torch.bool
        assert batch.tokens.dtype == batch.lengths.dtype == torch.int64
        for row, mask, length, word in zip(*batch, WORDS, strict=True):
            assert length == len(word) == mask.sum()
            assert torch.equal(row[mask], word) and torch.equal(row[: len(word)], word)
            assert (row[~mask] == padding_value).all()

    def test_pad_batch_takes_empty_and_float_samples_but_not_none_at_all(self):
        batch = collate.pad_batch([torch.zeros(0), torch.tensor([0.5])])
        assert batch.tokens.tolist() == [[0.0], [0.5]]
        assert batch.mask.tolist() == [[False], [True]]
        with pytest.raises(RuntimeError):
            collate.pad_batch([])

    @pytest.mark.parametrize("shuffle", [True, False])
    @pytest.mark.parametrize("drop_last", [True, False])
    @pytest.mark.parametrize("batch_size", [1, 3, 10])
    def test_load_is_a_data_loader_without_workers(self, shuffle, drop_last, batch_size):
        generator = seeded()
        loader = DataLoader(
            WORDS, batch_size, shuffle, drop_last=drop_last, generator=generator, collate_fn=collate.pad_batch
        )
        expected = [batch.tokens.tolist() for _ in range(3) for batch in loader]
        again = seeded()
        found = [
            batch.tokens.tolist()
            for _ in range(3)
            for batch in epoch_snippet.load(WORDS, batch_size, shuffle, drop_last, again, collate.pad_batch)
        ]
        assert found == expected
        assert torch.equal(again.get_state(), generator.get_state())

    def test_each_batch_is_as_wide_as_its_own_longest_sentence(self):
        for batch in DataLoader(WORDS, 2, collate_fn=collate.pad_batch):
            assert batch.tokens.shape[1] == batch.lengths.max()

    def test_a_generator_isolates_the_order_from_the_global_one_and_goes_on_in_the_next_epoch(self):
        def epochs(generator):
            loader = DataLoader(range(50), 50, shuffle=True, generator=generator)
            orders = []
            for _ in range(2):
                torch.rand(len(orders) + 1)
                orders.append(next(iter(loader)).tolist())
            return orders

        torch.manual_seed(1)
        first = epochs(seeded())
        torch.manual_seed(2)
        assert epochs(seeded()) == first
        assert first[0] != first[1]
        torch.manual_seed(1)
        unseeded = epochs(None)
        torch.manual_seed(2)
        assert epochs(None) != unseeded

    @pytest.mark.parametrize("seed", [1, 2])
    def test_the_generator_of_the_loader_does_not_reach_a_sampler_of_its_own(self, seed):
        def order(seed, **options):
            torch.manual_seed(seed)
            return [int(i) for i in DataLoader(range(50), None, generator=seeded(), **options)]

        assert order(seed, shuffle=True) == order(seed + 10, shuffle=True)
        for build in (RandomSampler, lambda data, **options: WeightedRandomSampler([1.0] * 50, 50, **options)):
            ignored, passed = build(range(50)), build(range(50), generator=seeded())
            state = passed.generator.get_state()
            assert order(seed, sampler=ignored) != order(seed + 10, sampler=ignored)
            first = order(seed, sampler=passed)
            passed.generator.set_state(state)
            assert order(seed + 10, sampler=passed) == first

    @pytest.mark.parametrize("persistent", [False, True])
    def test_persistent_workers_draw_one_number_less_in_each_later_epoch(self, persistent):
        generator = seeded()
        options = {"num_workers": 1, "multiprocessing_context": "fork", "persistent_workers": persistent}
        loader = DataLoader(range(20), 20, shuffle=True, generator=generator, **options)
        orders = [batch.tolist() for _ in range(3) for batch in loader]
        again = seeded()
        expected = []
        for epoch in range(3):
            if epoch == 0 or not persistent:
                torch.empty((), dtype=torch.int64).random_(generator=again)
            expected.append(list(RandomSampler(range(20), generator=again)))
        assert orders == expected

    def test_drop_last_with_shuffle_drops_other_samples_in_each_epoch(self):
        loader = DataLoader(range(7), 3, shuffle=True, drop_last=True, generator=seeded())
        dropped = [set(range(7)) - {int(i) for batch in loader for i in batch} for _ in range(6)]
        assert all(len(d) == 1 for d in dropped)
        assert len({d.pop() for d in dropped}) > 1

    def test_dataset_and_collate_run_in_the_worker_and_the_sampler_does_not(self):
        class Where(Dataset):
            def __getitem__(self, index):
                return torch.utils.data.get_worker_info() is not None

            def __len__(self):
                return 2

        class Recording(SequentialSampler):
            seen = None

            def __iter__(self):
                Recording.seen = torch.utils.data.get_worker_info()
                return super().__iter__()

        def collate_here(samples):
            return [*samples, torch.utils.data.get_worker_info() is not None]

        Recording.seen = "not called"
        loader = DataLoader(
            Where(),
            2,
            sampler=Recording(Where()),
            collate_fn=collate_here,
            num_workers=1,
            multiprocessing_context="fork",
        )
        assert list(loader) == [[True, True, True]]
        assert Recording.seen is None

    def test_default_collate_stacks_tensors_and_needs_equal_shapes(self):
        assert torch.equal(default_collate(WORDS[3:5]), torch.stack(WORDS[3:5]))
        with pytest.raises(RuntimeError, match=r"stack expects each tensor to be equal size, but got \[3\] .* \[1\]"):
            default_collate(WORDS[:2])
        with pytest.raises(RuntimeError, match="each element in list of batch should be of equal size"):
            default_collate([[1], [2, 3]])

    def test_default_collate_transposes_lists_and_tuples(self):
        found = default_collate([[1, 2, 3], [4, 5, 6]])
        assert [t.tolist() for t in found] == [[1, 4], [2, 5], [3, 6]]
        images, labels = default_collate([(torch.zeros(2, 2), 1), (torch.ones(2, 2), 0)])
        assert images.shape == (2, 2, 2) and labels.tolist() == [1, 0]

    def test_default_collate_keeps_strings_and_the_keys_of_the_first_sample_only(self):
        assert default_collate(["a", "bc"]) == ["a", "bc"]
        assert default_collate([{"x": 1}, {"x": 2, "y": 3}])["x"].tolist() == [1, 2]
        assert set(default_collate([{"x": 1}, {"x": 2, "y": 3}])) == {"x"}
        with pytest.raises(KeyError):
            default_collate([{"x": 1, "y": 3}, {"x": 2}])

    @pytest.mark.parametrize("neighbor", [2, 3, 9])
    def test_the_plain_mean_shrinks_with_the_neighbor_and_the_masked_mean_does_not(self, neighbor):
        embedding = nn.Embedding(10, 3, padding_idx=0)
        sentence = torch.tensor([4, 7])
        batch = collate.pad_batch([sentence, torch.ones(neighbor, dtype=torch.int64)])
        vectors = embedding(batch.tokens)
        alone = embedding(sentence).mean(dim=0)
        torch.testing.assert_close(vectors.mean(dim=1)[0], alone * 2 / neighbor)
        torch.testing.assert_close(mask_snippet.masked_mean(vectors, batch.mask)[0], alone)

    def test_masked_mean_ignores_whatever_stands_at_a_padded_place(self):
        batch = collate.pad_batch(WORDS)
        vectors = torch.randn(7, 7, 2)
        expected = torch.stack([v[: len(w)].mean(dim=0) for v, w in zip(vectors, WORDS, strict=True)])
        vectors[~batch.mask] = torch.nan
        torch.testing.assert_close(mask_snippet.masked_mean(vectors, batch.mask), expected)

    def test_a_lambda_cannot_be_pickled_and_a_partial_of_a_top_level_function_can(self):
        with pytest.raises((pickle.PicklingError, AttributeError)):
            pickle.dump(lambda samples: samples, io.BytesIO())
        restored = pickle.loads(pickle.dumps(partial(pad_sequence, batch_first=True)))
        assert restored(WORDS[:2]).shape == (2, 3)
        assert pickle.loads(pickle.dumps(collate.pad_batch)) is collate.pad_batch

    def test_sdpa_takes_the_mask_and_multihead_attention_takes_its_opposite(self):
        batch = collate.pad_batch(WORDS[:2])
        x = torch.randn(2, 3, 4)
        changed = x.masked_fill(~batch.mask.unsqueeze(-1), 100.0)
        attention = nn.MultiheadAttention(4, 1, batch_first=True)

        def sdpa(keys):
            return F.scaled_dot_product_attention(
                x[:, None], keys[:, None], keys[:, None], attn_mask=batch.mask[:, None, None, :]
            )

        def multihead(keys, ignore):
            return attention(x, keys, keys, key_padding_mask=ignore, need_weights=False)[0]

        torch.testing.assert_close(sdpa(x), sdpa(changed))
        torch.testing.assert_close(multihead(x, ~batch.mask), multihead(changed, ~batch.mask))
        assert not torch.allclose(multihead(x, batch.mask)[1], multihead(changed, batch.mask)[1])

    def test_batch_norm_raises_on_a_last_batch_of_one(self):
        *_, last = DataLoader(torch.randn(7, 4), 3)
        assert len(last) == 1
        with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
            nn.BatchNorm1d(4)(last)
        nn.BatchNorm1d(4).eval()(last)
        nn.BatchNorm1d(4)(nn.Linear(3, 4)(torch.randn(1, 5, 3)).transpose(1, 2))
        with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
            nn.BatchNorm1d(4)(torch.randn(1, 4, 1))

    def test_getitems_is_called_once_per_batch(self):
        class Table(Dataset):
            queries = []

            def __len__(self):
                return 5

            def __getitems__(self, indices):
                self.queries.append(indices)
                return [torch.tensor(i) for i in indices]

        assert [b.tolist() for b in DataLoader(Table(), 2)] == [[0, 1], [2, 3], [4]]
        assert Table.queries == [[0, 1], [2, 3], [4]]

    @pytest.mark.parametrize("batch_size", [2, 3])
    def test_a_subset_hands_the_list_on_and_a_concatenation_does_not(self, batch_size):
        class Table(Dataset):
            def __init__(self):
                self.calls = []

            def __len__(self):
                return 6

            def __getitem__(self, index):
                self.calls.append(index)
                return index

            def __getitems__(self, indices):
                self.calls.append(indices)
                return indices

        subset, whole = Subset(Table(), range(6)), ConcatDataset([Table()])
        assert [b.tolist() for b in DataLoader(subset, batch_size)] == [
            b.tolist() for b in DataLoader(whole, batch_size)
        ]
        assert subset.dataset.calls == list(BatchSampler(range(6), batch_size, False))
        assert whole.datasets[0].calls == list(range(6))

    @pytest.mark.parametrize("batch_size", [2, 3])
    def test_getitem_can_pad_to_one_length_and_getitems_to_the_longest_of_the_batch(self, batch_size):
        class Padded(Dataset):
            def __len__(self):
                return len(WORDS)

            def __getitems__(self, indices):
                return list(pad_sequence([WORDS[i] for i in indices], batch_first=True))

        by_collate = DataLoader(WORDS, batch_size, collate_fn=partial(pad_sequence, batch_first=True))
        for left, right in zip(DataLoader(Padded(), batch_size), by_collate, strict=True):
            assert torch.equal(left, right)

    def test_batch_size_none_hands_the_dataset_a_list_of_indices(self):
        class Table(Dataset):
            def __len__(self):
                return 5

            def __getitem__(self, indices):
                return torch.tensor(indices) * 10

        table = Table()
        loader = DataLoader(table, batch_size=None, sampler=BatchSampler(SequentialSampler(table), 2, False))
        assert [b.tolist() for b in loader] == [[0, 10], [20, 30], [40]]

    @pytest.mark.parametrize("batch_size", [1, 2, 4])
    @pytest.mark.parametrize("shuffle", [False, True])
    def test_a_loader_is_collate_of_the_samples_of_each_list_of_indices(self, batch_size, shuffle):
        loader = DataLoader(WORDS, batch_size, shuffle=shuffle, collate_fn=lambda samples: samples, generator=seeded())
        found = [[len(word) for word in batch] for batch in loader]
        sampler = loader.batch_sampler
        assert sorted(sum(found, [])) == sorted(map(len, WORDS)) and len(found) == len(sampler)
        if not shuffle:
            assert found == [[len(WORDS[index]) for index in indices] for indices in sampler]

    def test_a_stream_has_no_sampler_to_shuffle(self):
        class Stream(IterableDataset):
            def __iter__(self):
                return iter(range(5))

        with pytest.raises(ValueError, match="shuffle"):
            DataLoader(Stream(), shuffle=True)
        assert [batch.tolist() for batch in DataLoader(Stream(), 2)] == [[0, 1], [2, 3], [4]]

    @pytest.mark.parametrize("bucket", [1, 5, 50])
    def test_buckets_hold_every_sample_once_and_pad_less_the_larger_they_are(self, bucket):
        torch.manual_seed(0)
        lengths = torch.randint(1, 60, (1001,)).tolist()
        sampler = buckets.BucketSampler(lengths, 8, bucket)
        batches = list(sampler)
        assert sorted(sum(batches, [])) == list(range(1001)) and len(batches) == len(sampler) == 126
        assert batches != list(sampler)
        smaller = buckets.padding(buckets.BucketSampler(lengths, 8, 1), lengths)
        found = buckets.padding(batches, lengths)
        assert found < 0.5 * smaller if bucket > 1 else found == pytest.approx(smaller, abs=0.05)
        loader = DataLoader([torch.ones(n) for n in lengths], batch_sampler=sampler, collate_fn=collate.pad_batch)
        assert sum(int(batch.mask.sum()) for batch in loader) == sum(lengths)

    @pytest.mark.parametrize("size", [0, 1, 4, 9])
    def test_buckets_have_as_many_batches_as_they_say_also_without_a_sample(self, size):
        sampler = buckets.BucketSampler(list(range(size)), batch_size=4, bucket=2)
        batches = list(sampler)
        assert len(batches) == len(sampler) and all(batches)
        assert sorted(i for batch in batches for i in batch) == list(range(size))

    @pytest.mark.parametrize(("dtype", "finite"), [(torch.float16, False), (torch.float32, True)])
    def test_a_masked_sum_of_float16_can_overflow_where_float32_does_not(self, dtype, finite):
        vectors, mask = torch.full((1, 1000, 1), 100.0, dtype=dtype), torch.ones(1, 1000, dtype=torch.bool)
        assert bool(mask_snippet.masked_mean(vectors, mask).isfinite()) is finite

    @pytest.mark.parametrize("change", ["none", "init", "from_pretrained"])
    def test_padding_idx_makes_the_row_zero_only_when_the_module_creates_it(self, change):
        embedding = nn.Embedding(5, 3, padding_idx=0)
        if change == "init":
            nn.init.normal_(embedding.weight)
        elif change == "from_pretrained":
            embedding = nn.Embedding.from_pretrained(torch.ones(5, 3), padding_idx=0)
        assert (embedding(torch.tensor(0)).count_nonzero() == 0) == (change == "none")

    @pytest.mark.parametrize("item", [None, object(), {1, 2}])
    def test_default_collate_refuses_other_types(self, item):
        with pytest.raises(TypeError, match="batch must contain"):
            default_collate([item, item])

    @pytest.mark.parametrize("method", ["fork", "spawn"])
    def test_a_function_of_an_interactive_session_fails_if_workers_are_spawned(self, method):
        program = f"""
import torch
from torch.utils.data import DataLoader
def top(samples):
    return samples
loader = DataLoader(range(2), 2, collate_fn=top, num_workers=1, multiprocessing_context="{method}")
print("batch", next(iter(loader)))
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        if method == "fork":
            assert "batch [0, 1]" in done.stdout
        else:
            assert done.returncode != 0 and "Can't get attribute 'top'" in done.stderr

    def test_the_share_of_padding_counts_padded_places(self):
        assert buckets.padding([[0, 1], [2]], [2, 6, 3]) == pytest.approx(4 / 15)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_labels_of_minus_100_are_left_out_of_the_mean_and_zeros_are_not(self, seed):
        logits = torch.randn(2, 3, 5, generator=seeded(seed))
        labels = torch.tensor([[1, 2, 3], [4, -100, -100]])
        real = labels != -100
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        torch.testing.assert_close(loss, F.cross_entropy(logits[real], labels[real]))
        zeros = labels.masked_fill(~real, 0)
        assert not torch.allclose(F.cross_entropy(logits.flatten(0, 1), zeros.flatten()), loss)
        assert F.cross_entropy(logits[1, 1:], labels[1, 1:]).isnan()

    @pytest.mark.parametrize("train", [True, False])
    @pytest.mark.parametrize("heads", [1, 2])
    def test_an_inverted_mask_gives_nan_for_the_longest_sentence_with_weights_only(self, train, heads):
        batch = collate.pad_batch(WORDS[:3])
        attention = nn.MultiheadAttention(4, heads, batch_first=True).train(train)
        x = torch.randn(3, 5, 4)
        out = attention(x, x, x, key_padding_mask=batch.mask)[0]
        assert out.isnan().flatten(1).any(dim=1).tolist() == (batch.lengths == 5).tolist()
        out.sum().backward()
        assert attention.in_proj_weight.grad.isnan().any()
        assert not attention(x, x, x, key_padding_mask=batch.mask, need_weights=False)[0].isnan().any()


budget = load_snippet("mid/data/dynamic_padding_budget.py")
packed = load_snippet("mid/data/dynamic_padding_packed.py")


def long_tail(count: int, seed: int) -> torch.Tensor:
    return (30 * torch.randn(count, generator=seeded(seed)).exp()).long().clamp(1, 512)


def widest(lengths: torch.Tensor, bucket: int, seed: int = 0) -> torch.Tensor:
    """Width of each batch of 32, if so many batches are sorted together."""
    shuffled = lengths[torch.randperm(len(lengths), generator=seeded(seed))]
    return shuffled.reshape(-1, 32 * bucket).sort().values.reshape(-1, 32).amax(dim=1)


class TestDynamicPadding:
    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_with_a_long_tail_padding_per_batch_halves_the_work_and_buckets_remove_nearly_all_of_it(self, seed):
        lengths = long_tail(6400, seed)
        real = lengths.sum()
        of_all, of_batch, bucketed = (
            512 * 6400 / real,
            32 * widest(lengths, 1).sum() / real,
            32 * widest(lengths, 50).sum() / real,
        )
        assert 1.7 < of_all / of_batch < 2.3 and of_batch > 5 and bucketed < 1.2
        assert lengths.max() == 512 and 28 <= lengths.median() <= 31
        scores = 32 * widest(lengths, 1).square().sum() / lengths.square().sum()
        assert scores > 2 * of_batch

    @pytest.mark.parametrize("uniform", [True, False])
    def test_the_padding_falls_with_the_bucket_down_to_the_full_sort(self, uniform):
        lengths = torch.randint(1, 513, (6400,), generator=seeded()) if uniform else long_tail(6400, 3)
        places = [int(widest(lengths, bucket).sum()) for bucket in (1, 2, 4, 8, 20, 40, 100, 200)]
        assert places == sorted(places, reverse=True)

    def test_a_full_sort_gives_a_sentence_nearly_the_same_neighbors_in_every_epoch(self):
        lengths = list(range(1, 65))
        epochs = [{frozenset(batch) for batch in buckets.BucketSampler(lengths, 8, bucket=8)} for _ in range(2)]
        assert epochs[0] == epochs[1], "without equal lengths, exactly the same"

    @pytest.mark.parametrize("bucket", [1, 7, 100, 2000])
    @pytest.mark.parametrize("max_tokens", [512, 2048])
    def test_the_budget_sampler_gives_every_sample_once_in_batches_that_fit(self, bucket, max_tokens):
        lengths = long_tail(300, 1).tolist()
        sampler = budget.TokenBudgetSampler(lengths, max_tokens, bucket)
        first, second = list(sampler), list(sampler)
        for batches in (first, second):
            assert sorted(sum(batches, [])) == list(range(300)) and all(batches)
            assert max(len(b) * max(lengths[i] for i in b) for b in batches) <= max_tokens
        assert first != second

    def test_a_full_sort_of_many_equal_lengths_gives_other_neighbors_in_the_next_epoch(self):
        for equal, most in ((1, 1.0), (100, 0.3)):
            lengths = torch.arange(800).div(equal, rounding_mode="floor").tolist()
            first, second = (
                {i: set(batch) - {i} for batch in buckets.BucketSampler(lengths, 8, bucket=100) for i in batch}
                for _ in range(2)
            )
            met_again = sum(len(first[i] & second[i]) for i in range(800)) / (7 * 800)
            assert met_again == 1.0 if equal == 1 else met_again < most

    @pytest.mark.parametrize("convert", [torch.tensor, lambda x: torch.tensor(x, dtype=torch.int16).numpy()])
    def test_the_budget_sampler_takes_lengths_of_small_integers(self, convert):
        lengths = [512] * 100
        batches = list(budget.TokenBudgetSampler(convert(lengths), 32768, 100))
        assert sorted(map(len, batches)) == [36, 64]

    @pytest.mark.parametrize(("dynamic", "compiled"), [(None, 2), (False, 4), ("mark", 1)])
    def test_a_new_width_is_compiled_once_or_each_time(self, dynamic, compiled):
        graphs = []

        def backend(graph, inputs):
            graphs.append(graph)
            return graph.forward

        torch._dynamo.reset()
        function = torch.compile(
            lambda x: x.relu().sum(1), backend=backend, dynamic=None if dynamic == "mark" else dynamic
        )
        for width in (64, 128, 192, 256):
            x = torch.ones(4, width)
            if dynamic == "mark":
                torch._dynamo.mark_dynamic(x, 1)
            function(x)
        assert len(graphs) == compiled

    def test_the_budget_sampler_fills_a_batch_to_the_last_place(self):
        assert len(list(budget.TokenBudgetSampler([4] * 10, 20, 10))) == 2
        assert len(list(budget.TokenBudgetSampler([4] * 10, 19, 10))) == 3

    def test_the_budget_sampler_refuses_what_cannot_fit_and_takes_no_sample_at_all(self):
        with pytest.raises(ValueError, match="longer than 511"):
            budget.TokenBudgetSampler([512], 511, 1)
        with pytest.raises(ValueError, match="at least 1"):
            budget.TokenBudgetSampler([1], 511, 0)
        assert list(budget.TokenBudgetSampler([], 5, 3)) == []
        assert sorted(sum(budget.TokenBudgetSampler([0, 0, 5], 5, 3), [])) == [0, 1, 2]

    def test_a_loader_takes_the_budget_sampler_and_has_no_length(self):
        lengths = long_tail(200, 2).tolist()
        sampler = budget.TokenBudgetSampler(lengths, 1024, 100)
        loader = DataLoader([torch.ones(n) for n in lengths], batch_sampler=sampler, collate_fn=collate.pad_batch)
        tokens = [batch.tokens for batch in loader]
        assert all(t.numel() <= 1024 for t in tokens) and sum(int(t.sum()) for t in tokens) == sum(lengths)
        with pytest.raises(TypeError):
            len(loader)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_with_equal_rows_the_largest_batch_is_far_above_the_mean_and_with_a_budget_close_to_it(self, seed):
        lengths = long_tail(6400, seed)
        fixed = widest(lengths, 50).float()
        assert fixed.max() > 8 * fixed.mean()
        torch.manual_seed(seed)
        batches = list(budget.TokenBudgetSampler(lengths.tolist(), 2048, 1600))
        places = [len(b) * int(lengths[b].max()) for b in batches]
        assert max(places) < 1.1 * sum(places) / len(places) and len(batches) < 200

    def test_a_mean_of_batch_means_depends_on_the_order_and_the_mean_over_tokens_does_not(self):
        torch.manual_seed(0)
        lengths = [1, 1, 2, 9, 12, 40]
        logits, labels = torch.randn(6, 40, 5), torch.full((6, 40), -100)
        for row, length in enumerate(lengths):
            labels[row, :length] = row % 5
        found = {}
        for name, order in (("by length", [[0, 1], [2, 3], [4, 5]]), ("mixed", [[0, 5], [1, 4], [2, 3]])):
            means = [F.cross_entropy(logits[b].flatten(0, 1), labels[b].flatten()) for b in order]
            sums = [F.cross_entropy(logits[b].flatten(0, 1), labels[b].flatten(), reduction="sum") for b in order]
            found[name] = sum(means) / 3, sum(sums) / sum(lengths)
        assert (found["by length"][0] - found["mixed"][0]).abs() > 0.01
        torch.testing.assert_close(found["by length"][1], found["mixed"][1])

    @pytest.mark.parametrize("seed", [0, 1])
    def test_if_the_class_depends_on_the_length_most_bucketed_batches_hold_one_class(self, seed):
        lengths = long_tail(6400, seed)
        one_class = {}
        for bucket in (1, 50):
            shuffled = lengths[torch.randperm(6400, generator=seeded(seed))]
            long = shuffled.reshape(-1, 32 * bucket).sort().values.reshape(-1, 32) > 30
            one_class[bucket] = (long.all(dim=1) | ~long.any(dim=1)).float().mean()
        assert one_class[1] < 0.01 and one_class[50] > 0.9

    @pytest.mark.parametrize("seed", [0, 1])
    def test_a_packed_row_needs_a_mask_per_sentence(self, seed):
        torch.manual_seed(seed)
        sentences = [torch.randint(1, 50, (n,)) for n in (1, 5, 9)]
        owner = torch.arange(3).repeat_interleave(torch.tensor([1, 5, 9]))
        row = torch.cat(sentences)[None]
        alone = torch.cat([packed.attend(s[None], None)[0] for s in sentences])
        same = owner[:, None] == owner
        torch.testing.assert_close(packed.attend(row, same[None])[0], alone)
        assert not torch.allclose(packed.attend(row, None)[0], alone, atol=1e-2)

    def test_some_operations_are_missing_for_jagged_tensors(self):
        jagged = torch.nested.nested_tensor([torch.ones(2, 16), torch.ones(5, 16)], layout=torch.jagged)
        assert jagged.offsets().tolist() == [0, 2, 7] and jagged.values().shape == (7, 16)
        assert nn.Linear(16, 3)(jagged).values().shape == (7, 3)
        with pytest.raises(ValueError):
            nn.LSTM(16, 8, batch_first=True)(jagged)

    def test_a_width_rounded_up_to_64_leaves_at_most_eight_widths_up_to_512(self):
        widths = torch.arange(1, 513)
        rounded = -(-widths // 64) * 64
        assert rounded.unique().numel() == 8 and (rounded - widths).max() == 63

    @pytest.mark.parametrize("bidirectional", [False, True])
    @pytest.mark.parametrize("padding", [1, 5])
    def test_an_lstm_reads_padding_unless_it_is_packed(self, padding, bidirectional):
        torch.manual_seed(0)
        lstm = nn.LSTM(4, 3, batch_first=True, bidirectional=bidirectional)
        x = torch.randn(1, 6, 4)
        longer = F.pad(x, (0, 0, 0, padding))
        alone = lstm(x)[1][0]
        batch = torch.cat([longer, torch.randn(1, 6 + padding, 4)])
        lengths = torch.tensor([6, 6 + padding])
        pack = nn.utils.rnn.pack_padded_sequence(batch, lengths, batch_first=True, enforce_sorted=False)
        torch.testing.assert_close(lstm(pack)[1][0][:, :1], alone)
        assert not torch.allclose(lstm(longer)[1][0], alone, atol=1e-3)
        more = lstm(F.pad(longer, (0, 0, 0, 1)))[1][0]
        assert not torch.allclose(more, lstm(longer)[1][0], atol=1e-4)

    def test_with_padding_on_the_left_the_last_place_is_the_last_token(self):
        left = pad_sequence(WORDS, batch_first=True, padding_side="left")
        assert left[:, -1].tolist() == [len(word) for word in WORDS]
        assert (pad_sequence(WORDS, batch_first=True)[:, -1] == 0).sum() == len(WORDS) - 1

    @pytest.mark.parametrize("seed", [0, 1])
    def test_the_widest_of_eight_independent_batches_is_far_above_the_mean_width(self, seed):
        width = widest(long_tail(6400, seed), 50).float()
        draws = width[torch.randint(len(width), (1000, 8), generator=seeded(seed))]
        assert draws.amax(dim=1).mean() > 2 * width.mean()
        dealt = width.reshape(4, 50)[:, :48].reshape(-1, 8).amax(dim=1).mean()  # neighbors in a bucket, one step
        assert dealt < 0.6 * draws.amax(dim=1).mean()

    def test_batches_of_equal_places_can_have_unequal_attention_scores(self):
        wide, narrow = torch.empty(4, 512, 8), torch.empty(64, 32, 8)
        assert wide.numel() == narrow.numel()
        assert (wide @ wide.mT).numel() == 16 * (narrow @ narrow.mT).numel()

    @pytest.mark.parametrize("lengths", [(2, 9), (5, 1)])
    def test_accumulated_gradients_are_those_of_the_whole_batch_if_divided_by_all_tokens(self, lengths):
        torch.manual_seed(0)
        layer = nn.Linear(3, 4).double()
        parts = [(torch.randn(n, 3).double(), torch.randint(4, (n,))) for n in lengths]

        def gradient(losses):
            return torch.autograd.grad(sum(losses), layer.weight)[0]

        whole = gradient([F.cross_entropy(layer(torch.cat([x for x, _ in parts])), torch.cat([y for _, y in parts]))])
        sums = gradient([F.cross_entropy(layer(x), y, reduction="sum") / sum(lengths) for x, y in parts])
        means = gradient([F.cross_entropy(layer(x), y) / 2 for x, y in parts])
        torch.testing.assert_close(sums, whole)
        assert not torch.allclose(means, whole, atol=1e-3)


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


copies = load_snippet("mid/data/pinned_memory_copies.py")
without_accelerator = pytest.mark.skipif(torch.accelerator.is_available(), reason="says what happens without one")


class TestPinnedMemory:
    @pytest.mark.parametrize("pinned", [False, True])
    @pytest.mark.parametrize("batches", [1, 3])
    def test_the_models_copy_reads_a_pinned_buffer_late_and_a_pageable_one_at_once(self, pinned, batches):
        model = load_snippet("mid/data/pinned_memory.py")
        host, arrived = torch.zeros(2), []
        for number in range(batches):
            host.fill_(float(number))
            arrived.append(model.copy_to_device(host, pinned))
        host.fill_(9.0)
        for work in model.stream:
            work()
        expected = [9.0] * batches if pinned else [float(number) for number in range(batches)]
        assert [device[0].item() for device in arrived] == expected

    @without_accelerator
    def test_without_an_accelerator_pinning_raises_and_the_loader_warns(self):
        for pin in (lambda: torch.ones(2).pin_memory(), lambda: torch.ones(2, pin_memory=True)):
            with pytest.raises(RuntimeError):
                pin()
        with pytest.warns(UserWarning, match="no accelerator is found"):
            batch = next(iter(DataLoader(range(4), 2, pin_memory=True)))
        assert not batch.is_pinned() and batch.tolist() == [0, 1]
        next(iter(DataLoader(range(4), 2, pin_memory=torch.accelerator.is_available())))

    def test_non_blocking_does_no_harm_on_a_cpu(self):
        x = torch.ones(2)
        assert x.to("cpu", non_blocking=True) is x
        assert x.to(torch.float64, non_blocking=True).tolist() == [1.0, 1.0]

    def test_bytes_are_a_quarter_in_uint8(self):
        x = torch.empty(5, 3, dtype=torch.uint8)
        assert x.float().nbytes == 4 * x.nbytes == 2 * x.half().nbytes

    @pytest.mark.parametrize("workers", [0, 2])
    def test_each_batch_of_a_loader_is_a_tensor_of_its_own(self, workers):
        batches = list(DataLoader(torch.arange(6), 2, num_workers=workers))
        assert len({batch.data_ptr() for batch in batches}) == 3

    @pytest.mark.parametrize("change", [lambda x: x.T, lambda x: x[:, ::2]])
    def test_a_copy_of_a_view_that_is_not_contiguous_needs_other_memory(self, change):
        view = change(torch.arange(6.0).reshape(2, 3))
        assert not view.is_contiguous() and view.contiguous().data_ptr() != view.data_ptr()


@pytest.mark.cuda
class TestPinnedMemoryWithGpu:
    @pytest.mark.parametrize("pinned", [False, True])
    @pytest.mark.parametrize("non_blocking", [False, True])
    def test_only_a_non_blocking_copy_from_pinned_memory_reads_the_buffer_late(self, pinned, non_blocking):
        host = torch.ones(2**24, pin_memory=pinned)
        assert host.is_pinned() == pinned
        arrived = [copies.overwritten(host.fill_(1.0), non_blocking) for _ in range(2)]
        assert arrived[-1] == (9.0 if pinned and non_blocking else 1.0)

    def test_only_a_non_blocking_copy_from_pinned_memory_returns_early(self):
        shares = {}
        for pinned in (False, True):
            for non_blocking in (False, True):
                host = torch.ones(2**26, pin_memory=pinned)
                shares[pinned, non_blocking] = min(copies.host_share(host, non_blocking)[0] for _ in range(3))
        assert shares.pop((True, True)) < 0.2
        assert all(share > 0.5 for share in shares.values())

    def test_pinned_memory_is_copied_faster(self):
        speed = {
            pinned: max(copies.host_share(torch.ones(2**26, pin_memory=pinned), False)[1] for _ in range(3))
            for pinned in (False, True)
        }
        assert speed[True] > speed[False]

    def test_pin_memory_copies_and_what_is_pinned_is_returned_as_it_is(self):
        x = torch.ones(3)
        pinned = x.pin_memory()
        assert pinned.is_pinned() and pinned.data_ptr() != x.data_ptr()
        assert pinned.pin_memory().data_ptr() == pinned.data_ptr()

    @pytest.mark.parametrize("workers", [0, 1])
    def test_the_loader_pins(self, workers):
        loader = DataLoader(torch.arange(4), 2, pin_memory=True, num_workers=workers)
        assert all(batch.is_pinned() and batch.to("cuda", non_blocking=True).is_cuda for batch in loader)

    def test_a_non_blocking_copy_to_the_host_is_right_after_a_synchronization(self):
        y = torch.arange(1000, device="cuda").to("cpu", non_blocking=True)
        torch.cuda.synchronize()
        assert y.tolist() == list(range(1000))


limited = load_snippet("mid/data/limited_labels.py")


def clusters(per_class: int, noise: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Ten classes around the corners of a simplex, in 65 dimensions, the last one constant."""
    y = torch.arange(10).repeat(per_class)
    x = F.one_hot(y, 64).double() + noise * torch.randn(len(y), 64, dtype=torch.float64, generator=seeded())
    return F.pad(x, (0, 1), value=1.0), y


class TestLimitedLabels:
    @pytest.mark.parametrize(("per_class", "seed"), [(1, 0), (3, 1)])
    def test_a_draw_has_as_many_labels_of_each_class(self, per_class, seed):
        _, y = clusters(20, 0.1)
        target = limited.draw(y, per_class, seed)
        rows, classes = target.nonzero().T
        assert torch.equal(y[rows], classes) and classes.bincount().tolist() == [per_class] * 10
        assert target.sum() == 10 * per_class and torch.equal(target, limited.draw(y, per_class, seed))
        assert not torch.equal(target, limited.draw(y, per_class, seed + 2))

    def test_runs_that_are_fitted_at_once_do_not_see_each_other(self):
        x, y = clusters(6, 0.3)
        target = torch.stack([limited.draw(y, per_class, per_class) for per_class in (2, 3)], dim=1)
        together = limited.fit(x, target, 1e-2)
        for run in range(2):
            torch.testing.assert_close(together[:, run], limited.fit(x, target[:, run : run + 1], 1e-2)[:, 0])

    def test_rows_without_a_target_are_left_out(self):
        x, y = clusters(6, 0.3)
        target = limited.draw(y, 2, 0)[:, None]
        used = target.sum(dim=(1, 2)) > 0
        torch.testing.assert_close(limited.fit(x, target, 1e-2), limited.fit(x[used], target[used], 1e-2))

    def test_the_decay_decides_how_many_guesses_pass_a_threshold(self):
        x, y = clusters(6, 0.3)
        target = limited.draw(y, 2, 0)[:, None]
        passed = {}
        for decay in (1e-1, 1e-4):
            weights = limited.fit(x, target, decay)
            passed[decay] = [limited.with_guesses(x, target, weights, t).sum().item() for t in (0.0, 0.7, 1.1)]
        assert passed[1e-1] == [60, 20, 20] and passed[1e-4][0] == 60 and passed[1e-4][1] > 30

    @pytest.mark.parametrize("threshold", [0.0, 0.5])
    def test_labels_stay_as_they_are_and_guesses_are_those_of_the_model(self, threshold):
        x, y = clusters(6, 0.3)
        target = limited.draw(y, 2, 0)[:, None]
        weights = limited.fit(x, target, 1e-3)
        both, labeled = limited.with_guesses(x, target, weights, threshold), target.sum(dim=(1, 2)) > 0
        assert torch.equal(both[labeled], target[labeled])
        guessed = both.sum(dim=(1, 2)) > 0
        guess = (x @ weights.flatten(1)).argmax(dim=1)
        assert torch.equal(both[guessed & ~labeled, 0].argmax(dim=1), guess[guessed & ~labeled])

    @pytest.mark.parametrize("seed", [0, 1])
    def test_in_clear_clusters_pseudo_labels_help(self, seed):
        x, y = clusters(20, 0.2)
        target = limited.draw(y, 1, seed)[:, None]
        first = limited.fit(x, target, 1e-2)
        second = limited.fit(x, limited.with_guesses(x, target, first, 0.0), 1e-2)
        before, after = (((x @ w.flatten(1)).argmax(dim=1) == y).double().mean() for w in (first, second))
        assert after > before + 0.02

    @pytest.mark.parametrize("threshold", [0.0, 0.5])
    def test_training_mostly_confirms_wrong_guesses_and_gives_them_a_higher_loss(self, threshold):
        pixels, digits = limited.load_digits(return_X_y=True)
        rows = torch.randperm(len(digits), generator=seeded(0))[:450]
        x, y = F.pad(torch.tensor(pixels)[rows] / 16, (0, 1), value=1.0), torch.tensor(digits)[rows]
        few = torch.stack([limited.draw(y, 3, seed) for seed in range(5)], dim=1)
        first = limited.fit(x, few, 1e-3)
        target = limited.with_guesses(x, few, first, threshold)
        second = limited.fit(x, target, 1e-3)
        before, after = ((x @ w.flatten(1)).view_as(target).softmax(dim=2) for w in (first, second))
        for run in range(5):
            new = (few[:, run].sum(dim=1) == 0) & (target[:, run].sum(dim=1) > 0)
            guess = target[new, run].argmax(dim=1)
            wrong = guess != y[new]
            p, q = (of[new, run].gather(1, guess[:, None])[:, 0] for of in (before, after))
            assert 0.7 < (q > p)[wrong].double().mean() < 1
            assert (-q.log()).mean() < (-p.log()).mean(), "the loss on the guesses falls"
            loss = -q.log()
            higher = (loss[wrong][:, None] > loss[~wrong]).double().mean()
            assert 0.6 < higher < 0.95

    @pytest.mark.parametrize("seed", [0, 1])
    def test_soft_pseudo_labels_of_the_model_itself_have_no_gradient(self, seed):
        logits = torch.randn(4, 10, generator=seeded(seed), requires_grad=True)
        F.cross_entropy(logits, logits.detach().softmax(dim=1)).backward()
        assert logits.grad.abs().max() < 1e-6
        hard = logits.detach().requires_grad_()
        F.cross_entropy(hard, hard.detach().argmax(dim=1)).backward()
        assert hard.grad.abs().max() > 1e-3
        other_view = (logits + torch.randn(4, 10, generator=seeded(2))).detach().requires_grad_()
        F.cross_entropy(other_view, logits.detach().softmax(dim=1)).backward()
        assert other_view.grad.abs().max() > 1e-3
