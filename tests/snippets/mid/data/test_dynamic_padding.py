"""What docs/mid/data/dynamic-padding.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from warmup.testing import load_snippet

collate = load_snippet("mid/data/collate_fn_pad.py")
buckets = load_snippet("mid/data/collate_fn_buckets.py")

WORDS = [torch.arange(1, n + 1) for n in (3, 1, 5, 2, 2, 7, 4)]


def seeded(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


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

    def test_a_full_sort_puts_the_same_lengths_together_and_not_the_same_sentences(self):
        lengths = long_tail(6400, 0).tolist()
        first, second = (list(budget.TokenBudgetSampler(lengths, 2048, 6400)) for _ in range(2))
        assert len({frozenset(batch) for batch in first} & {frozenset(batch) for batch in second}) < 0.2 * len(first)
        found = [sorted(sorted(lengths[i] for i in batch) for batch in epoch) for epoch in (first, second)]
        assert found[0] == found[1]

    def test_after_eight_compilations_a_ninth_shape_runs_in_eager_mode(self):
        graphs, eager = [], []

        def backend(graph, inputs):
            graphs.append(graph)
            return graph.forward

        def double(x):
            if not torch.compiler.is_compiling():
                eager.append(tuple(x.shape))
            return x * 2

        torch._dynamo.reset()
        compiled = torch.compile(double, backend=backend, dynamic=False)
        for width in range(64, 513, 64):
            compiled(torch.ones(32, width))
        assert len(graphs) == 8 and not eager
        compiled(torch.ones(7, 512))
        assert len(graphs) == 8 and eager == [(7, 512)]
        compiled(torch.ones(32, 512))
        assert eager == [(7, 512)]
        torch._dynamo.reset()
