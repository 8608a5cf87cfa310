"""What docs/junior/the-role/need-cuda.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F

from warmup.testing import load_snippet

cuda = load_snippet("junior/the-role/need_cuda_traffic.py")


class TestNeedCuda:
    @pytest.mark.parametrize("device", ["cpu", "meta"])
    @pytest.mark.parametrize("rows", [3, 64])
    def test_gelu_by_hand_is_eight_kernels_and_nine_times_the_bytes_anywhere(self, device, rows):
        x = torch.ones(rows, 16, device=device)
        kernels, moved = cuda.measure(cuda.gelu_by_hand, x)
        assert (kernels, moved) == (8, 18 * x.nbytes)
        assert cuda.measure(lambda x: F.gelu(x, approximate="tanh"), x) == (1, 2 * x.nbytes)

    def test_both_gelus_are_one_function(self):
        x = torch.randn(1000, dtype=torch.float64) * 3
        torch.testing.assert_close(cuda.gelu_by_hand(x), F.gelu(x, approximate="tanh"))

    def test_counting_changes_no_result(self):
        x = torch.randn(4, 3)
        with cuda.Traffic():
            counted = x.sum(dim=0, dtype=torch.float64)
        assert torch.equal(counted, x.sum(dim=0, dtype=torch.float64)) and counted.dtype == torch.float64

    def test_views_move_nothing(self):
        assert cuda.measure(lambda x: x.T.unsqueeze(0)[:, 1:], torch.ones(4, 4)) == (0, 0)

    @pytest.mark.parametrize("n", [128, 512])
    def test_intensity_of_a_square_product_grows_with_n_and_that_of_one_row_does_not(self, n):
        weight, one = torch.ones(n, n, device="meta"), torch.ones(1, n, device="meta")
        assert 2 * n**3 / cuda.measure(torch.mm, weight, weight)[1] == pytest.approx(n / 6)
        assert 2 * n**2 / cuda.measure(torch.mm, one, weight)[1] == pytest.approx(0.5, rel=0.05)

    @pytest.mark.parametrize("device", ["cpu", "meta"])
    def test_lists_tuples_and_expanded_tensors_count_what_they_hold(self, device):
        x = torch.ones(64, 64, device=device)
        assert cuda.measure(lambda x: torch.cat([x, x]), x) == (1, 4 * x.nbytes)
        assert cuda.measure(lambda x: torch.std_mean(x, dim=1), x) == (1, x.nbytes + 2 * 64 * 4)
        assert cuda.measure(torch.empty_like, x) == (0, 0)
        assert cuda.measure(lambda row: row.expand(1000, 64).sum(), x[:1].clone()) == (1, 64 * 4 + 4)

    def test_full_float32_precision_is_the_default_of_matrix_products(self):
        assert torch.get_float32_matmul_precision() == "highest"
