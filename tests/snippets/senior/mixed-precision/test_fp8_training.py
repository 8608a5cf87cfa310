"""What docs/senior/mixed-precision/fp8-training.md claims, proven beyond the example shown."""

import contextlib

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from warmup.testing import load_snippet

trip = load_snippet("senior/mixed-precision/fp8_training.py")
formats = load_snippet("senior/mixed-precision/fp8_training_values.py")
blocks = load_snippet("senior/mixed-precision/fp8_training_blocks.py")

E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2


class TestFormats:
    @pytest.mark.parametrize(
        ("dtype", "largest", "smallest", "per_octave"), [(E4M3, 448, 2.0**-9, 8), (E5M2, 57344, 2.0**-16, 4)]
    )
    def test_range_and_steps(self, dtype, largest, smallest, per_octave):
        x = formats.values(dtype)
        assert x[0] == smallest and x[-1] == largest == torch.finfo(dtype).max
        assert torch.equal(x, x.sort().values) and x.isfinite().all()
        for power in (-5, -1, 0, 3, 6):
            assert ((x >= 2.0**power) & (x < 2.0 ** (power + 1))).sum() == per_octave

    def test_e4m3_spans_229376_and_e5m2_3_8_billion(self):
        for dtype, span in ((E4M3, 229_376), (E5M2, 3_758_096_384)):
            x = formats.values(dtype)
            assert x[-1].item() / x[0].item() == span

    def test_half_of_the_smallest_e4m3_value_becomes_zero(self):
        x = torch.tensor([2.0**-10, 2.0**-10 * 1.01, 2.0**-9])
        assert x.to(E4M3).float().tolist() == [0, 2.0**-9, 2.0**-9]

    @pytest.mark.skipif(torch.__version__ < "2.13", reason="E4M3 saturates since pytorch#178817")
    @pytest.mark.parametrize("size", [465.0, 500.0, 1e6, float("inf")])
    def test_e4m3_saturates_on_a_cpu_and_e5m2_becomes_inf(self, size):
        x = torch.full((67,), size)
        assert (x.to(E4M3).float() == 448).all() and ((-x).to(E4M3).float() == -448).all()
        assert (torch.clamp(x, min=1e6).to(E5M2).float() == float("inf")).all()

    @pytest.mark.parametrize("size", [449.0, 57344.0])
    def test_e5m2_holds_what_is_above_448(self, size):
        assert torch.tensor(size).to(E5M2).float().isfinite()

    def test_the_format_for_amd_ends_at_240(self):
        assert torch.finfo(torch.float8_e4m3fnuz).max == 240

    @pytest.mark.parametrize("dtype", [E4M3, E5M2])
    def test_adding_two_fp8_tensors_raises(self, dtype):
        x = torch.ones(2).to(dtype)
        with pytest.raises(NotImplementedError):
            x + x


class TestOutliers:
    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize("outlier", [100.0, 2e3])
    def test_one_outlier_ruins_int8_and_not_fp8(self, seed, outlier):
        x = torch.randn(128, 128, generator=torch.Generator().manual_seed(seed))

        def error(stored):
            return ((stored - x)[1:].norm() / x[1:].norm()).item()

        plain = x.abs().amax()
        assert error(trip.int8(x, plain / 127)) < 0.5 * error(trip.fp8(x, plain / 448))
        x[0, 0] = outlier
        assert error(trip.fp8(x, torch.tensor(outlier / 448))) < 0.03
        assert error(trip.int8(x, torch.tensor(outlier / 127))) > (0.2 if outlier == 100.0 else 0.999)

    def test_an_outlier_of_two_million_loses_all_others_in_both(self):
        x = torch.randn(100, 100, generator=torch.Generator().manual_seed(0))
        x[0, 0] = 2e6
        assert trip.fp8(x, x.amax() / 448).count_nonzero() == trip.int8(x, x.amax() / 127).count_nonzero() == 1

    @pytest.mark.parametrize("amax", [1.0, 448.0, 3e5])
    def test_what_is_500000_times_below_the_largest_becomes_zero(self, amax):
        x = torch.tensor([amax, amax / 5e5, amax / 4e5])
        assert trip.fp8(x, x.amax() / 448).ne(0).tolist() == [True, False, True]

    @pytest.mark.parametrize("factor", [1.0, 7.0, 1e-3])
    def test_the_relative_error_of_fp8_is_the_same_at_each_scale(self, factor):
        x = torch.empty(10_000).uniform_(1, 100, generator=torch.Generator().manual_seed(0)) * factor
        assert ((trip.fp8(x, x.amax() / 448) - x).abs() / x).max() <= 2.0**-4 * 1.001

    def test_each_value_is_zero_without_a_scale_and_none_with_one(self):
        x = torch.randn(5000, generator=torch.Generator().manual_seed(0)) * 1e-4
        assert not x.to(E4M3).float().any()
        assert trip.fp8(x, x.abs().amax() / 448).ne(0).float().mean() > 0.999

    @pytest.mark.parametrize("dtype", [E4M3, E5M2])
    def test_zeros_become_nan_unless_the_amax_is_clamped(self, dtype):
        x, largest = torch.zeros(40), torch.finfo(dtype).max
        assert (x / (x.abs().amax() / largest)).to(dtype).float().isnan().all()
        assert not (x / (x.abs().amax().clamp(min=1e-12) / largest)).to(dtype).float().any()

    def test_a_scale_of_an_earlier_step_clips_a_tensor_that_grew(self):
        x = torch.empty(1000).uniform_(0.1, 1, generator=torch.Generator().manual_seed(0))
        old = x.amax() / 448
        grown = trip.fp8(2 * x, old)
        assert grown.max() == pytest.approx(x.amax().item()) and (grown < 1.5 * x).sum() > 100
        assert ((trip.fp8(2 * x, 2 * old) / (2 * x)) > 0.9).all()


class TestBlocks:
    @pytest.mark.parametrize("shape", [(256, 256), (128, 384)])
    @pytest.mark.parametrize("block", [(128, 128), (1, 128), (1, 32), (64, 1)])
    def test_only_the_block_of_the_outlier_is_lost(self, shape, block):
        x = 0.5 + torch.rand(shape, generator=torch.Generator().manual_seed(0))
        x[70, 100] = 2e6
        scale = blocks.scales(x, *block)
        stored = (x / scale).to(E4M3).float()
        lost = stored == 0
        assert lost.sum() == block[0] * block[1] - 1
        kept = ~lost
        assert ((stored * scale - x)[kept].abs() <= x[kept] * 2.0**-4 * 1.001).all()

    def test_the_scale_of_a_block_is_its_amax_over_448(self):
        x = torch.randn(4, 6, generator=torch.Generator().manual_seed(0))
        scale = blocks.scales(x, 2, 3)
        assert scale.shape == x.shape
        for i in (0, 2):
            for j in (0, 3):
                part = x[i : i + 2, j : j + 3].abs().max() / 448
                assert (scale[i : i + 2, j : j + 3] == part).all()

    @pytest.mark.parametrize("spread", [2.5, 3.0])
    def test_a_wide_spread_loses_more_in_e4m3_than_in_e5m2(self, spread):
        generator = torch.Generator().manual_seed(1)
        x = torch.randn(50_000, generator=generator) * torch.exp(spread * torch.randn(50_000, generator=generator))
        lost = [(x / (x.abs().amax() / torch.finfo(d).max)).to(d).float().eq(0).float().mean() for d in (E4M3, E5M2)]
        assert lost[0] > 0.1 and lost[1] < 0.02


class TestProducts:
    @pytest.mark.parametrize("dtype", [E4M3, E5M2])
    def test_the_scaled_product_is_the_product_times_both_scales(self, dtype):
        generator = torch.Generator().manual_seed(0)
        a = torch.randn(16, 32, generator=generator).to(dtype)
        b = torch.randn(16, 32, generator=generator).to(dtype)
        one, two = torch.tensor(0.5), torch.tensor(4.0)
        found = torch._scaled_mm(a, b.t(), scale_a=one, scale_b=two, out_dtype=torch.float32)
        assert torch.allclose(found, a.float() @ b.float().t() * 2, rtol=1e-3, atol=1e-3)

    def test_on_a_cpu_the_scaled_product_takes_sizes_that_are_not_multiples_of_16(self):
        a, one = torch.ones(16, 17).to(E4M3), torch.tensor(1.0)
        assert (torch._scaled_mm(a, a.t(), scale_a=one, scale_b=one, out_dtype=torch.float32) == 17).all()

    @pytest.mark.parametrize(
        ("rows", "summed", "columns", "fits"), [(17, 32, 16, True), (16, 24, 16, False), (16, 32, 24, False)]
    )
    def test_on_cuda_the_summed_and_the_output_size_are_multiples_of_16(self, rows, summed, columns, fits):
        with FakeTensorMode():  # the checks of the sizes alone
            a = torch.empty(rows, summed, device="cuda").to(E4M3)
            b = torch.empty(columns, summed, device="cuda").to(E4M3)
            one = torch.ones((), device="cuda")
            with contextlib.nullcontext() if fits else pytest.raises(RuntimeError, match="divisible by 16"):
                torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)

    def test_scales_per_row_factor_out_and_scales_along_the_sum_do_not(self):
        generator = torch.Generator().manual_seed(0)
        a, b = torch.randn(8, 64, generator=generator), torch.randn(64, 8, generator=generator)
        row = a.abs().amax(1, keepdim=True)
        assert torch.allclose((a / row) @ b * row, a @ b, atol=1e-4)
        tiles, tile = a.view(8, 2, 32), a.view(8, 2, 32).abs().amax(2, keepdim=True)
        scaled = (tiles / tile).reshape(8, 64) @ b
        assert not torch.allclose(scaled * tile[:, 0], a @ b, atol=0.1)
        parts = torch.einsum("mtk,tkn->mtn", tiles / tile, b.view(2, 32, 8))
        assert torch.allclose((parts * tile).sum(1), a @ b, atol=1e-4)
