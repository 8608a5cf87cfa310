"""What docs/senior/gpu-performance/triton-kernel.md claims, proven beyond the example shown."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from warmup.testing import load_snippet

pytestmark = pytest.mark.triton
NEUTRAL = -float("inf")


@pytest.fixture(scope="module")
def short():
    return load_snippet("senior/gpu-performance/triton_kernel.py")


@pytest.fixture(scope="module")
def broken():
    return load_snippet("senior/gpu-performance/triton_kernel_broken.py")


@pytest.fixture(scope="module")
def long_rows():
    return load_snippet("senior/gpu-performance/triton_kernel_long_rows.py")


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    """Small kernels; Triton reads their source, so they have to be in a file."""
    path = tmp_path_factory.mktemp("probe") / "probe_kernels.py"
    path.write_text(
        "import triton\nimport triton.language as tl\n\n\n"
        "@triton.jit\ndef sums(x, out, n, BLOCK: tl.constexpr, CAST: tl.constexpr):\n"
        "    i = tl.arange(0, BLOCK)\n    v = tl.load(x + i, mask=i < n, other=0.0)\n"
        "    if CAST:\n        v = v.to(tl.float32)\n    tl.store(out, tl.sum(v, 0))\n\n\n"
        "@triton.jit\ndef bare(x, out, n, BLOCK: tl.constexpr):\n"
        "    i = tl.arange(0, BLOCK)\n    tl.store(out, tl.sum(tl.load(x + i, mask=i < n), 0))\n\n\n"
        "@triton.jit\ndef count(out, ATOMIC: tl.constexpr):\n"
        "    if ATOMIC:\n        tl.atomic_add(out, 1.0)\n    else:\n        tl.store(out, tl.load(out) + 1.0)\n\n\n"
        "@triton.jit\ndef offsets(out, stride, WIDE: tl.constexpr):\n    row = tl.program_id(0)\n"
        "    if WIDE:\n        row = row.to(tl.int64)\n    tl.store(out + tl.program_id(0), row * stride)\n"
    )
    import importlib.util

    spec = importlib.util.spec_from_file_location("probe_kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TestTritonKernel:
    @pytest.mark.parametrize("columns", [1, 5, 8, 33])
    @pytest.mark.parametrize("scale", [1, 100])
    def test_it_equals_softmax_for_sizes_that_fill_a_block_and_that_do_not(self, short, columns, scale):
        x = scale * torch.randn(3, columns)
        out = torch.empty_like(x)
        block = short.triton.next_power_of_2(columns)
        short.kernel[(3,)](x, out, x.stride(0), out.stride(0), columns, block)
        torch.testing.assert_close(out, x.softmax(1))

    def test_it_writes_nothing_around_a_strided_output(self, short):
        memory = torch.full((3, 8), -1.0)
        x, out = torch.randn(3, 5), memory[:, :5]
        short.kernel[(3,)](x, out, x.stride(0), out.stride(0), 5, 8)
        assert (memory[:, 5:] == -1).all()
        torch.testing.assert_close(out, x.softmax(1))

    def test_a_row_of_minus_infinity_is_nan_as_in_pytorch(self, short):
        x = torch.full((1, 5), NEUTRAL)
        out = torch.zeros(1, 5)
        with pytest.warns(RuntimeWarning):
            short.kernel[(1,)](x, out, 5, 5, 5, 8)
        assert out.isnan().all() and x.softmax(1).isnan().all()

    def test_by_hand_the_matrix_is_read_or_written_eight_times(self):
        class Passes(TorchDispatchMode):
            count = 0

            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                out = func(*args, **(kwargs or {}))
                self.count += sum(isinstance(t, torch.Tensor) and t.shape == (64, 64) for t in (*args, out))
                return out

        x = torch.randn(64, 64)
        with Passes() as passes:
            e = (x - x.amax(1, keepdim=True)).exp()
            e / e.sum(1, keepdim=True)
        assert passes.count == 8


class TestTritonKernelBroken:
    @pytest.mark.parametrize(("columns", "total"), [(5, 5 / 8), (2, 2 / 8), (8, 1)])
    def test_other_0_counts_the_masked_lanes(self, broken, columns, total):
        x, out = torch.zeros(1, columns), torch.zeros(1, columns)
        broken.softmax[(1,)](x, out, columns, columns, OTHER=0.0, MASK=True)
        assert out.sum().item() == pytest.approx(total)

    def test_other_0_is_right_for_a_sum_and_large_scores_hide_the_bug(self, broken):
        x, out = torch.full((1, 5), 50.0), torch.zeros(1, 5)
        broken.softmax[(1,)](x, out, 5, 5, OTHER=0.0, MASK=True)
        torch.testing.assert_close(out, x.softmax(1))

    def test_the_width_instead_of_the_stride_is_wrong_only_for_a_slice(self, broken):
        base = torch.randn(2, 8)
        for x, right in ((base[:, :5], False), (base[:, :5].contiguous(), True)):
            out = torch.zeros(2, 5)
            broken.softmax[(2,)](x, out, 5, 5, OTHER=NEUTRAL, MASK=True)
            assert torch.allclose(out, x.softmax(1)) == right

    def test_a_store_without_a_mask_writes_behind_the_output(self, broken):
        for mask, written in ((True, 0), (False, 3)):
            memory = torch.full((14,), -1.0)
            broken.softmax[(2,)](torch.zeros(2, 5), memory, 5, 5, OTHER=NEUTRAL, MASK=mask)
            assert (memory[10:] != -1).sum() == written

    def test_a_transposed_input_is_wrong_and_nothing_raises(self, short):
        x, out = torch.randn(5, 4).T, torch.zeros(4, 5)
        short.kernel[(4,)](x, out, x.stride(0), 5, 5, 8)
        assert not torch.allclose(out, x.softmax(1))


class TestTritonKernelLongRows:
    @pytest.mark.parametrize("block", [1, 16, 64])
    def test_any_block_gives_the_same_result_for_rows_that_grow_and_fall(self, long_rows, block):
        x = torch.stack([torch.linspace(-9, 9, 37), torch.linspace(9, -9, 37)])
        torch.testing.assert_close(long_rows.softmax(x, block), x.softmax(1))

    @pytest.mark.parametrize("masked", [slice(0, 16), slice(0, 36), slice(16, 32), slice(21, 37)])
    def test_a_block_of_minus_infinity_does_not_spoil_the_row(self, long_rows, masked):
        x = torch.randn(2, 37)
        x[1, masked] = NEUTRAL
        torch.testing.assert_close(long_rows.softmax(x, 16), x.softmax(1))

    @pytest.mark.filterwarnings("ignore:invalid value")
    def test_a_row_of_minus_infinity_or_with_nan_is_nan_as_in_pytorch(self, long_rows):
        x = torch.full((2, 37), NEUTRAL)
        x[1] = 0
        x[1, 20] = torch.nan
        assert long_rows.softmax(x, 16).isnan().all() and x.softmax(1).isnan().all()

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
    def test_it_keeps_the_dtype_and_takes_slices(self, long_rows, dtype):
        x = torch.randn(6, 50).to(dtype)[::2, 3:40]
        y = long_rows.softmax(x, 16)
        assert y.dtype == dtype and y.is_contiguous()
        torch.testing.assert_close(y, x.softmax(1), atol=1e-2 if dtype != torch.float32 else 1e-6, rtol=1e-2)

    @pytest.mark.parametrize("shape", [(0, 5), (3, 0), (3, 1)])
    def test_empty_and_one_column(self, long_rows, shape):
        torch.testing.assert_close(long_rows.softmax(torch.randn(shape), 16), torch.randn(shape).softmax(1) * 0 + 1)

    @pytest.mark.parametrize("x", [torch.zeros(4, 3).T, torch.zeros(4), torch.zeros(4, 6)[:, ::2]])
    def test_it_refuses_what_it_would_get_wrong(self, long_rows, x):
        with pytest.raises(ValueError, match="last stride of 1"):
            long_rows.softmax(x)

    def test_there_is_no_gradient_and_nothing_raises_at_the_call(self, long_rows):
        assert not long_rows.softmax(torch.randn(2, 4, requires_grad=True), 4).requires_grad


class TestTritonInterpreter:
    def test_a_block_is_a_power_of_two_and_at_most_a_mebielement(self, probe):
        out = torch.zeros(1)
        with pytest.raises(Exception, match="arange's range must be a power of 2"):
            probe.sums[(1,)](torch.zeros(10), out, 10, 10, False)
        with pytest.raises(Exception, match=r"exceeds triton maximum tensor numel \(1048576\)"):
            probe.sums[(1,)](torch.zeros(10), out, 10, 2**21, False)

    def test_without_other_the_interpreter_gives_0(self, probe):
        out = torch.zeros(1)
        probe.bare[(1,)](torch.ones(8), out, 5, 8)
        assert out.item() == 5

    def test_a_load_and_a_store_count_as_well_as_an_atomic_add_because_programs_run_in_order(self, probe):
        for atomic in (False, True):
            out = torch.zeros(1)
            probe.count[(100,)](out, atomic)
            assert out.item() == 100

    def test_a_row_times_a_stride_overflows_at_two_to_the_31_unless_the_row_is_int64(self, probe):
        for wide in (False, True):
            out = torch.zeros(4, dtype=torch.int64)
            probe.offsets[(4,)](out, 2**30, wide)
            assert out.tolist() == [0, 2**30, 2**31 if wide else -(2**31), 3 * 2**30 if wide else -(2**30)]

    def test_bfloat16_needs_a_cast_because_bit_patterns_are_added(self, probe):
        sums = {}
        for cast in (False, True):
            out = torch.zeros(1, dtype=torch.bfloat16)
            probe.sums[(1,)](torch.ones(1000, dtype=torch.bfloat16), out, 1000, 1024, cast)
            sums[cast] = out.item()
        assert sums[True] == 1000 and sums[False] < 1e-30
