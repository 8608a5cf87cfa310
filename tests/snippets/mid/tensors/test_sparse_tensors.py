"""What docs/mid/tensors/sparse-tensors.md claims, proven beyond the example shown."""

import warnings

import pytest
import torch
from torch import nn
from torch.autograd.profiler import profile
from torch.nn.utils import prune

from warmup.testing import load_snippet

counted = load_snippet("mid/tensors/sparse_tensors_bytes.py")
timed = load_snippet("mid/tensors/sparse_tensors_time.py")


@pytest.fixture
def sparse():
    """Invariants are checked, and the warning that CSR is in beta is silent."""
    before = torch.sparse.check_sparse_tensor_invariants.is_enabled()
    torch.sparse.check_sparse_tensor_invariants.enable()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        yield
    if not before:
        torch.sparse.check_sparse_tensor_invariants.disable()


def matrix(rows: int, columns: int, nonzeros: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    dense = torch.zeros(rows * columns, dtype=dtype)
    dense[torch.randperm(rows * columns)[:nonzeros]] = 1
    return dense.view(rows, columns)


@pytest.mark.usefixtures("sparse")
class TestSparseTensors:
    def test_duplicates_add_up(self):
        s = torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 2]], [2.0, 5.0, 3.0], (2, 3))
        assert s.to_dense()[0, 1] == 7 and s._nnz() == 3 and s.coalesce()._nnz() == 2
        for read in (s.values, s.indices):
            with pytest.raises(RuntimeError, match=r"uncoalesced tensor, please call \.coalesce"):
                read()
        assert s._values()[:2].square().sum() == 29 and (s * s).to_dense()[0, 1] == 49
        x = torch.rand(3, 4)
        torch.testing.assert_close(s @ x, s.to_dense() @ x)

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    @pytest.mark.parametrize(("rows", "columns", "nonzeros"), [(30, 20, 100), (5, 400, 1), (7, 9, 0)])
    def test_the_bytes_are_those_of_the_table(self, dtype, rows, columns, nonzeros):
        dense = matrix(rows, columns, nonzeros, dtype)
        size = dense.element_size()
        assert counted.sparse_bytes(dense.to_sparse()) == (16 + size) * nonzeros
        assert counted.sparse_bytes(dense.to_sparse_csr()) == 8 * (rows + 1) + (8 + size) * nonzeros
        with pytest.raises(ValueError, match="no COO and no CSR"):
            counted.sparse_bytes(dense)

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    def test_coo_breaks_even_where_the_formula_says(self, dtype):
        size = torch.zeros(0, dtype=dtype).element_size()
        limit = size / (16 + size)
        for factor, smaller in ((0.98, True), (1.02, False)):
            dense = matrix(100, 100, round(limit * factor * 10_000), dtype)
            assert (counted.sparse_bytes(dense.to_sparse()) < dense.nbytes) == smaller

    def test_csr_accepts_int32_indices(self):
        dense = matrix(20, 20, 50)
        csr = dense.to_sparse_csr()
        small = torch.sparse_csr_tensor(csr.crow_indices().int(), csr.col_indices().int(), csr.values(), (20, 20))
        assert counted.sparse_bytes(small) == 4 * 21 + 8 * 50 and torch.equal(small.to_dense(), dense)

    @pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
    def test_the_product_with_a_dense_matrix_is_dense_and_right(self, layout):
        for nonzeros in (0, 7, 300):
            dense = matrix(20, 30, nonzeros) * torch.rand(20, 30)
            x = torch.rand(30, 5)
            product = dense.to_sparse(layout=layout) @ x
            assert product.layout == torch.strided
            torch.testing.assert_close(product, dense @ x)

    def test_some_operations_that_map_zero_to_zero_work(self):
        s = torch.eye(4).to_sparse()
        for made in (s * 2, s.relu(), s.sin(), s.square()):
            assert made.layout == torch.sparse_coo
        for operation in (
            lambda: s + 1,
            s.exp,
            lambda: nn.functional.gelu(s),
            lambda: nn.functional.silu(s),
            lambda: s.view(-1),
            s.mean,
            lambda: s.__setitem__((0, 0), 2),
        ):
            with pytest.raises((NotImplementedError, RuntimeError, TypeError)):
                operation()
        with pytest.raises(RuntimeError, match="reduction operations on CSR tensors with keepdim=False is unsupported"):
            torch.eye(4).to_sparse_csr().sum(0)

    @pytest.mark.parametrize("nonzeros", [3, 50])
    def test_the_gradient_is_dense_through_matmul_and_sparse_through_sparse_mm(self, nonzeros):
        dense, x = matrix(20, 10, nonzeros), torch.rand(10, 4)
        for product, layout, start in (
            (torch.matmul, torch.strided, torch.sparse_coo),
            (torch.matmul, torch.strided, torch.sparse_csr),
            (torch.sparse.mm, torch.sparse_coo, torch.sparse_coo),
            (torch.sparse.mm, torch.sparse_csr, torch.sparse_csr),
        ):
            leaf = dense.to_sparse(layout=start).requires_grad_()
            weight = torch.rand(20, 4)
            (product(leaf, x) * weight).sum().backward()
            assert leaf.grad.layout == layout
            expected = weight @ x.T
            if layout != torch.strided:
                assert leaf.grad._nnz() == nonzeros
                torch.testing.assert_close(leaf.grad.to_dense(), expected * (dense != 0))
            else:
                torch.testing.assert_close(leaf.grad, expected)

    def test_a_sparse_embedding_has_a_dense_weight_and_a_sparse_gradient(self):
        optimizers = {"SGD": True, "Adagrad": True, "SparseAdam": True, "Adam": False, "AdamW": False}
        for name, accepts in optimizers.items():
            embedding = nn.Embedding(50, 4, sparse=True)
            embedding(torch.tensor([1, 2, 1])).sum().backward()
            assert embedding.weight.layout == torch.strided and embedding.weight.grad._nnz() == 3
            optimizer = getattr(torch.optim, name)(embedding.parameters(), lr=0.1)
            if accepts:
                optimizer.step()
            else:
                with pytest.raises(RuntimeError, match="does not support sparse gradients"):
                    optimizer.step()

    @pytest.mark.parametrize(("name", "tables"), [("SGD", 0), ("Adagrad", 1), ("SparseAdam", 2)])
    def test_the_state_of_a_sparse_embedding_is_dense(self, name, tables):
        embedding = nn.Embedding(50, 4, sparse=True)
        optimizer = getattr(torch.optim, name)(embedding.parameters(), lr=0.1)
        embedding(torch.tensor([1, 2, 1])).sum().backward()
        optimizer.step()
        state = [v for v in optimizer.state[embedding.weight].values() if torch.is_tensor(v) and v.dim()]
        assert [(v.layout, v.shape) for v in state] == [(torch.strided, (50, 4))] * tables

    def test_weight_decay_and_clipping_refuse_a_sparse_gradient(self):
        for optimizer in (torch.optim.SGD, torch.optim.Adagrad):
            for decay in (0.0, 0.1):
                embedding = nn.Embedding(50, 4, sparse=True)
                embedding(torch.tensor([1, 2, 1])).sum().backward()
                step = optimizer(embedding.parameters(), lr=0.1, weight_decay=decay).step
                if not decay:
                    step()
                    continue
                with pytest.raises(RuntimeError, match=r"add\(sparse, dense\)|not compatible with sparse"):
                    step()
                with pytest.raises(NotImplementedError, match="linalg_vector_norm"):
                    nn.utils.clip_grad_norm_(embedding.parameters(), 1.0)

    @pytest.mark.parametrize("columns", [2, 8])
    @pytest.mark.parametrize(("layout", "dense"), [(torch.sparse_coo, True), (torch.sparse_csr, False)])
    def test_the_backward_of_sparse_mm_computes_a_dense_gradient_for_coo_only(self, layout, dense, columns):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
            leaf = torch.eye(500).to_sparse(layout=layout).requires_grad_()
            total = torch.sparse.mm(leaf, torch.ones(500, columns)).sum()
            with profile(profile_memory=True) as profiled:
                total.backward()
        largest = max(event.self_cpu_memory_usage for event in profiled.function_events)
        assert leaf.grad.layout == layout
        assert (largest > 0.9 * 500 * 500 * 4) == dense and (dense or largest < 100_000)

    def test_pruning_keeps_a_dense_weight_and_a_dense_mask(self):
        layer = nn.Linear(10, 10)
        prune.l1_unstructured(layer, "weight", amount=0.9)
        assert (layer.weight == 0).sum() == 90
        for tensor in (layer.weight, layer.weight_orig, layer.weight_mask):
            assert tensor.layout == torch.strided and tensor.shape == (10, 10)
        prune.remove(layer, "weight")
        assert (layer.weight == 0).sum() == 90 and layer.weight.layout == torch.strided
        assert [*layer.state_dict()] == ["bias", "weight"]

    def test_zeros_that_arise_later_stay_stored(self):
        s = torch.eye(4).to_sparse()
        assert (s * 0)._nnz() == 4 and (s * 0).coalesce()._nnz() == 4
        assert (s * 0).to_dense().to_sparse()._nnz() == 0

    def test_the_timer_times_a_product(self):
        assert timed.fastest(torch.eye(3), torch.eye(3), runs=2) > 0
