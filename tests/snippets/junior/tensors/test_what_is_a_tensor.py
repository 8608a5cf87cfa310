"""What docs/junior/tensors/what-is-a-tensor.md claims, proven beyond the example shown."""

import numpy as np
import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

what_is_a_tensor_autograd = load_snippet("junior/tensors/what_is_a_tensor_autograd_broken.py")


class TestWhatIsATensor:
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
    def test_a_reused_buffer_is_right_for_both_dtypes_if_each_sample_is_copied(self, count):
        for dtype in (np.float32, np.float64):
            buffer, samples, copies = np.empty(2, dtype=dtype), [], []
            for number in range(1, count + 1):
                buffer.fill(number)
                samples.append(torch.from_numpy(buffer).float())
                copies.append(torch.tensor(buffer, dtype=torch.float32))
            rows = [[float(number)] * 2 for number in range(1, count + 1)]
            assert torch.stack(copies).tolist() == rows
            assert torch.stack(samples).tolist() == (rows if dtype is np.float64 else [rows[-1]] * count)

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


@pytest.mark.parametrize(
    ("one", "other", "result"),
    [
        ("uint8", "int8", "int16"),
        ("int32", "int64", "int64"),
        ("float16", "bfloat16", "float32"),
        ("float32", "float64", "float64"),
        ("int64", "float16", "float16"),
        ("bool", "uint8", "uint8"),
        ("float64", "complex64", "complex128"),
        ("uint8", "uint8", "uint8"),
    ],
)
def test_the_sum_of_two_tensors_has_a_dtype_that_holds_both_or_is_of_the_higher_category(one, other, result):
    tensors = [torch.ones(2, dtype=getattr(torch, name)) for name in (one, other)]
    assert sum(tensors[1:], tensors[0]).dtype == getattr(torch, result)


@pytest.mark.parametrize(
    ("one", "others"),
    [
        *((name, "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64") for name in ("uint16", "uint32", "uint64")),
        *(
            (name, "bool int64 uint16 float16 bfloat16 float32 float8_e4m3fn float8_e5m2")
            for name in ("float8_e4m3fn", "float8_e5m2")
        ),
    ],
)
def test_newer_unsigned_integers_and_float8_have_no_common_dtype(one, others):
    for other in set(others.split()) - {one}:
        with pytest.raises(RuntimeError, match="[Pp]romot"):
            torch.ones(2, dtype=getattr(torch, one)) + torch.ones(2, dtype=getattr(torch, other))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.float16, torch.bfloat16, torch.float64])
def test_a_number_or_a_0_dim_tensor_widens_only_by_its_category(dtype):
    tensor, python = torch.ones(2, dtype=dtype), 1.0 if dtype.is_floating_point else 1
    wide = torch.tensor(1, dtype=torch.float64 if dtype.is_floating_point else torch.int64)
    assert (tensor + python).dtype == (tensor + wide).dtype == dtype
    if not dtype.is_floating_point:
        assert (tensor + 0.5).dtype == torch.get_default_dtype() == torch.float32
        for own in (torch.float16, torch.float64):
            assert (tensor + torch.tensor(0.5, dtype=own)).dtype == own


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32])
def test_values_do_not_widen_a_dtype_and_sums_of_integers_are_int64(dtype):
    most = torch.iinfo(dtype).max
    full = torch.full((2,), most, dtype=dtype)
    assert (full + full).tolist() == 2 * [-2 if dtype.is_signed else most - 1]
    assert full.sum().dtype == full.prod().dtype == full.cumsum(0).dtype == torch.int64
    assert (torch.tensor([200], dtype=torch.uint8) + torch.tensor([100], dtype=torch.uint8)).item() == 44


@pytest.mark.parametrize("number", [0.1, 0.3, 1 / 3])
def test_a_number_is_rounded_where_a_float32_tensor_meets_it_and_not_where_item_has_left_it(number):
    x = torch.tensor([number])
    assert (x == number).item()
    assert x.item() != number
    assert not (x.double() == number).item()
