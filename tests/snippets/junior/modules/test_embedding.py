"""What docs/junior/modules/embedding.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

embedding_cost = load_snippet("junior/modules/embedding_cost.py")
embedding_rows_broken = load_snippet("junior/modules/embedding_rows_broken.py")


class TestEmbedding:
    @pytest.mark.parametrize("ids", [3, [0, 6], [[1, 1], [5, 2], [6, 0]]])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    def test_a_lookup_is_one_hot_times_the_weight_to_the_bit(self, ids, dtype):
        ids, table = torch.tensor(ids), nn.Embedding(7, 5, dtype=dtype)
        product = embedding_cost.one_hot_lookup(ids, table.weight)
        assert product.dtype == dtype and product.shape == (*ids.shape, 5)
        assert torch.equal(table(ids), product)
        assert torch.equal(table(ids), table.weight[ids])

    def test_both_have_the_same_gradient(self):
        ids, upstream = torch.tensor([[4, 1, 4], [4, 0, 1]]), torch.randn(2, 3, 5)
        table = nn.Embedding(7, 5)
        gradients = [
            torch.autograd.grad(lookup(ids), table.weight, upstream)[0]
            for lookup in (table, lambda ids: embedding_cost.one_hot_lookup(ids, table.weight))
        ]
        torch.testing.assert_close(*gradients)

    @pytest.mark.parametrize(
        ("options", "values", "gradient"),
        [
            ({}, True, True),
            ({"padding_idx": 1}, True, False),
            ({"scale_grad_by_freq": True}, True, False),
            ({"max_norm": 0.1}, False, True),
        ],
    )
    def test_the_layer_is_the_product_with_default_arguments_only(self, options, values, gradient):
        ids, layer = torch.tensor([4, 1, 4]), nn.Embedding(6, 3, **options)
        weight = layer.weight.detach().clone().requires_grad_()
        looked_up, product = layer(ids), F.one_hot(ids, 6).float() @ weight
        assert torch.equal(looked_up, product) is values
        looked_up.sum().backward()
        product.sum().backward()
        assert torch.equal(layer.weight.grad, weight.grad) is gradient

    def test_a_row_gets_the_sum_over_its_positions_and_all_others_zero(self):
        table = nn.Embedding(7, 5)
        upstream = torch.randn(4, 5)
        (gradient,) = torch.autograd.grad(table(torch.tensor([4, 1, 4, 4])), table.weight, upstream)
        expected = torch.zeros(7, 5)
        expected[1], expected[4] = upstream[1], upstream[0] + upstream[2] + upstream[3]
        torch.testing.assert_close(gradient, expected)

    @pytest.mark.parametrize("padding", [0, 3])
    def test_the_padding_row_starts_at_zero_and_gets_no_gradient(self, padding):
        table = nn.Embedding(5, 4, padding_idx=padding)
        assert not table.weight[padding].any()
        table(torch.arange(5)).sum().backward()
        assert table.weight.grad.any(dim=1).tolist() == [row != padding for row in range(5)]

    def test_one_broken_row_reaches_every_output_of_the_product_only(self):
        weight = torch.ones(4, 2)
        weight[3] = float("nan")
        ids = torch.tensor([0, 1])
        assert F.embedding(ids, weight).isfinite().all()
        assert embedding_cost.one_hot_lookup(ids, weight).isnan().all()

    @pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
    def test_ids_are_integers(self, dtype):
        table = nn.Embedding(4, 2)
        assert not table(torch.tensor([1], dtype=dtype)).isnan().any()
        with pytest.raises(RuntimeError, match="scalar types: Long, Int"):
            table(torch.tensor([1.0]))
        with pytest.raises(RuntimeError, match="floating point"):
            torch.tensor([1], dtype=dtype).requires_grad_()

    def test_a_linear_layer_on_one_hot_starts_much_smaller(self):
        size = 400
        table, linear = nn.Embedding(size, 50), nn.Linear(size, 50, bias=False)
        assert table.weight.shape == linear.weight.T.shape
        assert table.weight.std().item() == pytest.approx(1, abs=0.05)
        assert linear.weight.abs().max() <= size**-0.5

    def test_a_padding_row_of_zeros_stays_zero_under_decay(self):
        table = nn.Embedding(3, 4, padding_idx=0)
        optimizer = torch.optim.AdamW(table.parameters(), lr=0.1, weight_decay=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            table(torch.tensor([0, 1])).sum().backward()
            optimizer.step()
        assert not table.weight[0].any()

    def test_a_padding_row_of_another_init_is_kept_but_never_trained(self):
        table = nn.Embedding(3, 4, padding_idx=0)
        nn.init.normal_(table.weight)
        before = table.weight[0].clone()
        optimizer = torch.optim.Adam(table.parameters(), lr=0.1)
        table(torch.tensor([0, 1])).sum().backward()
        optimizer.step()
        assert before.all() and torch.equal(table.weight[0], before)

    def test_padding_counts_in_a_mean_and_in_attention(self):
        table = nn.Embedding(5, 4, padding_idx=0)
        torch.testing.assert_close(table(torch.tensor([1, 2, 0, 0, 0])).mean(0), table(torch.tensor([1, 2])).sum(0) / 5)
        padded = table(torch.tensor([[1, 2, 0, 0]]))
        attended = F.scaled_dot_product_attention(padded, padded, padded)[:, :2]
        short = padded[:, :2]
        assert not torch.allclose(attended, F.scaled_dot_product_attention(short, short, short))

    @pytest.mark.parametrize("row", [7, -1, -7, 100])
    def test_an_id_outside_of_the_table_raises(self, row):
        with pytest.raises(IndexError, match="out of range in self"):
            nn.Embedding(7, 2)(torch.tensor([row]))

    @pytest.mark.parametrize("freeze", [True, False])
    def test_pretrained_vectors_are_frozen_by_default_and_share_memory(self, freeze):
        vectors = torch.randn(3, 2)
        assert not nn.Embedding.from_pretrained(vectors).weight.requires_grad
        table = nn.Embedding.from_pretrained(vectors, freeze=freeze)
        assert table.weight.requires_grad is not freeze and table.weight.data_ptr() == vectors.data_ptr()

    def test_reset_parameters_zeroes_the_padding_row_again(self):
        table = nn.Embedding(5, 4, padding_idx=2)
        nn.init.normal_(table.weight)
        assert table.weight[2].any()
        table.reset_parameters()
        assert not table.weight[2].any()

    @pytest.mark.parametrize("ids", [[3, -1], [7, 0]])
    def test_both_bounds_have_to_be_checked(self, ids):
        ids, table = torch.tensor(ids), nn.Embedding(7, 2)
        assert not (ids.min() >= 0 and ids.max() < table.num_embeddings)
        assert (ids.min() < 0) != (ids.max() >= table.num_embeddings)  # one of the two alone passes

    def test_indexing_the_weight_wraps_around(self):
        table = nn.Embedding(7, 2)
        assert torch.equal(table.weight[torch.tensor(-1)], table(torch.tensor(6)))

    def test_a_mixture_of_rows_is_differentiable(self):
        table = nn.Embedding(7, 2)
        logits = torch.randn(3, 7, requires_grad=True)
        (logits.softmax(-1) @ table.weight).square().sum().backward()
        assert logits.grad.any(dim=1).all()

    @pytest.mark.parametrize("accepts", [torch.optim.SGD, torch.optim.SparseAdam])
    @pytest.mark.parametrize("refuses", [torch.optim.Adam, torch.optim.AdamW])
    def test_sparse_stores_the_touched_rows_and_adam_refuses_them(self, accepts, refuses):
        table = nn.Embedding(7, 2, sparse=True)
        table(torch.tensor([4, 1, 4])).sum().backward()
        assert table.weight.layout is torch.strided and table.weight.grad.coalesce().indices().tolist() == [[1, 4]]
        before = table.weight.detach().clone()
        accepts(list(table.parameters()), lr=0.1).step()
        assert (table.weight != before).any(dim=1).nonzero().flatten().tolist() == [1, 4]
        with pytest.raises(RuntimeError, match="does not support sparse gradients"):
            refuses(table.parameters()).step()

    @pytest.mark.parametrize("clip", [True, False])
    def test_sparse_gradients_break_weight_decay_and_clipping(self, clip):
        table = nn.Embedding(7, 2, sparse=True)
        table(torch.tensor([4, 1, 4])).sum().backward()
        with pytest.raises((RuntimeError, NotImplementedError)):
            if clip:
                nn.utils.clip_grad_norm_(table.parameters(), 1.0)
            else:
                torch.optim.SGD(table.parameters(), lr=0.1, weight_decay=0.01).step()

    @pytest.mark.parametrize("padding", [0, None])
    @pytest.mark.parametrize("tied", [True, False])
    def test_a_tied_output_layer_adds_a_gradient_to_every_row(self, tied, padding):
        table, head = nn.Embedding(7, 4, padding_idx=padding), nn.Linear(4, 7, bias=False)
        weight = table.weight if tied else head.weight
        F.cross_entropy(F.linear(table(torch.tensor([4, 1])), weight), torch.tensor([1, 2])).backward()
        rows = table.weight.grad.any(dim=1).nonzero().flatten().tolist()
        assert rows == (list(range(7)) if tied else [1, 4])

    @pytest.mark.parametrize("padding", [0, 2])
    def test_from_pretrained_keeps_the_padding_row_and_gives_it_no_gradient(self, padding):
        table = nn.Embedding.from_pretrained(torch.ones(4, 2), freeze=False, padding_idx=padding)
        table(torch.arange(4)).sum().backward()
        assert table.weight[padding].tolist() == [1, 1] and not table.weight.grad[padding].any()

    @pytest.mark.parametrize(("dtype", "shared"), [(torch.float32, True), (torch.float64, False)])
    def test_a_conversion_ends_the_sharing_with_the_pretrained_vectors(self, dtype, shared):
        vectors = torch.ones(3, 2)
        table = nn.Embedding.from_pretrained(vectors, freeze=False).to(dtype)
        table(torch.tensor([1])).sum().backward()
        torch.optim.SGD(table.parameters(), lr=1.0).step()
        assert (vectors[1] == 0).all() == shared

    @pytest.mark.parametrize(("ids", "fine"), [([0, 6], True), ([3, -1], False), ([7, 0], False), ([], True)])
    def test_the_check_of_the_ids_holds_for_an_empty_batch_too(self, ids, fine):
        ids, table = torch.tensor(ids, dtype=torch.long), nn.Embedding(7, 2)
        assert ((ids >= 0) & (ids < table.num_embeddings)).all().item() is fine

    @pytest.mark.parametrize(
        ("optimizer", "options", "expected"),
        [
            (torch.optim.SGD, {}, [False, False, True]),
            (torch.optim.SGD, {"momentum": 0.5}, [False, True, True]),
            (torch.optim.RMSprop, {}, [False, False, True]),
            (torch.optim.Adam, {}, [False, True, True]),
            (torch.optim.AdamW, {"weight_decay": 0}, [False, True, True]),
            (torch.optim.AdamW, {}, [True, True, True]),
            (torch.optim.SGD, {"weight_decay": 0.1}, [True, True, True]),
        ],
    )
    def test_momentum_moves_earlier_rows_and_decay_moves_all(self, optimizer, options, expected):
        assert embedding_rows_broken.moved(optimizer, **options) == expected

    @pytest.mark.parametrize(("sparse", "moves"), [(True, False), (False, True)])
    def test_sparse_adam_leaves_earlier_rows_alone(self, sparse, moves):
        table = nn.Embedding(4, 3, sparse=sparse)
        optimizer = (torch.optim.SparseAdam if sparse else torch.optim.Adam)(list(table.parameters()), lr=0.1)
        for ids in ([1, 3], [2, 3]):
            before = table.weight.detach().clone()
            optimizer.zero_grad()
            table(torch.tensor(ids)).sum().backward()
            optimizer.step()
        assert (table.weight != before).any(dim=1).tolist() == [False, moves, True, True]

    @pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
    def test_under_autocast_the_product_is_rounded_and_the_lookup_is_not(self, dtype):
        table, ids = nn.Embedding(7, 5), torch.tensor([4, 1, 4])
        with torch.autocast("cpu", dtype):
            looked_up, product = table(ids), embedding_cost.one_hot_lookup(ids, table.weight)
        assert looked_up.dtype == torch.float32 and torch.equal(looked_up, table.weight[ids])
        assert product.dtype == dtype and torch.equal(product, looked_up.to(dtype))
        assert not torch.equal(product.float(), looked_up)
