"""Every claim that the pages of docs/junior/tensors make, proven beyond the example shown."""

import itertools
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

broadcasting = load_snippet("junior/tensors/broadcasting.py")
broadcasting_broken = load_snippet("junior/tensors/broadcasting_broken.py")
broadcasting_batch_size = load_snippet("junior/tensors/broadcasting_batch_size.py")
broadcasting_square = load_snippet("junior/tensors/broadcasting_square_broken.py")

SHAPES = [shape for ndim in range(4) for shape in itertools.product((0, 1, 2, 3), repeat=ndim)]


def torch_shape(left, right):
    try:
        return tuple((torch.empty(left) + torch.empty(right)).shape)
    except RuntimeError:
        return "error"


def rule_shape(left, right):
    try:
        return broadcasting.broadcast_shape(left, right)
    except ValueError:
        return "error"


class TestBroadcasting:
    def test_the_rules_are_those_of_torch_for_every_pair_of_small_shapes(self):
        wrong = [pair for pair in itertools.product(SHAPES, repeat=2) if rule_shape(*pair) != torch_shape(*pair)]
        assert len(SHAPES) == 85 and not wrong

    def test_the_error_names_both_sizes(self):
        with pytest.raises(ValueError, match="^3 meets 4$"):
            broadcasting.broadcast_shape((4, 3), (4,))

    def test_a_bare_vector_is_a_row_unless_the_sizes_happen_to_fit(self):
        for rows, columns in itertools.product((1, 2, 3, 4), repeat=2):
            raises = torch_shape((rows, columns), (rows,)) == "error"
            assert raises == (rows != columns and 1 not in (rows, columns))

    def test_an_in_place_result_must_fit_into_the_left_tensor(self):
        row, matrix = torch.zeros(3), torch.zeros(2, 3)
        matrix += row
        assert matrix.shape == (2, 3)
        with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
            row += matrix

    def test_nothing_is_copied_to_broadcast(self):
        column = torch.zeros(5, 1)
        stretched, _ = torch.broadcast_tensors(column, torch.zeros(7))
        assert stretched.shape == (5, 7)
        assert stretched.untyped_storage().data_ptr() == column.untyped_storage().data_ptr()

    @pytest.mark.parametrize("n", [2, 5, 33])
    def test_the_pairwise_loss_is_a_regression_to_the_mean_plus_the_variance(self, n):
        p = torch.randn(n, 1, dtype=torch.float64, requires_grad=True)
        y = torch.randn(n, dtype=torch.float64)
        loss = ((p - y) ** 2).mean()
        expected = ((p.squeeze(1) - y.mean()) ** 2).mean() + y.var(correction=0)
        torch.testing.assert_close(loss, expected)
        (gradient,) = torch.autograd.grad(loss, p)
        torch.testing.assert_close(gradient, 2 / n * (p.detach() - y.mean()))

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_training_with_it_ends_at_the_mean_predictor(self, seed):
        torch.manual_seed(seed)
        x = torch.randn(48, 3)
        y = x @ torch.tensor([1.0, -2.0, 0.5]) + seed
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            losses, predictions = broadcasting_broken.fit(x, y, steps=400, seed=seed)
        torch.testing.assert_close(predictions, y.mean().expand(48), rtol=0, atol=1e-2)
        assert losses[-1] == pytest.approx(y.var(correction=0).item(), rel=1e-3)
        assert all(later <= earlier + 1e-5 for earlier, later in itertools.pairwise(losses))  # the curve looks fine

    def test_training_with_equal_shapes_fits_the_line(self):
        x = torch.randn(48, 3)
        y = x @ torch.tensor([1.0, -2.0, 0.5]) + 3
        losses, predictions = broadcasting_broken.fit(x, y.unsqueeze(1), steps=400)
        assert len(losses) == 400 and losses[-1] < 1e-4
        torch.testing.assert_close(predictions, y, rtol=0, atol=1e-2)

    def test_the_warning_is_shown_once_whatever_the_number_of_steps(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            broadcasting_broken.fit(torch.randn(8, 1), torch.randn(8), steps=30)
        assert len(caught) == 1

    @pytest.mark.parametrize("loss", [F.mse_loss, F.l1_loss, F.huber_loss, F.smooth_l1_loss])
    def test_regression_losses_warn(self, loss):
        with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[5\]\)\)"):
            loss(torch.rand(5, 1), torch.rand(5))

    @pytest.mark.parametrize("loss", [F.binary_cross_entropy, F.binary_cross_entropy_with_logits])
    def test_binary_cross_entropy_raises(self, loss):
        with pytest.raises(ValueError):
            loss(torch.rand(5, 1), torch.rand(5))

    def test_arithmetic_and_likelihoods_are_silent(self):
        p, y = torch.rand(5, 1), torch.rand(5)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            F.poisson_nll_loss(p, y)
            F.gaussian_nll_loss(p, y, torch.ones(5, 1))
            torch.distributions.Normal(p, 1.0).log_prob(y)
            assert ((p - y) ** 2).shape == (p == y).shape == (5, 5)

    @pytest.mark.parametrize("classes", [2, 5])
    def test_the_accuracy_of_a_perfect_prediction_is_wrong_too(self, classes):
        y = torch.arange(classes).repeat(6)
        assert (y.unsqueeze(1) == y).float().mean().item() == pytest.approx(1 / classes)

    @pytest.mark.parametrize("batch_size", [2, 5, 16])
    def test_about_one_part_in_batch_size_of_the_signal_survives(self, batch_size):
        assert broadcasting_batch_size.fitted_slope(batch_size) == pytest.approx(2 / batch_size, abs=0.1)

    def test_with_batch_size_one_there_is_no_bug(self):
        assert broadcasting_batch_size.fitted_slope(1) == pytest.approx(2, abs=1e-3)

    def test_the_full_batch_leaves_nothing_of_the_signal(self):
        assert broadcasting_batch_size.fitted_slope(32) == pytest.approx(0, abs=1e-3)

    def test_bare_squeeze_drops_the_batch_dimension_of_one_sample(self):
        assert nn.Linear(3, 1)(torch.zeros(1, 3)).squeeze().shape == ()
        assert nn.Linear(3, 1)(torch.zeros(1, 3)).squeeze(1).shape == (1,)

    def test_view_as_accepts_a_transposed_target(self):
        prediction = torch.arange(6.0).reshape(2, 3)
        target = prediction.T.contiguous()
        assert target.view_as(prediction).shape == prediction.shape
        assert not torch.equal(target.view_as(prediction), prediction)

    def test_the_filter_turns_the_warning_into_an_error(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message="Using a target size")
            with pytest.raises(UserWarning, match="broadcasting"):
                nn.MSELoss()(torch.zeros(3, 1), torch.zeros(3))

    @pytest.mark.parametrize("size", [2, 4])
    def test_without_keepdim_a_square_matrix_is_divided_by_column(self, size):
        counts = torch.rand(size, size) + 1
        wrong = broadcasting_square.normalize_rows(counts)
        torch.testing.assert_close(wrong, counts / counts.sum(dim=1).reshape(1, size))
        assert not torch.allclose(wrong.sum(dim=1), torch.ones(size))

    def test_without_keepdim_any_other_matrix_raises(self):
        with pytest.raises(RuntimeError, match="must match the size"):
            broadcasting_square.normalize_rows(torch.ones(3, 5))
