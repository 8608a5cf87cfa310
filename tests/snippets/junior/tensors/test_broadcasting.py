"""What docs/junior/tensors/broadcasting.md claims, proven beyond the example shown."""

import itertools
import subprocess
import sys
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from warmup.testing import load_snippet

broadcasting = load_snippet("junior/tensors/broadcasting_rules.py")
broadcasting_batch_size = load_snippet("junior/tensors/broadcasting_batch_size.py")
broadcasting_square = load_snippet("junior/tensors/broadcasting_square_broken.py")

SHAPES = [shape for ndim in range(4) for shape in itertools.product((0, 1, 2, 3), repeat=ndim)]


def fit(x, y, steps, seed=0):
    """Losses of all steps and the last predictions, shape (N,), of a linear model trained with ``nn.MSELoss``."""
    torch.manual_seed(seed)
    model, criterion, losses = nn.Linear(x.shape[1], 1), nn.MSELoss(), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, model(x).detach().squeeze(1)


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

    @pytest.mark.parametrize(
        ("left", "right", "copied"),
        [
            ((4, 1, 2, 8), (1, 3, 8, 2), 4 * 3 * 2 * 8 * 2),
            ((4, 2, 8), (8, 2), 0),
            ((4, 1, 2, 8), (4, 1, 8, 2), 0),
        ],
    )
    def test_a_matrix_product_copies_both_inputs_if_two_batch_dimensions_are_stretched(self, left, right, copied):
        copies = []

        class Count(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                result = func(*args, **(kwargs or {}))
                if func is torch.ops.aten.clone.default:
                    copies.append(result.numel())
                return result

        a, b = torch.rand(left), torch.rand(right)
        with Count():
            product = a @ b
        assert sum(copies) == copied
        assert product.shape[:-2] == torch_shape(left[:-2], right[:-2])

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
            losses, predictions = fit(x, y, steps=400, seed=seed)
        torch.testing.assert_close(predictions, y.mean().expand(48), rtol=0, atol=1e-2)
        assert losses[-1] == pytest.approx(y.var(correction=0).item(), rel=1e-3)
        assert all(later <= earlier + 1e-5 for earlier, later in itertools.pairwise(losses))  # the curve looks fine

    def test_dead_relus_end_at_the_variance_of_the_targets_too_with_equal_shapes(self):
        x = torch.randn(48, 3)
        y = x @ torch.tensor([[1.0], [-2.0], [0.5]]) + 3
        model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
        nn.init.constant_(model[0].bias, -100.0)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(200):
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        assert F.mse_loss(model(x), y).item() == pytest.approx(y.var(correction=0).item(), rel=1e-4)

    def test_training_with_equal_shapes_fits_the_line(self):
        x = torch.randn(48, 3)
        y = x @ torch.tensor([1.0, -2.0, 0.5]) + 3
        losses, predictions = fit(x, y.unsqueeze(1), steps=400)
        assert len(losses) == 400 and losses[-1] < 1e-4
        torch.testing.assert_close(predictions, y, rtol=0, atol=1e-2)

    def test_the_same_warning_is_shown_once_per_line_and_for_a_module_the_line_is_in_torch(self):
        x, y = torch.randn(8, 1), torch.randn(8)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            fit(x, y, steps=30)
            fit(x, y, steps=30)
            nn.MSELoss()(x, y)
            assert len(caught) == 1
            fit(x[:5], y[:5], steps=30)  # other sizes, another text
            assert len(caught) == 2
            for _ in range(3):
                F.mse_loss(x, y)
            F.mse_loss(x, y)
            assert len(caught) == 4

    def test_a_stretched_tensor_has_stride_0_and_the_result_has_the_full_size(self):
        column = torch.randn(7, 1)
        assert column.expand(7, 5).stride() == (1, 0)
        assert (column - column.T).nbytes == 7 * column.nbytes

    def test_per_channel_and_all_pairs_are_written_with_size_1_dimensions(self):
        images, mean = torch.randn(2, 3, 4, 5), torch.randn(3)
        shifted = images - mean[:, None, None]
        assert all(torch.equal(shifted[:, c], images[:, c] - mean[c]) for c in range(3))
        points = torch.randn(6, 2)
        pairs = points[:, None] - points[None]
        assert pairs.shape == (6, 6, 2) and torch.equal(pairs[4, 1], points[4] - points[1])

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
    def test_trained_on_batches_the_share_of_the_signal_that_survives_follows_the_formula(self, batch_size):
        share = (32 - batch_size) / (batch_size * (32 - 1))
        assert broadcasting_batch_size.fitted_slope(batch_size) == pytest.approx(2 * share, abs=0.06)

    @pytest.mark.parametrize(("n", "batch_size"), [(5, 1), (5, 2), (5, 5), (8, 3), (100, 2)])
    def test_over_all_batches_a_sample_is_pulled_to_that_share_of_its_own_target(self, n, batch_size):
        y = torch.randn(n, dtype=torch.float64)
        batches = [batch for batch in itertools.combinations(range(n), batch_size) if 0 in batch]
        pulled_to = torch.stack([y[list(batch)].mean() for batch in batches]).mean()
        share = (n - batch_size) / (batch_size * (n - 1))
        torch.testing.assert_close(pulled_to, share * y[0] + (1 - share) * y.mean())

    def test_with_many_more_samples_than_a_batch_the_share_is_about_one_part_in_the_batch_size(self):
        for batch_size in (2, 8, 32):
            n = 1000 * batch_size
            assert (n - batch_size) / (batch_size * (n - 1)) == pytest.approx(1 / batch_size, rel=0.01)

    @pytest.mark.parametrize("seed", range(3))
    def test_fixed_batches_of_sorted_data_keep_most_of_the_signal(self, seed):
        x = torch.randn(32, 1, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        slopes = []
        for order in (x.sort(dim=0).values, x):
            pulled_to = (2 * order[:, 0]).reshape(4, 8).mean(dim=1).repeat_interleave(8)
            design = torch.cat([order, torch.ones_like(order)], dim=1)
            slopes.append(torch.linalg.lstsq(design, pulled_to.unsqueeze(1)).solution[0].item())
        assert slopes[0] > 1.6 > 1 > slopes[1]

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

    @pytest.mark.parametrize("decay", [0.0, 0.1, 1.0])
    def test_the_full_batch_ends_at_the_variance_of_the_targets_only_without_weight_decay(self, decay):
        torch.manual_seed(0)
        x = torch.randn(32, 1)
        y = 2 * x.squeeze(1) + 3
        model = nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=decay)
        for _ in range(300):
            optimizer.zero_grad()
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
        assert (loss.item() == pytest.approx(y.var(correction=0).item(), rel=1e-4)) == (decay == 0)

    @pytest.mark.parametrize(("setting", "failed"), [("", 1), ("filterwarnings = error:Using a target size", 0)])
    def test_pytest_drops_a_filter_set_at_the_top_of_a_file_and_takes_the_setting(self, setting, failed, tmp_path):
        (tmp_path / "pytest.ini").write_text(f"[pytest]\n{setting}\n")
        (tmp_path / "test_shapes.py").write_text(
            "import warnings, pytest\n"
            'warnings.filterwarnings("error", message="Using a target size")\n'
            "def test_it():\n"
            "    with pytest.raises(UserWarning):\n"
            '        warnings.warn("Using a target size (torch.Size([3]))")\n'
        )
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "."]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == failed and ("1 failed" if failed else "1 passed") in run.stdout

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

    @pytest.mark.parametrize("shape", [(3, 5), (5, 3), (0, 3)])
    def test_without_keepdim_a_matrix_that_is_not_square_raises(self, shape):
        with pytest.raises(RuntimeError, match="must match the size"):
            broadcasting_square.normalize_rows(torch.ones(shape))

    @pytest.mark.parametrize("rows", [2, 3])
    def test_without_keepdim_a_single_column_gives_all_pairs(self, rows):
        assert broadcasting_square.normalize_rows(torch.ones(rows, 1)).shape == (rows, rows)
