"""What docs/mid/optimization/sparse-gradients.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_
from torch.optim import SGD

from warmup.testing import load_snippet

sparse_clip = load_snippet("mid/optimization/sparse_gradients_clip.py").clip_with_sparse_

sparse_lazy = load_snippet("mid/optimization/sparse_gradients_lazy.py")
sparse_optimizers = load_snippet("mid/optimization/sparse_gradients_optimizers.py")


@pytest.fixture
def checked_sparse_tensors():
    with torch.sparse.check_sparse_tensor_invariants():
        yield


def trained_table(make, sparse, ids, **options):
    """Weights of a table of 20 rows after one step for each row of ``ids``."""
    torch.manual_seed(0)
    table, target = nn.Embedding(20, 3, sparse=sparse).double(), torch.randn(20, 3).double()
    optimizer = make(table.parameters(), **options)
    for rows in ids:
        optimizer.zero_grad()
        ((table(rows) - target[rows]) ** 2).mean().backward()
        optimizer.step()
    return table.weight.detach()


@pytest.mark.usefixtures("checked_sparse_tensors")
class TestSparseGradients:
    @pytest.mark.parametrize("make", [nn.Embedding, nn.EmbeddingBag])
    @pytest.mark.parametrize(("rows", "lookups"), [(1000, 5), (1000, 5000)])
    def test_the_gradient_has_one_entry_for_each_lookup_and_the_weight_stays_dense(self, make, rows, lookups):
        table = make(rows, 4, sparse=True)
        ids = torch.randint(rows, (1, lookups))
        table(ids).sum().backward()
        gradient = table.weight.grad
        assert gradient.layout == torch.sparse_coo and table.weight.layout == torch.strided
        assert gradient._nnz() == lookups and gradient.coalesce()._nnz() == ids.unique().numel()
        stored = gradient._indices().nbytes + gradient._values().nbytes
        assert (stored > table.weight.nbytes) is (lookups > rows)

    @pytest.mark.parametrize("padding", [0, 2])
    def test_lookups_of_the_padding_row_have_no_entry(self, padding):
        table = nn.Embedding(6, 2, padding_idx=padding, sparse=True)
        table(torch.tensor([padding, 4, padding, 4, 1])).sum().backward()
        assert sorted(table.weight.grad._indices()[0].tolist()) == [1, 4, 4]

    def test_exactly_these_optimizers_accept_it(self):
        accepting = [name for name in sparse_optimizers.OPTIMIZERS if sparse_optimizers.accepts(name)]
        assert accepting == ["SGD", "SparseAdam", "Adagrad", "LBFGS"]
        known = [name for name, value in vars(torch.optim).items() if isinstance(value, type)]
        assert {*sparse_optimizers.OPTIMIZERS} | {"Optimizer"} == {*known}
        assert sparse_optimizers.accepts("SGD", momentum=0.9, nesterov=True)
        for name in ("SGD", "Adagrad"):
            for option in ({"weight_decay": 0.1}, {"fused": True}):
                assert not sparse_optimizers.accepts(name, **option)

    @pytest.mark.parametrize(
        ("make", "options"),
        [
            (SGD, {"lr": 0.5}),
            (SGD, {"lr": 0.5, "momentum": 0.9}),
            (SGD, {"lr": 0.5, "momentum": 0.9, "nesterov": True}),
            (torch.optim.Adagrad, {"lr": 0.1}),
        ],
    )
    def test_sgd_and_adagrad_train_the_same_weights_as_with_a_dense_gradient(self, make, options):
        ids = torch.randint(20, (60, 4), generator=torch.Generator().manual_seed(1))
        trained = [trained_table(make, sparse, ids, **options) for sparse in (True, False)]
        torch.testing.assert_close(*trained)

    def test_sparse_adam_is_adam_if_every_row_is_in_each_batch_and_another_rule_if_not(self):
        generator = torch.Generator().manual_seed(1)
        for ids, same in (
            (torch.arange(20).repeat(60, 1), True),
            (torch.randint(20, (60, 4), generator=generator), False),
        ):
            lazy = trained_table(torch.optim.SparseAdam, True, ids, lr=0.01, eps=1e-12)
            dense = trained_table(torch.optim.Adam, False, ids, lr=0.01, eps=1e-12)
            assert ((lazy - dense).abs().max().item() < 1e-5) is same

    @pytest.mark.parametrize("touched", [[10, 50], [0], [3, 4, 30]])
    def test_sparse_adam_moves_a_row_only_in_its_own_steps_and_adam_goes_on(self, touched):
        lazy = sparse_lazy.positions(torch.optim.SparseAdam, touched)
        dense = sparse_lazy.positions(torch.optim.Adam, touched)
        moved = [step for step in range(120) if lazy[step] != ([0.0, *lazy])[step]]
        assert moved == touched
        assert lazy[touched[0]] == pytest.approx(dense[touched[0]], rel=1e-6)
        assert dense[-1] > 3 * lazy[-1]

    def test_a_late_first_step_is_3_2_times_the_rate_and_adams_tail_ten_times_as_much(self):
        expected = 0.1 / 0.001**0.5
        for make, total in ((torch.optim.SparseAdam, expected), (torch.optim.Adam, 10 * expected)):
            table = nn.Parameter(torch.zeros(2, 1, dtype=torch.float64))
            optimizer, first = make([table], lr=1.0), None
            for rows in ([1], [0, 1], *[[1]] * 80):
                gradient = torch.sparse_coo_tensor([rows], -torch.ones(len(rows), 1, dtype=torch.float64), (2, 1))
                table.grad = gradient if make is torch.optim.SparseAdam else gradient.to_dense()
                optimizer.step()
                if first is None:  # as after 5000 steps with the other row
                    optimizer.state[table]["step"] += 4999
                    first = 0.0
                first = first or table[0].item()
            assert first == pytest.approx(expected, rel=0.01)
            assert table[0].item() == pytest.approx(total, rel=0.02)

    def test_the_state_of_sparse_adam_is_dense(self):
        table = nn.Embedding(6, 2, sparse=True)
        optimizer = torch.optim.SparseAdam(table.parameters())
        table(torch.tensor([1])).sum().backward()
        optimizer.step()
        for name in ("exp_avg", "exp_avg_sq"):
            mean = optimizer.state[table.weight][name]
            assert mean.layout == torch.strided and mean.shape == (6, 2)

    def test_a_tied_table_and_a_dense_penalty_make_the_gradient_dense_and_a_penalty_on_rows_does_not(self):
        for loss, layout in (
            (lambda table: (table(torch.tensor([1])) @ table.weight.T).sum(), torch.strided),
            (lambda table: table(torch.tensor([1])).sum() + table.weight.pow(2).sum(), torch.strided),
            (lambda table: table(torch.tensor([1])).pow(2).sum(), torch.sparse_coo),
        ):
            table = nn.Embedding(6, 2, sparse=True)
            loss(table).backward()
            assert table.weight.grad.layout == layout
            if layout == torch.strided:
                with pytest.raises(RuntimeError, match="does not support dense gradients"):
                    torch.optim.SparseAdam(table.parameters()).step()

    @pytest.mark.parametrize(("rows", "lookups", "steps"), [(100, 8, 300), (50, 20, 80)])
    def test_the_momentum_buffer_grows_unless_each_gradient_is_coalesced(self, rows, lookups, steps):
        for clip in (False, True):
            torch.manual_seed(0)
            table, entries = nn.Embedding(rows, 4, sparse=True), []
            optimizer = SGD(table.parameters(), lr=0.01, momentum=0.9)
            for _ in range(steps):
                optimizer.zero_grad()
                table(torch.randint(rows, (lookups,))).sum().backward()
                if clip:
                    sparse_clip(table.parameters(), 100.0)
                optimizer.step()
                entries.append(optimizer.state[table.weight]["momentum_buffer"]._nnz())
            assert entries[-1] == rows if clip else entries[-1] > 1.5 * entries[steps // 2] > 10 * rows
            if (rows, clip) == (100, False):
                assert 1500 < entries[-1] < 1700

    @pytest.mark.parametrize("make", [SGD, torch.optim.Adagrad])
    def test_plain_sgd_and_adagrad_take_both_kinds(self, make):
        table, linear = nn.Embedding(6, 2, sparse=True), nn.Linear(2, 1)
        parameters = [*table.parameters(), *linear.parameters()]
        before = [parameter.clone() for parameter in parameters]
        linear(table(torch.tensor([1, 4, 1]))).sum().backward()
        make(parameters, lr=0.1).step()
        assert not any(torch.equal(a, b) for a, b in zip(before, parameters, strict=True))

    @pytest.mark.parametrize("lr", [0.01, 0.05])
    def test_a_penalty_on_looked_up_rows_shrinks_a_row_at_each_of_its_lookups(self, lr):
        table = nn.Embedding(3, 1, sparse=True).double()
        nn.init.ones_(table.weight)
        optimizer = SGD(table.parameters(), lr=lr)
        for step in range(40):
            optimizer.zero_grad()
            table(torch.tensor([0, 1] if step % 4 == 0 else [0])).pow(2).sum().backward()
            optimizer.step()
        expected = torch.tensor([[(1 - 2 * lr) ** 40], [(1 - 2 * lr) ** 10], [1.0]], dtype=torch.float64)
        torch.testing.assert_close(table.weight.detach(), expected)

    def test_a_bag_of_maxima_has_no_sparse_gradient(self):
        for mode in ("sum", "mean"):
            bag = nn.EmbeddingBag(6, 2, sparse=True, mode=mode)
            bag(torch.tensor([[1, 4, 1]])).sum().backward()
            assert bag.weight.grad.layout == torch.sparse_coo
        with pytest.raises(ValueError, match="does not support sparse"):
            nn.EmbeddingBag(6, 2, sparse=True, mode="max")(torch.tensor([[1, 4, 1]]))

    @pytest.mark.parametrize("max_norm", [0.0, 0.5, 100.0])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_the_common_clipping_agrees_with_the_librarys_on_dense_gradients(self, max_norm, dtype):
        found = []
        for sparse, clip in ((True, sparse_clip), (False, sparse_clip), (False, clip_grad_norm_)):
            torch.manual_seed(0)
            table, linear, unused = nn.Embedding(6, 2, sparse=sparse, dtype=dtype), nn.Linear(2, 1), nn.Linear(1, 1)
            linear.to(dtype)
            linear(table(torch.tensor([1, 4, 1, 1]))).sum().backward()
            parameters = [*table.parameters(), *linear.parameters(), *unused.parameters()]
            norm = clip((parameter for parameter in parameters), max_norm)
            gradient = table.weight.grad
            found.append((norm, gradient.to_dense() if sparse else gradient, linear.weight.grad))
        for other in found[1:]:
            torch.testing.assert_close(found[0], other)

    def test_without_coalescing_the_norm_is_too_small_and_without_gradients_it_is_0(self):
        table = nn.Embedding(6, 2, sparse=True)
        table(torch.tensor([1, 4, 1])).sum().backward()
        parts = table.weight.grad._values().norm()
        assert sparse_clip(table.parameters(), 100.0) == pytest.approx(10**0.5) and parts == pytest.approx(6**0.5)
        assert sparse_clip(nn.Linear(2, 2).parameters(), 1.0) == 0

    def test_the_common_clipping_has_the_librarys_small_constant(self):
        found = []
        for clip in (sparse_clip, clip_grad_norm_):
            w = nn.Parameter(torch.zeros(1))
            w.grad = torch.full((1,), 2e-6)
            clip([w], 1e-6)
            found.append(w.grad)
        torch.testing.assert_close(*found, rtol=1e-4, atol=0)
