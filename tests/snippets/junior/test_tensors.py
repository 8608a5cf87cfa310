"""Every claim that the pages of docs/junior/tensors make, proven beyond the example shown."""

import itertools
import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from warmup.testing import load_snippet

broadcasting = load_snippet("junior/tensors/broadcasting_rules.py")
broadcasting_broken = load_snippet("junior/tensors/broadcasting_broken.py")
broadcasting_batch_size = load_snippet("junior/tensors/broadcasting_batch_size.py")
broadcasting_square = load_snippet("junior/tensors/broadcasting_square_broken.py")
cuda_vs_to = load_snippet("junior/tensors/cuda_vs_to_broken.py")
move_to_gpu = load_snippet("junior/tensors/move_to_gpu_loop.py")
move_to_gpu_broken = load_snippet("junior/tensors/move_to_gpu_broken.py")
stack_vs_cat = load_snippet("junior/tensors/stack_vs_cat_by_hand.py")
stack_vs_cat_batches = load_snippet("junior/tensors/stack_vs_cat_batches_broken.py")
stack_vs_cat_broken = load_snippet("junior/tensors/stack_vs_cat_broken.py")
what_is_a_tensor = load_snippet("junior/tensors/what_is_a_tensor_both.py")
what_is_a_tensor_broken = load_snippet("junior/tensors/what_is_a_tensor_broken.py")
what_is_a_tensor_autograd = load_snippet("junior/tensors/what_is_a_tensor_autograd_broken.py")

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
            losses, predictions = broadcasting_broken.fit(x, y, steps=400, seed=seed)
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
        losses, predictions = broadcasting_broken.fit(x, y.unsqueeze(1), steps=400)
        assert len(losses) == 400 and losses[-1] < 1e-4
        torch.testing.assert_close(predictions, y, rtol=0, atol=1e-2)

    def test_the_same_warning_is_shown_once_per_line_and_for_a_module_the_line_is_in_torch(self):
        x, y = torch.randn(8, 1), torch.randn(8)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            broadcasting_broken.fit(x, y, steps=30)
            broadcasting_broken.fit(x, y, steps=30)
            nn.MSELoss()(x, y)
            assert len(caught) == 1
            broadcasting_broken.fit(x[:5], y[:5], steps=30)  # other sizes, another text
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


class TestWhatIsATensor:
    @pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 2), (7, 4)])
    def test_one_function_serves_both_libraries_and_autograd_agrees_with_the_hand_derived_gradient(self, rows, columns):
        generator = np.random.default_rng(rows)
        x, y, w = generator.normal(size=(rows, columns)), generator.normal(size=rows), generator.normal(size=columns)
        weight = torch.tensor(w, requires_grad=True)
        loss = what_is_a_tensor.squared_error(weight, torch.tensor(x), torch.tensor(y))
        expected = sum((x[i] @ w - y[i]) ** 2 for i in range(rows)) / rows
        assert what_is_a_tensor.squared_error(w, x, y) == pytest.approx(expected)
        assert loss.item() == pytest.approx(expected)
        loss.backward()
        np.testing.assert_allclose(weight.grad.numpy(), 2 / rows * x.T @ (x @ w - y))

    def test_only_the_tensor_has_gradients_and_leaves_the_cpu(self):
        array, tensor = np.ones(2), torch.ones(2)
        assert not any(hasattr(array, name) for name in ("requires_grad", "grad_fn", "grad", "backward"))
        assert array.device == "cpu" and tensor.to("meta").shape == (2,)
        with pytest.raises(ValueError, match="meta"):
            array.to_device("meta")

    def test_the_default_dtypes_differ(self):
        assert np.array([1.0]).dtype == np.float64 and torch.tensor([1.0]).dtype == torch.float32

    def test_arrays_and_tensors_are_views_with_a_shape_and_strides(self):
        array = np.arange(12.0).reshape(3, 4).T
        tensor = torch.from_numpy(array)
        assert tensor.shape == array.shape == (4, 3)
        assert tuple(step * 8 for step in tensor.stride()) == array.strides

    @pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.uint8, np.bool_])
    def test_from_numpy_and_numpy_share_for_every_dtype_and_tensor_copies(self, dtype):
        array = np.zeros(4, dtype=dtype)
        shared, copied = torch.from_numpy(array), torch.tensor(array)
        assert np.shares_memory(shared.numpy(), array) and np.shares_memory(torch.as_tensor(array).numpy(), array)
        assert not np.shares_memory(copied.numpy(), array)
        shared[1:3] = 1
        assert array.tolist() == [0, 1, 1, 0] and copied.tolist() == [0, 0, 0, 0]

    @pytest.mark.parametrize(("dtype", "shares"), [(np.float32, True), (np.float64, False), (np.int32, False)])
    def test_a_conversion_shares_only_if_there_is_nothing_to_convert(self, dtype, shares):
        array = np.zeros(4, dtype=dtype)
        for tensor in (torch.from_numpy(array).float(), torch.as_tensor(array, dtype=torch.float32)):
            assert np.shares_memory(tensor.numpy(), array) == shares

    def test_another_device_means_a_copy(self):
        assert torch.as_tensor(np.zeros(1), device="meta").is_meta

    @pytest.mark.parametrize("count", [2, 5])
    def test_a_reused_buffer_is_silent_for_float32_only(self, count):
        rows = [[float(number)] * 2 for number in range(1, count + 1)]
        assert what_is_a_tensor_broken.load(count, np.float64).tolist() == rows
        assert what_is_a_tensor_broken.load(count, np.float32).tolist() == [rows[-1]] * count
        for dtype in (np.float32, np.float64):
            read = what_is_a_tensor_broken.read_samples(count, dtype)
            copied = torch.stack([torch.tensor(sample, dtype=torch.float32) for sample in read])
            assert copied.tolist() == rows and copied.dtype == torch.float32

    def test_numpy_refuses_a_tensor_that_requires_grad_and_detach_still_shares(self):
        weight = torch.ones(2, requires_grad=True)
        with pytest.raises(RuntimeError, match="requires grad"):
            weight.numpy()
        weight.detach().numpy()[0] = 5
        assert weight.tolist() == [5, 1]

    def test_a_snapshot_through_numpy_goes_on_training(self):
        layer = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        before = layer.weight.tolist()
        alias = layer.weight.detach().cpu().numpy()
        copies = layer.weight.detach().clone().cpu().numpy(), layer.weight.detach().cpu().numpy().copy()
        layer(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        assert alias.tolist() == layer.weight.tolist() != before
        assert all(copy.tolist() == before for copy in copies)

    @pytest.mark.parametrize(
        ("write", "noticed"),
        [
            (lambda x, array: x.detach().fill_(100), True),
            (lambda x, array: x.view(1).fill_(100), True),
            (lambda x, array: x.data.fill_(100), False),
            (lambda x, array: torch.from_numpy(array).fill_(100), False),
            (lambda x, array: array.fill(100), False),
        ],
    )
    def test_autograd_notices_a_write_that_shares_the_version_counter_only(self, write, noticed):
        array = np.array([2.0, 3.0])
        x = torch.from_numpy(array[:1])
        weight = torch.ones(1, dtype=torch.float64, requires_grad=True)
        loss = (weight * x).sum()
        write(x, array[:1])
        if noticed:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                loss.backward()
        else:
            loss.backward()
            assert weight.grad.item() == 100

    def test_negative_strides_bfloat16_and_strings_do_not_cross(self):
        array = np.arange(3.0)
        for convert in (torch.from_numpy, torch.as_tensor, torch.tensor):
            with pytest.raises(ValueError, match="negative"):
                convert(array[::-1])
        assert torch.from_numpy(array[::-1].copy()).tolist() == [2, 1, 0]
        with pytest.raises(TypeError, match="BFloat16"):
            torch.ones(1, dtype=torch.bfloat16).numpy()
        assert torch.ones(1, dtype=torch.bfloat16).float().numpy().tolist() == [1]
        for array in (np.array(["a"]), np.array([{}])):
            with pytest.raises(TypeError):
                torch.from_numpy(array)

    @pytest.mark.parametrize("shape", [(2, 3), (4, 2, 3)])
    def test_view_never_copies_and_reshape_and_contiguous_copy_only_if_they_must(self, shape):
        t = torch.randn(shape)
        turned = t.transpose(0, 1)

        def shares(a):
            return a.untyped_storage().data_ptr() == t.untyped_storage().data_ptr()

        assert shares(t.view(-1)) and shares(t.reshape(-1)) and t.contiguous() is t
        assert shares(turned) and shares(turned.view(*turned.shape, 1))
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            turned.view(-1)
        assert not shares(turned.reshape(-1)) and not shares(turned.contiguous())
        assert torch.equal(turned.contiguous(), turned)

    def test_contiguous_copies_a_slice_with_gaps_and_not_one_without(self):
        t = torch.arange(12).reshape(4, 3)
        assert t[1:].contiguous().data_ptr() == t[1:].data_ptr()
        assert t[:, 1:].contiguous().data_ptr() != t[:, 1:].data_ptr()

    def test_a_result_has_a_grad_fn_only_if_the_operation_is_differentiable_and_grad_mode_is_on(self):
        x = torch.ones(3, requires_grad=True)
        assert (x * 2).grad_fn is not None and x.sum().grad_fn is not None
        for result in (x > 0, x.argmax(), x.to(torch.int64), x.detach(), torch.zeros_like(x)):
            assert result.grad_fn is None
        with torch.no_grad():
            assert (x * 2).grad_fn is None

    @pytest.mark.parametrize("n", [2, 5])
    def test_std_divides_by_another_number_and_mean_does_not(self, n):
        array = np.arange(float(n))
        tensor = torch.from_numpy(array)
        assert tensor.mean().item() == array.mean()
        assert tensor.std().item() == pytest.approx(array.std() * (n / (n - 1)) ** 0.5)
        assert tensor.std(correction=0).item() == pytest.approx(array.std())

    def test_numpy_counts_strides_in_bytes_and_torch_in_elements(self):
        for dtype in (np.float32, np.float64):
            array = np.zeros((2, 3), dtype=dtype)
            assert torch.from_numpy(array).stride() == (3, 1)
            assert array.strides == (3 * array.itemsize, array.itemsize)

    def test_dates_foreign_byte_orders_and_tensors_off_the_cpu_do_not_cross(self):
        native, foreign = np.ones(2, dtype="=f4"), np.ones(2, dtype="=f4").astype(np.dtype("f4").newbyteorder("S"))
        assert torch.from_numpy(native).tolist() == [1, 1]
        with pytest.raises(ValueError, match="byte order"):
            torch.from_numpy(foreign)
        assert torch.from_numpy(foreign.astype("=f4")).tolist() == [1, 1]
        with pytest.raises(TypeError):
            torch.from_numpy(np.array(["2020-01-01"], dtype="datetime64[D]"))
        with pytest.raises(TypeError):
            torch.ones(2, device="meta").numpy()

    def test_dlpack_writes_past_the_version_counter_and_detach_does_not(self):
        x = torch.full((1,), 2.0)
        torch.from_dlpack(x).fill_(9)
        assert x.item() == 9 and x._version == 0
        x.detach().fill_(7)
        assert x._version == 1

    def test_a_write_through_numpy_is_a_wrong_gradient_and_through_torch_an_error(self):
        assert what_is_a_tensor_autograd.gradient("none") == 2.0
        assert what_is_a_tensor_autograd.gradient("numpy") == 100.0
        assert what_is_a_tensor_autograd.gradient("data") == 100.0
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            what_is_a_tensor_autograd.gradient("torch")

    def test_the_version_counter_does_not_see_numpy(self):
        array = np.zeros(3)
        tensor = torch.from_numpy(array)
        array += 1
        assert tensor._version == 0
        tensor.add_(1)
        assert tensor._version == 1

    def test_float64_data_does_not_fit_float32_layers(self):
        layer, data = nn.Linear(3, 1), np.ones((2, 3))
        with pytest.raises(RuntimeError, match="dtype"):
            layer(torch.from_numpy(data))
        assert layer(torch.tensor(data, dtype=torch.float32)).shape == (2, 1)
        size = layer.weight.nbytes
        assert layer.double().weight.nbytes == 2 * size

    def test_some_functions_take_or_want_a_tensor_on_the_cpu_beside_one_on_a_device(self):
        batch, lengths = torch.ones(3, 2, 4, device="meta"), torch.tensor([3, 2])
        assert nn.utils.rnn.pack_padded_sequence(batch, lengths).data.is_meta
        assert all(part.is_meta for part in torch.tensor_split(batch, torch.tensor([1])))
        with pytest.raises(RuntimeError, match="1D CPU int64"):
            nn.utils.rnn.pack_padded_sequence(batch, lengths.to("meta"))


class TestStackVsCat:
    @pytest.mark.parametrize("shape", [(), (4,), (2, 3), (2, 1, 5)])
    @pytest.mark.parametrize("count", [1, 3])
    def test_stack_is_cat_of_unsqueezed_tensors_for_every_dim(self, shape, count):
        tensors = [torch.randn(shape) for _ in range(count)]
        for dim in range(-len(shape) - 1, len(shape) + 1):
            stacked = torch.stack(tensors, dim)
            assert torch.equal(stack_vs_cat.stack(tensors, dim), stacked)
            expected = list(shape)
            expected.insert(dim if dim >= 0 else dim + len(shape) + 1, count)
            assert list(stacked.shape) == expected
        assert torch.equal(stack_vs_cat.stack(tensors), torch.stack(tensors))
        for dim in (-len(shape) - 2, len(shape) + 1):
            with pytest.raises(IndexError):
                torch.stack(tensors, dim)

    def test_stack_by_hand_refuses_unequal_shapes_too(self):
        tensors = [torch.ones(2, 3), torch.ones(1, 3)]
        for function in (stack_vs_cat.stack, torch.stack):
            with pytest.raises(RuntimeError):
                function(tensors, 1)

    def test_cat_adds_the_sizes_of_one_dim_and_refuses_every_other_difference(self):
        for dim in (0, 1, 2, -1, -2, -3):
            other = [2, 3, 4]
            other[dim] = 7
            expected = [2, 3, 4]
            expected[dim] += 7
            assert list(torch.cat([torch.ones(2, 3, 4), torch.ones(other)], dim).shape) == expected
            with pytest.raises(RuntimeError, match="Sizes of tensors must match except in dimension"):
                torch.cat([torch.ones(2, 3, 4), torch.ones(other)], (dim + 1) % 3)
        with pytest.raises(IndexError):
            torch.cat([torch.ones(2, 3)], 2)

    def test_losses_can_be_stacked_and_not_concatenated(self):
        losses = [torch.tensor(1.0), torch.tensor(2.0)]
        assert torch.stack(losses).tolist() == [1, 2]
        with pytest.raises(RuntimeError, match="zero-dimensional"):
            torch.cat(losses)

    def test_both_write_the_same_numbers_and_differ_in_what_the_first_index_means(self):
        tensors = list(torch.randn(4, 2, 3))
        assert torch.equal(torch.stack(tensors).flatten(0, 1), torch.cat(tensors))

    def test_split_undoes_cat_and_unbind_undoes_stack(self):
        ragged, equal = [torch.randn(n, 2) for n in (3, 1, 2)], list(torch.randn(3, 2))
        assert all(map(torch.equal, torch.cat(ragged).split([3, 1, 2]), ragged))
        assert all(map(torch.equal, torch.stack(equal, 1).unbind(1), equal))

    @pytest.mark.parametrize("batch_size", [1, 3, 4, 5, 6, 12])
    def test_cat_is_right_for_every_batch_size(self, batch_size):
        targets = torch.tensor([0, 1, 2, 3, 0, 0, 2, 2, 3, 1, 1, 1])
        logits = F.one_hot(targets).float()
        logits[:3] = logits[:3].roll(1, dims=1)  # three of twelve are wrong
        assert stack_vs_cat_batches.accuracy(torch.cat, logits, targets, batch_size) == pytest.approx(0.75)

    @pytest.mark.parametrize("classes", [3, 5])
    def test_stacked_batches_larger_than_1_give_a_wrong_accuracy_only_if_they_are_as_large_as_the_classes(
        self, classes
    ):
        targets = torch.arange(classes * classes) // classes
        logits = F.one_hot(targets).float()
        for batch_size in range(2, classes * classes):
            if batch_size == classes:
                assert stack_vs_cat_batches.accuracy(torch.stack, logits, targets, batch_size) < 0.5
            else:
                with pytest.raises(RuntimeError):
                    stack_vs_cat_batches.accuracy(torch.stack, logits, targets, batch_size)

    @pytest.mark.parametrize("targets", [[0, 1, 2, 3], [0, 0, 0, 1, 2], [3, 2, 1]])
    def test_stacked_batches_of_one_give_the_share_of_class_0(self, targets):
        targets = torch.tensor(targets)
        logits = F.one_hot(targets, 4).float()
        share = (targets == 0).float().mean().item()
        assert stack_vs_cat_batches.accuracy(torch.stack, logits, targets, 1) == pytest.approx(share)
        assert stack_vs_cat_batches.accuracy(torch.cat, logits, targets, 1) == 1

    def test_slices_of_a_result_that_was_allocated_once_hold_what_cat_gives(self):
        batches = list(torch.randn(4, 5, 3)) + [torch.randn(2, 3)]
        result, start = torch.empty(22, 3), 0
        memory = result.data_ptr()
        for batch in batches:
            result[start : start + len(batch)] = batch
            start += len(batch)
        assert torch.equal(result, torch.cat(batches)) and result.data_ptr() == memory
        assert torch.cat(batches).nbytes == sum(batch.nbytes for batch in batches)

    @pytest.mark.parametrize("batch_size", [1, 3, 4, 6])
    def test_classes_indexed_from_the_end_survive_stacked_batches(self, batch_size):
        targets = torch.arange(12) // 3
        stacked = torch.stack(F.one_hot(targets).float().split(batch_size))
        assert torch.equal(stacked.argmax(dim=-1), torch.stack(targets.split(batch_size)))

    def test_three_gray_images_concatenated_pass_for_one_color_image(self):
        color, gray = nn.Conv2d(3, 2, 3), nn.Conv2d(1, 2, 3)
        images = [torch.rand(1, 5, 5) for _ in range(3)]
        assert color(torch.cat(images)).shape == (2, 3, 3)
        assert gray(torch.stack(images)).shape == (3, 2, 3, 3)
        for model, wrong in ((color, torch.stack(images)), (gray, torch.cat(images))):
            with pytest.raises(RuntimeError, match="channels"):
                model(wrong)
            assert "channels" in stack_vs_cat_broken.predict(model, wrong)

    @pytest.mark.parametrize(
        ("layers", "error"),
        [
            ([nn.AdaptiveAvgPool2d(1), nn.Flatten(start_dim=-3)], None),
            ([nn.AdaptiveAvgPool2d(1), nn.Flatten()], RuntimeError),
            ([nn.BatchNorm2d(4), nn.AdaptiveAvgPool2d(1), nn.Flatten(start_dim=-3)], ValueError),
        ],
    )
    def test_batch_norm_and_a_plain_flatten_find_the_missing_batch_dimension(self, layers, error):
        model = nn.Sequential(nn.Conv2d(3, 4, 3), *layers, nn.Linear(4, 5))
        images = torch.cat([torch.rand(1, 5, 5) for _ in range(3)])
        assert model(images.unsqueeze(0)).shape == (1, 5)
        if error is None:
            assert model(images).shape == (5,)
        else:
            with pytest.raises(error):
                model(images)

    def test_slices_written_in_grad_mode_keep_the_graph(self):
        batch = torch.ones(2, requires_grad=True) * 2
        result, quiet = torch.empty(2), torch.empty(2)
        with torch.no_grad():
            quiet[:] = batch
        result[:] = batch
        assert result.requires_grad and not quiet.requires_grad

    def test_cat_and_the_lengths_are_a_batch_of_unequal_samples(self):
        samples = [torch.randn(n) for n in (4, 1, 3)]
        with pytest.raises(RuntimeError, match="equal size"):
            torch.utils.data.default_collate(samples)
        assert all(map(torch.equal, torch.cat(samples).split([len(s) for s in samples]), samples))

    @pytest.mark.parametrize(
        ("dtype", "expected"),
        [
            (torch.int64, torch.float32),
            (torch.float64, torch.float64),
            (torch.float16, torch.float32),
            (torch.bool, torch.float32),
        ],
    )
    def test_an_empty_start_promotes_and_its_shape_is_ignored(self, dtype, expected):
        grown = torch.cat([torch.empty(0), torch.ones(2, 3, dtype=dtype)])
        assert grown.dtype == expected and grown.shape == (2, 3)
        with pytest.raises(RuntimeError, match="Sizes of tensors must match|same number of dimensions"):
            torch.cat([torch.empty(0, 1), torch.ones(2, 3)])

    @pytest.mark.parametrize(("samples", "models"), [(5, 3), (4, 2)])
    def test_outputs_of_several_models_for_the_same_samples_are_stacked_before_the_mean(self, samples, models):
        outputs = [torch.randn(samples, 3) for _ in range(models)]
        torch.testing.assert_close(torch.stack(outputs).mean(0), sum(outputs) / models)
        assert torch.cat(outputs).mean(0).shape == (3,)  # one prediction for all samples

    @pytest.mark.parametrize("join", [torch.cat, torch.stack])
    def test_both_copy_and_both_hand_each_input_its_piece_of_the_gradient(self, join):
        inputs = [torch.zeros(2, requires_grad=True) for _ in range(3)]
        result = join(inputs)
        (result.flatten() * torch.arange(6.0)).sum().backward()
        assert [x.grad.tolist() for x in inputs] == [[0, 1], [2, 3], [4, 5]]
        result.detach().fill_(9)
        assert all(x.tolist() == [0, 0] for x in inputs)
        assert result.grad_fn is not None and result.detach().grad_fn is None


class TestMoveToGpu:
    @pytest.mark.parametrize("seed", [1, 2])
    def test_the_loop_trains_in_place_on_whatever_device_there_is(self, seed):
        torch.manual_seed(seed)
        device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
        model = nn.Linear(2, 1)
        inputs = torch.randn(60, 32, 2)
        losses = move_to_gpu.train(model, [(x, 3 * x[:, :1] - 1) for x in inputs], device)
        assert len(losses) == 60 and losses[-1] < 1e-3 * losses[0]
        torch.testing.assert_close(model.weight.cpu(), torch.tensor([[3.0, 0.0]]), rtol=0, atol=0.05)

    def test_the_loop_moves_the_model_and_both_parts_of_the_batch(self):
        model = nn.Linear(2, 1)
        with pytest.raises(RuntimeError, match="item"):  # the only call that needs data, which meta has not
            move_to_gpu.train(model, [(torch.ones(4, 2), torch.ones(4, 1))], torch.device("meta"))
        assert model.weight.is_meta and model.bias.is_meta

    @pytest.mark.parametrize("target", ["meta", torch.float64])
    def test_a_module_moves_in_place_and_a_tensor_does_not(self, target):
        model, x = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), torch.ones(2)
        assert model.to(target) is model and x.to(target) is not x
        assert (x.device.type, x.dtype) == ("cpu", torch.float32)
        floating = [t for t in model.state_dict().values() if t.is_floating_point()]
        assert all(t.device.type == target or t.dtype == target for t in floating) and len(floating) == 6

    def test_a_tensor_that_is_already_there_is_returned_itself(self):
        x = torch.ones(2)
        assert x.to("cpu") is x

    def test_everyone_who_holds_the_model_sees_the_move(self):
        model, x = nn.Linear(2, 2), torch.ones(2)
        same_model, same_x = model, x
        model, x = model.to("meta"), x.to("meta")
        assert same_model.weight.is_meta and not same_x.is_meta

    @pytest.mark.parametrize("target", ["meta", torch.float64])
    def test_a_kept_buffer_does_not_see_the_move(self, target):
        layer = nn.BatchNorm1d(2)
        kept, holder = layer.running_mean, [layer]
        layer.to(target)
        assert layer.running_mean is not kept and kept.device.type == "cpu" and kept.dtype == torch.float32
        assert holder[0].running_mean is layer.running_mean

    @pytest.mark.parametrize("forgotten", ["model", "x", "x =", "y"])
    def test_every_forgotten_move_raises_and_names_both_devices(self, forgotten):
        with pytest.raises(RuntimeError, match="Tensor on device (cpu|meta) is not on the expected device (cpu|meta)"):
            move_to_gpu_broken.loss_device(forgotten)

    def test_nothing_forgotten_computes_on_the_device(self):
        assert move_to_gpu_broken.loss_device("nothing") == "meta"

    def test_a_forgotten_target_raises_in_the_loss_only(self):
        output = nn.Linear(3, 1).to("meta")(torch.ones(4, 3, device="meta"))
        for loss in (F.mse_loss, F.l1_loss, F.binary_cross_entropy_with_logits):
            with pytest.raises(RuntimeError, match="device"):
                loss(output, torch.ones(4, 1))

    def test_class_weights_meet_the_output_in_the_loss(self):
        logits, targets = torch.ones(4, 3, device="meta"), torch.zeros(4, dtype=torch.int64, device="meta")
        criterion = nn.CrossEntropyLoss(weight=torch.ones(3))
        with pytest.raises(RuntimeError, match="device"):
            criterion(logits, targets)
        assert criterion.to("meta")(logits, targets).is_meta

    @pytest.mark.parametrize("operation", [torch.add, torch.mul, torch.pow, torch.maximum])
    def test_only_a_scalar_from_the_cpu_may_join_and_not_the_other_way_round(self, operation):
        on_device = torch.ones(3, device="meta")
        assert operation(on_device, torch.tensor(2.0)).is_meta and operation(torch.tensor(2.0), on_device).is_meta
        with pytest.raises(RuntimeError, match="device"):
            operation(on_device, torch.tensor([2.0]))
        with pytest.raises(RuntimeError, match="device"):
            operation(torch.ones(3), torch.tensor(2.0, device="meta"))

    def test_elementwise_operations_take_a_cpu_scalar_and_others_do_not(self):
        on_device, scalar = torch.ones(3, device="meta"), torch.tensor(2.0)
        for result in (
            torch.where(on_device > 0, on_device, scalar),
            torch.lerp(on_device, on_device, scalar),
            torch.clamp(on_device, scalar),
        ):
            assert result.is_meta
        for refused in (
            lambda: torch.stack([on_device[0], scalar]),
            lambda: F.prelu(on_device, scalar),
            lambda: torch.cat([on_device, scalar.reshape(1)]),
        ):
            with pytest.raises(RuntimeError, match="device"):
                refused()

    def test_an_index_may_stay_on_the_cpu_and_copy_crosses_devices(self):
        on_device = torch.ones(3, device="meta")
        assert on_device[torch.tensor([0, 2])].shape == (2,) and on_device[torch.tensor([True, False, True])].is_meta
        assert on_device.copy_(torch.ones(3)) is on_device
        other = torch.zeros(2, dtype=torch.float64)
        assert other.copy_(torch.ones(2, dtype=torch.float32)).tolist() == [1, 1]

    @pytest.mark.parametrize("optimizer_type", [torch.optim.SGD, torch.optim.AdamW])
    def test_an_optimizer_built_before_the_move_still_trains_the_model(self, optimizer_type):
        model = nn.Linear(2, 1)
        optimizer = optimizer_type(model.parameters(), lr=0.1)
        model.to(torch.float64)
        before = model.weight.detach().clone()
        model(torch.ones(1, 2, dtype=torch.float64)).sum().backward()
        optimizer.step()
        assert not torch.equal(model.weight, before)

    @pytest.mark.parametrize(
        ("optimizer_type", "options", "name"),
        [(torch.optim.SGD, {"momentum": 0.9}, "momentum_buffer"), (torch.optim.AdamW, {}, "exp_avg")],
    )
    def test_its_state_stays_behind_until_it_is_loaded(self, optimizer_type, options, name):
        model = nn.Linear(2, 1)
        optimizer = optimizer_type(model.parameters(), lr=0.1, **options)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        model.to(torch.float64)
        assert optimizer.state[model.weight][name].dtype == torch.float32
        optimizer.load_state_dict(optimizer.state_dict())
        assert optimizer.state[model.weight][name].dtype == torch.float64

    def test_meta_replaces_the_parameter_objects(self):
        model = nn.Linear(2, 1)
        weight = model.weight
        assert model.to(torch.float64).weight is weight
        assert model.to("meta").weight is not weight

    def test_a_plain_tensor_and_a_tensor_made_in_forward_stay_on_the_cpu(self):
        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.plain = torch.ones(3)
                self.register_buffer("registered", torch.ones(3))

            def forward(self, x):
                return x + torch.zeros(3)

        model, x = Scale().to("meta"), torch.ones(3, device="meta")
        assert not model.plain.is_meta and model.registered.is_meta
        with pytest.raises(RuntimeError, match="device"):
            model(x)
        assert (x + torch.zeros(3, device=x.device)).is_meta

    def test_a_moved_weight_is_no_leaf_and_the_gradient_goes_to_the_original(self):
        original = torch.ones(3, requires_grad=True)
        assert original.to("cpu") is original and not original.to("meta").is_leaf
        moved = original.to(torch.float64)
        moved.sum().backward()
        with pytest.warns(UserWarning, match="not a leaf"):
            assert moved.grad is None
        assert original.grad.tolist() == [1, 1, 1]
        assert torch.ones(3, requires_grad=True, device="meta").is_leaf
        for result in (moved, original.to("meta")):
            with pytest.raises(ValueError, match="can't optimize a non-leaf Tensor"):
                torch.optim.SGD([result], lr=0.1)

    @pytest.mark.parametrize("bias", [True, False])
    def test_on_meta_the_bias_is_compared_and_the_product_is_not(self, bias):
        layer = nn.Linear(3, 2, bias=bias)
        if bias:
            with pytest.raises(RuntimeError, match="device"):
                layer(torch.ones(4, 3, device="meta"))
        else:
            assert layer(torch.ones(4, 3, device="meta")).is_meta

    @pytest.mark.parametrize("loss", [F.mse_loss, F.cross_entropy, "indexed by hand"])
    def test_a_forgotten_target_raises_in_losses_of_torch_and_not_as_an_index(self, loss):
        log_p = torch.zeros(4, 3, device="meta").log_softmax(1)
        if loss == "indexed by hand":
            target = torch.tensor([0, 1, 2, 0])
            assert (-log_p[torch.arange(4), target]).mean().is_meta
        else:
            with pytest.raises(RuntimeError, match="device"):
                loss(log_p, torch.full((4, 3), 1 / 3))


def cuda_error(call):
    """The exception that ``call`` raises, or None where there is a GPU."""
    try:
        call()
    except (AssertionError, RuntimeError) as error:
        return error
    return None


class TestCudaVsTo:
    def test_to_cuda_fails_exactly_as_cuda_does_for_tensors_and_modules(self):
        x, model = torch.ones(2), nn.Linear(2, 2)
        errors = [cuda_error(call) for call in (x.cuda, lambda: x.to("cuda"), model.cuda, lambda: model.to("cuda"))]
        assert len({(type(error), str(error)) for error in errors}) == 1
        assert (errors[0] is None) == torch.cuda.is_available()

    def test_the_exception_depends_on_the_build(self):
        error = cuda_error(torch.ones(1).cuda)
        if not torch.backends.cuda.is_built():
            assert type(error) is AssertionError and "not compiled with CUDA" in str(error)
        elif not torch.cuda.is_available():
            assert type(error) is RuntimeError

    def test_to_device_runs_anywhere(self):
        device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
        assert torch.ones(2).to(device).device.type == device.type
        assert nn.Linear(2, 2).to(device).weight.device.type == device.type

    def test_without_the_check_the_build_is_what_counts(self):
        built = torch.accelerator.current_accelerator()
        if not torch.accelerator.is_available():
            assert torch.accelerator.current_accelerator(check_available=True) is None
        if torch.backends.cuda.is_built():
            assert built.type == "cuda"

    def test_there_is_no_method_for_the_gpu_of_a_mac(self):
        assert not hasattr(torch.Tensor, "mps") and not hasattr(nn.Module, "mps")
        assert hasattr(torch.Tensor, "cuda") and torch.device("mps").type == "mps"

    @pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
    def test_without_a_gpu_a_cuda_call_raises_only_where_it_runs(self):
        def guarded(x):
            return x.cuda() if torch.cuda.is_available() else x

        assert guarded(torch.ones(1)).device.type == "cpu"
        with pytest.raises((RuntimeError, AssertionError)):
            torch.ones(1).cuda()

    @pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
    @pytest.mark.parametrize("build", [nn.CrossEntropyLoss, nn.ReLU, nn.Sequential])
    def test_without_a_gpu_a_module_without_tensors_does_not_raise(self, build):
        module = build()
        assert module.cuda() is module and module.to("cuda") is module
        for holds_one in (nn.CrossEntropyLoss(weight=torch.ones(2)), nn.BatchNorm1d(2, affine=False)):
            assert cuda_error(holds_one.cuda) is not None

    def test_cuda_takes_no_other_device_and_no_dtype(self):
        for wrong in ("cpu", "meta"):
            with pytest.raises((RuntimeError, AssertionError)):
                torch.ones(1).cuda(wrong)
        with pytest.raises(TypeError):
            torch.ones(1).cuda(dtype=torch.float16)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.float64, torch.int32, torch.bool])
    def test_to_takes_a_device_a_dtype_both_in_this_order_or_a_tensor(self, dtype):
        x = torch.ones(3)
        assert (x.to("meta").device.type, x.to("meta").dtype) == ("meta", torch.float32)
        assert (x.to(dtype).device.type, x.to(dtype).dtype) == ("cpu", dtype)
        both = x.to("meta", dtype), x.to(dtype=dtype, device="meta"), x.to(torch.ones((), dtype=dtype, device="meta"))
        assert all((result.device.type, result.dtype) == ("meta", dtype) for result in both)
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            x.to(dtype, "meta")

    @pytest.mark.parametrize("device", ["cpu", "meta"])
    def test_nothing_to_do_returns_the_same_object_unless_a_copy_is_asked_for(self, device):
        x = torch.ones(2, device=device)
        for same in (x.to(device), x.to(x.dtype), x.to(device, x.dtype), x.to(x), x.float()):
            assert same is x
        assert x.to(device, copy=True) is not x and x.to(torch.float64) is not x

    @pytest.mark.parametrize("values", [[4.0, 8.0], [1.0, 2.0, 9.0]])
    def test_an_in_place_function_overwrites_its_caller_only_without_a_move(self, values):
        x = torch.tensor(values)
        assert cuda_vs_to.standardize(x, "meta").is_meta and x.tolist() == values
        copied = cuda_vs_to.standardize(x, "cpu", copy=True)
        assert x.tolist() == values
        overwritten = cuda_vs_to.standardize(x, "cpu")
        assert overwritten is x and torch.equal(x, copied)
        torch.testing.assert_close(torch.stack([x.mean(), x.std()]), torch.tensor([0.0, 1.0]))

    def test_a_module_moves_integers_and_keeps_their_dtype(self):
        layer = nn.BatchNorm1d(2).to("meta", torch.bfloat16)
        assert layer.num_batches_tracked.is_meta and layer.num_batches_tracked.dtype == torch.int64
        assert layer.weight.dtype == layer.running_mean.dtype == torch.bfloat16
        for dtype in (torch.int64, torch.bool):
            with pytest.raises(TypeError, match="floating point or complex"):
                layer.to(dtype)
        layer.register_buffer("phase", torch.ones(2, dtype=torch.complex128))
        layer.register_buffer("mask", torch.ones(2, dtype=torch.bool))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # complex modules are experimental
            layer.to(torch.complex64)
        assert layer.phase.dtype == layer.weight.dtype == torch.complex64 and layer.mask.dtype == torch.bool

    def test_a_tensor_without_a_device_is_created_on_the_default_device(self):
        assert torch.zeros(3).device.type == "cpu"
        with torch.device("meta"):
            assert torch.zeros(3).is_meta and torch.zeros(3, device="cpu").device.type == "cpu"

    def test_a_counter_in_float16_stops_counting_and_a_tensor_truncates(self):
        counter = torch.zeros((), dtype=torch.float16)
        for _ in range(3000):
            counter += 1
        assert counter.item() == 2048
        assert torch.tensor([1.9, -1.9]).to(torch.int64).tolist() == [1, -1]

    def test_meta_finds_a_tensor_made_on_the_cpu_inside_forward(self):
        class Noisy(nn.Module):
            def forward(self, x):
                return x + torch.randn(x.shape)

        assert Noisy()(torch.ones(2)).shape == (2,)
        with pytest.raises(RuntimeError, match="device"):
            Noisy()(torch.ones(2, device="meta"))
        assert (torch.ones(1, 2, device="meta") @ torch.ones(2, 2)).is_meta  # no proof: a product does not compare
        assert (torch.ones(2, device="meta") + torch.tensor(2.0)).is_meta  # nor does a 0-dim tensor raise
