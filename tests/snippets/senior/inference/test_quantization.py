"""What docs/senior/inference/quantization.md claims, proven beyond the example shown."""

import copy
import io
import pickle
import warnings

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

page = load_snippet("senior/inference/quantization.py")


def back(q, scale, zero):
    return (q - zero) * scale


def error(x, bits, group):
    """Relative error of each row of x, with one scale per group of values."""
    difference = back(*page.quantize(x.reshape(-1, group), bits)).view_as(x) - x
    return difference.norm(dim=1) / x.norm(dim=1), difference.norm() / x.norm()


class TestByHand:
    @pytest.mark.parametrize("bits", [2, 4, 8])
    @pytest.mark.parametrize("shift", [-9.0, 0.0, 9.0])
    def test_rounding_costs_at_most_half_a_step_and_zero_is_exact(self, bits, shift):
        torch.manual_seed(bits)
        x = torch.randn(6, 50).double() + shift
        x[:, 0] = 0
        q, scale, zero = page.quantize(x, bits)
        assert q.dtype == torch.uint8 and q.max() <= 2**bits - 1
        span = x.amax(1, keepdim=True).clamp(min=0) - x.amin(1, keepdim=True).clamp(max=0)
        torch.testing.assert_close(scale, span / (2**bits - 1))
        off = (back(q, scale, zero) - x).abs()
        # At the ends too: what the rounded zero point pushes out of the range and is clamped is half a step at most.
        assert (off / scale).max() <= 0.5 + 1e-9
        assert not off[:, 0].any()

    @pytest.mark.parametrize("ratio", [50.0, 1000.0])
    def test_one_scale_ruins_the_small_rows_and_the_error_of_the_matrix_hides_it(self, ratio):
        torch.manual_seed(1)
        x = torch.randn(5, 256).double() * torch.tensor([[1.0], [1], [ratio], [1], [1]])
        rows, whole = error(x, 8, x.numel())
        assert whole < 0.025 and rows[2] < 0.025
        assert rows[[0, 1, 3, 4]].min() > 0.25
        rows, _ = error(x, 8, 256)
        assert rows.max() < 0.015

    def test_a_group_scale_helps_at_4_bits(self):
        for seed in (0, 1):
            torch.manual_seed(seed)
            x = torch.randn(4, 512).double()
            assert error(x, 4, 32)[1] < 0.75 * error(x, 4, 512)[1]

    def test_an_outlier_ruins_its_group_only(self):
        torch.manual_seed(0)
        x = torch.randn(1, 256).double()
        x[0, 5] = 2000
        for group in (32, 256):
            lost = back(*page.quantize(x.view(-1, group))).view(-1).round(decimals=6) == 0
            assert lost[: group if group < 256 else 256].sum() == group - 1
            assert lost[group:].sum() < 5

    def test_a_row_of_zeros_stays_zero(self):
        assert not back(*page.quantize(torch.zeros(2, 3))).any()

    @pytest.mark.parametrize("length", [3, 300])
    def test_an_int8_product_keeps_the_last_8_bits(self, length):
        for value in (127, -77):
            x = torch.full((1, length), value, dtype=torch.int8)
            product = x @ x.mT
            exact = value * value * length
            assert product.dtype == torch.int8
            assert (product.item() - exact) % 256 == 0 and product.item() != exact
            assert (x.int() @ x.int().mT).item() == exact
        assert (127 * 127 * 300).bit_length() == 23

    def test_int_mm_returns_int32(self):
        x = torch.full((32, 64), 127, dtype=torch.int8)
        out = torch._int_mm(x, x.mT.contiguous()[:, :32])
        assert out.dtype == torch.int32 and out[0, 0] == 127 * 127 * 64

    @pytest.mark.parametrize("length", [1, 100])
    def test_the_magnitude_of_minus_128_is_minus_128(self, length):
        q = torch.full((length,), -128, dtype=torch.int8)
        assert (q.abs() == -128).all() and (q.int().abs() == 128).all()

    @pytest.mark.parametrize("value", [100, -128])
    def test_int8_sums_and_products_over_a_dimension_are_int64_and_operators_wrap(self, value):
        q = torch.full((4,), value, dtype=torch.int8)
        assert q.sum().dtype == q.prod().dtype == torch.int64
        assert q.sum() == 4 * value and q.prod() == value**4
        for wrapped, exact in ((q + q, 2 * value), (q * q, value**2), (q @ q, 4 * value**2)):
            assert wrapped.dtype == torch.int8 and (wrapped.int() != exact).all()
            assert ((wrapped.int() - exact) % 256 == 0).all()

    def test_after_a_relu_the_symmetric_step_is_twice_as_large(self):
        x = torch.randn(1, 400).relu()
        _, scale, zero = page.quantize(x)
        assert zero.item() == 0
        assert (x.max() / 127 / scale).item() == pytest.approx(255 / 127)

    def test_a_zero_point_adds_one_term_to_an_integer_product(self):
        torch.manual_seed(0)
        q, w = torch.randint(256, (3, 40)), torch.randint(-127, 128, (40, 5))
        assert torch.equal((q - 91) @ w, q @ w - 91 * w.sum(0))

    def test_resnet18_has_4_percent_of_its_parameters_in_the_linear_layer(self):
        assert round((512 * 1000 + 1000) / 11_689_512, 2) == 0.04

    def test_the_old_api_runs_and_names_a_removal_that_did_not_happen(self):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            model = nn.Sequential(nn.Linear(4, 4), nn.Conv2d(1, 1, 1))
            made = torch.ao.quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)
            made[0](torch.ones(1, 4))
        assert any(w.category is DeprecationWarning and "removed in 2.10" in str(w.message) for w in seen)
        assert tuple(int(n) for n in torch.__version__.split(".")[:2]) >= (2, 11)


@pytest.fixture(scope="module")
def ao():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torchao.quantization

        return torchao.quantization


@pytest.fixture(scope="module")
def program(ao):
    return load_snippet("senior/inference/quantization_torchao.py")


@pytest.mark.torchao
@pytest.mark.filterwarnings("ignore")
class TestTorchao:
    @pytest.mark.parametrize("width", [64, 160])
    def test_weight_only_multiplies_in_float_and_dynamic_in_int8(self, ao, program, width):
        configs = {"mm of torch.float32": ao.Int8WeightOnlyConfig()}
        configs["_int_mm of torch.int8"] = ao.Int8DynamicActivationInt8WeightConfig()
        for product, config in configs.items():
            torch.manual_seed(0)
            model, x = nn.Sequential(nn.Linear(width, width)), torch.randn(5, width)
            exact, size = model(x), program.stored(model)
            ao.quantize_(model, config)
            with torch.no_grad(), program.Products() as products:
                off = (model(x) - exact).norm() / exact.norm()
            assert products.seen == product
            assert size / 4 < program.stored(model) < size / 3.5
            assert off < 0.02
            assert model[0].weight.scale.numel() == width  # a scale per row

    def test_only_linear_layers_are_converted_and_nothing_says_so(self, ao):
        layers = [nn.Conv2d(3, 4, 3), nn.Embedding(5, 4), nn.LSTM(4, 4), nn.MultiheadAttention(8, 2), nn.Linear(4, 4)]
        model = nn.Sequential(*layers)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ao.quantize_(model, ao.Int8WeightOnlyConfig())
        assert [n for n, p in model.named_parameters() if type(p) is not nn.Parameter] == ["4.weight"]

    def test_a_float_model_loads_it_with_assign_only(self, ao):
        model = nn.Sequential(nn.Linear(64, 64))
        fresh, other = copy.deepcopy(model), copy.deepcopy(model)
        ao.quantize_(model, ao.Int8WeightOnlyConfig())
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        assert file.tell() < 64 * 64 * 2
        file.seek(0)
        state, x = torch.load(file), torch.randn(2, 64)
        with pytest.raises(RuntimeError):
            fresh.load_state_dict(state)
        fresh.load_state_dict(state, assign=True)
        ao.quantize_(other, ao.Int8WeightOnlyConfig())
        other.load_state_dict(state)
        assert torch.equal(fresh(x), model(x)) and torch.equal(other(x), model(x))

    def test_torch_load_needs_the_types_that_importing_torchao_registers(self, ao):
        model = nn.Sequential(nn.Linear(8, 8))
        ao.quantize_(model, ao.Int8WeightOnlyConfig())
        torch.save(model.state_dict(), file := io.BytesIO())
        file.seek(0)
        known = torch.serialization.get_safe_globals()
        torch.serialization.clear_safe_globals()
        try:
            with pytest.raises(pickle.UnpicklingError, match="Int8Tensor"):
                torch.load(file)
        finally:
            torch.serialization.add_safe_globals(known)
        file.seek(0)
        assert torch.equal(torch.load(file)["0.weight"].qdata, model[0].weight.qdata)

    @pytest.mark.parametrize("width", [16, 64])
    def test_int8_weights_reach_minus_128(self, ao, width):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(width, 64))
        ao.quantize_(model, ao.Int8WeightOnlyConfig())
        assert model[0].weight.qdata.min() == -128

    @pytest.mark.parametrize("words", [500, 1000])
    @pytest.mark.parametrize("dtype, share", [(torch.float32, 1.27), (torch.bfloat16, 1.53)])
    def test_a_tied_head_is_untied_and_the_model_grows(self, ao, program, words, dtype, share):
        model = nn.ModuleDict({"embed": nn.Embedding(words, 64), "head": nn.Linear(64, words, bias=False)})
        model["head"].weight = model["embed"].to(dtype).weight
        before = program.stored(model)
        ao.quantize_(model, ao.Int8WeightOnlyConfig())
        assert type(model["embed"].weight) is nn.Parameter
        assert program.stored(model) / before == pytest.approx(share, abs=0.005)

    def test_quantized_weights_do_not_require_a_gradient(self, ao):
        model = nn.Sequential(nn.Linear(8, 8))
        ao.quantize_(model, ao.Int8WeightOnlyConfig())
        model(torch.ones(1, 8)).sum().backward()
        assert not model[0].weight.requires_grad and model[0].bias.grad.any()

    @pytest.mark.parametrize("inputs", [64, 192])
    def test_int4_skips_a_layer_whose_inputs_are_no_multiple_of_128(self, ao, inputs):
        model = nn.Sequential(nn.Linear(inputs, 64)).bfloat16()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ao.quantize_(model, ao.Int4WeightOnlyConfig())
        assert type(model[0].weight) is nn.Parameter

    def test_int4_on_a_cpu(self, ao):
        model = nn.Sequential(nn.Linear(128, 64)).bfloat16()
        with pytest.raises(ImportError, match="mslk"):
            ao.quantize_(model, ao.Int4WeightOnlyConfig())
        ao.quantize_(model, ao.IntxWeightOnlyConfig(weight_dtype=torch.int4))
        q = model[0].weight.qdata
        assert q.element_size() == 1 and q.numel() == 128 * 64 and q.abs().max() <= 8
