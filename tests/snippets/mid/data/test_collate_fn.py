"""What docs/mid/data/collate-fn.md claims, proven beyond the example shown."""

import io
import math
import pickle
import random
import re
import subprocess
import sys
from functools import partial
from typing import NamedTuple

import numpy as np
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
)

from warmup.testing import load_snippet

collate = load_snippet("mid/data/collate_fn_pad.py")
epoch_snippet = load_snippet("mid/data/collate_fn_epoch.py")
buckets = load_snippet("mid/data/collate_fn_buckets.py")
mask_snippet = load_snippet("mid/data/collate_fn_mask.py")
loop = load_snippet("junior/training-loop/write_a_loop.py")

WORDS = [torch.arange(1, n + 1) for n in (3, 1, 5, 2, 2, 7, 4)]


class Pair(NamedTuple):
    tokens: object
    label: int


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

    @pytest.mark.parametrize("width", [(), (3,)])
    def test_the_mask_goes_where_the_tokens_are_and_the_lengths_stay_on_the_cpu(self, width):
        rows = [torch.empty(length, *width, device="meta") for length in (2, 1)]
        assert [part.device.type for part in collate.pad_batch(rows)] == ["meta", "meta", "cpu"]

    def test_the_loop_to_take_away_trains_and_evaluates_on_batches(self):
        class Words(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed, self.head = nn.Embedding(10, 8), nn.Linear(8, 2)

            def forward(self, batch):
                return self.head(mask_snippet.masked_mean(self.embed(batch.tokens), batch.mask))

        torch.manual_seed(0)
        texts = [torch.randint(1, 10, (length,)) for length in range(1, 41)]
        pairs = [(text, int((text == 3).any())) for text in texts]
        loader = DataLoader(pairs, 8, shuffle=True, collate_fn=partial(collate.collate, pad={0: collate.pad_batch}))
        model = Words()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
        history = loop.fit(model, loader, loader, F.cross_entropy, optimizer, epochs=5)
        assert history[-1]["held-out loss"] < 0.8 * history[0]["training loss"]

    @pytest.mark.parametrize("max_length", [None, 2])
    def test_a_batch_moves_to_a_device_but_for_its_lengths(self, max_length):
        batch = collate.pad_batch(WORDS, max_length=max_length)
        moved = batch.to("meta")
        assert [part.device.type for part in moved] == ["meta", "meta", "cpu"]
        assert [part.shape for part in moved] == [part.shape for part in batch]

    def test_a_named_tuple_comes_back_as_a_plain_one_from_collate_and_as_itself_from_the_default(self):
        samples = [Pair([1, 2], 0), Pair([3], 1)]
        batch = collate.collate(samples, {0: collate.pad_batch})
        assert type(batch) is tuple and batch[1].tolist() == [0, 1]
        assert type(default_collate([Pair(1, 0), Pair(3, 1)])) is Pair

    def test_pad_batch_takes_empty_and_float_samples_but_not_none_at_all(self):
        batch = collate.pad_batch([torch.zeros(0), torch.tensor([0.5])])
        assert batch.tokens.tolist() == [[0.0], [0.5]]
        assert batch.mask.tolist() == [[False], [True]]
        with pytest.raises(RuntimeError):
            collate.pad_batch([])

    @pytest.mark.parametrize("max_length", [None, 0, 1, 3, 99])
    @pytest.mark.parametrize("size", [1, 2, 40])
    def test_collate_pads_some_fields_of_dicts_and_pairs_and_stacks_the_others(self, size, max_length):
        drawn = random.Random(size)
        rows = [[drawn.randrange(100) for _ in range(drawn.randrange(6))] for _ in range(size)]
        weights = [drawn.random() for _ in rows]
        pad = partial(collate.pad_batch, padding_value=-1, max_length=max_length, dtype=torch.int16)
        dicts = [{"ids": row, "weight": w, "name": "x"} for row, w in zip(rows, weights, strict=True)]
        batch = collate.collate(dicts, {"ids": pad})
        pair = collate.collate([(w, row) for row, w in zip(rows, weights, strict=True)], {1: pad})
        assert batch["name"] == ["x"] * size
        torch.testing.assert_close(batch["weight"], torch.tensor(weights, dtype=torch.float64))
        assert torch.equal(pair[0], batch["weight"]) and all(map(torch.equal, pair[1], batch["ids"]))
        # by hand, place by place
        cut = [row[:max_length] for row in rows]
        width = max(map(len, cut))
        assert batch["ids"].tokens.dtype == torch.int16 and batch["ids"].tokens.shape == (size, width)
        for i, row in enumerate(cut):
            expected = [row[t] if t < len(row) else -1 for t in range(width)]
            assert batch["ids"].tokens[i].tolist() == expected
            assert batch["ids"].mask[i].tolist() == [t < len(row) for t in range(width)]
            assert batch["ids"].lengths[i] == len(row)

    @pytest.mark.parametrize(
        ("samples", "pad"),
        [
            ([{"x": 7}, {"x": 4, "weight": 0.5}], {}),
            ([{"x": 4, "weight": 0.5}, {"x": 7}], {}),
            ([(1, 2), (1, 2, 3)], {}),
            ([{"ids": [1]}], {"tokens": collate.pad_batch}),
            ([([1], 2)], {2: collate.pad_batch}),
        ],
    )
    def test_collate_refuses_samples_that_differ_in_their_fields(self, samples, pad):
        with pytest.raises(ValueError, match="^samples of "):
            collate.collate(samples, pad)

    def test_a_refusal_names_what_differs(self):
        with pytest.raises(ValueError, match=re.escape("samples of ['a'] and ['a', 'b'], pad: ['a']")):
            collate.collate([{"a": 1}, {"a": 1}, {"a": 1, "b": 2}], {"a": list})

    def test_list_keeps_what_the_default_refuses_and_collate_pads_a_dict_in_a_dict(self):
        samples = [{"note": None, "text": {"ids": [1, 2], "id": 3}}, {"note": "x", "text": {"ids": [4], "id": 5}}]
        with pytest.raises(TypeError, match="NoneType"):
            collate.collate(samples, {"text": list})
        batch = collate.collate(
            samples, {"note": list, "text": partial(collate.collate, pad={"ids": collate.pad_batch})}
        )
        assert batch["note"] == [None, "x"] and batch["text"]["id"].tolist() == [3, 5]
        assert batch["text"]["ids"].tokens.tolist() == [[1, 2], [4, 0]]

    def test_several_dtypes_in_a_batch_need_one_to_be_given(self):
        with pytest.raises(ValueError, match="several dtypes"):
            collate.pad_batch([[1, 2], []])
        assert collate.pad_batch([[1, 2], []], dtype=torch.int64).tokens.tolist() == [[1, 2], [0, 0]]

    @pytest.mark.parametrize("padding_value", [0.0, -math.inf])
    def test_samples_of_vectors_are_padded_with_whole_vectors(self, padding_value):
        samples = [torch.randn(n, 3) for n in (2, 0, 5)]
        batch = collate.pad_batch(samples, padding_value)
        assert batch.tokens.shape == (3, 5, 3) and batch.mask.sum() == 7
        assert torch.equal(batch.tokens[batch.mask], torch.cat(samples))
        assert (batch.tokens[~batch.mask] == padding_value).all()

    def test_a_collate_with_its_settings_can_be_pickled_and_trains_a_classifier_of_words(self):
        torch.manual_seed(0)
        words = ["tensor", "loader", "batch", "mask", "token", "shape", "dtype", "grad", "step", "loss"]
        samples = [([ord(c) - 97 for c in word], "e" in word) for word in words]
        pad = partial(collate.collate, pad={0: collate.pad_batch})
        assert pickle.loads(pickle.dumps(pad))(samples)[0].tokens.shape == (10, 6)
        embedding, head = nn.Embedding(26, 8), nn.Linear(8, 2)
        optimizer = torch.optim.AdamW([*embedding.parameters(), *head.parameters()], lr=0.05)
        for _ in range(30):
            for batch, label in DataLoader(samples, 4, shuffle=True, collate_fn=pad):
                loss = F.cross_entropy(
                    head(mask_snippet.masked_mean(embedding(batch.tokens), batch.mask)), label.long()
                )
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        assert loss < 0.2

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

    @pytest.mark.parametrize("item", [None, object(), {1, 2}, 1j, np.array(["a"])])
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
