"""What docs/senior/mixed-precision/tensor-cores.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

cores = load_snippet("senior/mixed-precision/tensor_cores.py")
formats = load_snippet("senior/mixed-precision/tensor_cores_formats.py")
pad = load_snippet("senior/mixed-precision/tensor_cores_pad_broken.py")

LOW = [torch.float16, torch.bfloat16]


class TestAccumulator:
    @pytest.mark.parametrize(("dtype", "end"), [(torch.float16, 2048), (torch.bfloat16, 256)])
    @pytest.mark.parametrize("extra", [0, 5, 700])
    def test_a_16_bit_accumulator_stops_and_a_float32_one_does_not(self, dtype, end, extra):
        ones = torch.ones(end + extra, dtype=dtype)
        assert cores.dot(ones, ones, dtype) == end
        assert cores.dot(ones, ones, torch.float32) == torch.tensor(end + extra).to(dtype)

    @pytest.mark.parametrize("dtype", LOW)
    def test_torch_accumulates_in_float32_on_a_cpu(self, dtype):
        ones = torch.ones(2, 4096, dtype=dtype)
        for product in (ones @ ones.T, torch.nn.functional.linear(ones, ones), torch.einsum("ik,jk->ij", ones, ones)):
            assert product.dtype == dtype and (product == 4096).all()

    @pytest.mark.parametrize("dtype", LOW)
    def test_the_result_is_rounded_once(self, dtype):
        torch.manual_seed(0)
        x, y = torch.randn(2, 300).to(dtype)
        assert cores.dot(x, y, torch.float64) == (x.double() @ y.double()).to(dtype)
        assert cores.dot(x, y, torch.float32).dtype == dtype

    @pytest.mark.parametrize("size", [256.0, 1000.0])
    def test_a_float16_product_overflows_in_the_last_step_and_a_bfloat16_one_does_not(self, size):
        for dtype, finite in ((torch.float16, False), (torch.bfloat16, True)):
            x = torch.full((1, 1), size, dtype=dtype)
            assert (x @ x).isfinite().item() is finite
        assert torch.full((1, 1), 255.0).half() @ torch.full((1, 1), 255.0).half() == 255**2 - 1  # 65024, a float16

    @pytest.mark.parametrize("seed", [0, 1])
    def test_another_order_of_addition_moves_few_elements_by_a_bfloat16_step(self, seed):
        torch.manual_seed(seed)
        a, b = torch.rand(32, 512).bfloat16(), torch.rand(512, 32).bfloat16()
        products = a.float()[:, :, None] * b.float()[None]
        forward, backward = products.cumsum(1)[:, -1], products.flip(1).cumsum(1)[:, -1]
        one, two = forward.bfloat16(), backward.bfloat16()
        assert (one == two).float().mean() > 0.95
        assert (one.view(torch.int16) - two.view(torch.int16)).abs().max() <= 1


class TestFormats:
    @pytest.mark.parametrize("dtype", LOW)
    def test_products_of_16_bit_numbers_are_exact_in_float32(self, dtype):
        x = torch.arange(0, 1 << 15, 7, dtype=torch.int16).view(dtype)
        x = x[x.isfinite() & (x > 1e-15) & (x < 1e15)]
        a, b = x[torch.randperm(len(x), generator=torch.Generator().manual_seed(0))], x
        assert torch.equal((a.float() * b.float()).double(), a.double() * b.double())

    @pytest.mark.parametrize("dtype", ["fp16", "bf16"])
    def test_reduced_precision_reductions_are_on_by_default(self, dtype):
        assert getattr(torch.backends.cuda.matmul, f"allow_{dtype}_reduced_precision_reduction") is True

    def test_a_bfloat16_product_can_leave_the_range_of_float32(self):
        tiny = torch.tensor(1e-30).bfloat16()
        assert tiny > 0 and tiny.float() * tiny.float() == 0

    def test_tf32_has_the_digits_of_float16(self):
        x = torch.empty(10_000).uniform_(1, 1000, generator=torch.Generator().manual_seed(0))
        assert ((formats.tf32(x) - x).abs() <= x * 2.0**-11).all()
        ties = formats.tf32(x) != x.half().float()
        assert ties.float().mean() < 1e-3

    @pytest.mark.parametrize("value", [1e-30, 1e-8, 70000.0, 1e30])
    def test_tf32_has_the_range_of_float32(self, value):
        rounded = formats.tf32(torch.tensor([value, -value]))
        assert rounded.tolist() == pytest.approx([value, -value], rel=2.0**-11)

    def test_tf32_keeps_10_mantissa_bits(self):
        x = formats.tf32(torch.randn(1000, generator=torch.Generator().manual_seed(0)))
        assert not (x.view(torch.int32) & 0x1FFF).any()
        assert torch.equal(formats.tf32(x), x)
        assert formats.tf32(torch.tensor([1 + 2.0**-11])) == 1 + 2.0**-10


class TestPadding:
    @pytest.mark.parametrize(("size", "multiple", "result"), [(5, 8, 8), (8, 8, 8), (9, 8, 16), (50257, 64, 50304)])
    def test_padded_is_the_next_multiple(self, size, multiple, result):
        assert pad.padded(size, multiple) == result

    @pytest.mark.parametrize("classes", [3, 5, 13])
    def test_padded_columns_take_probability_until_they_are_cut_or_masked(self, classes):
        columns = pad.padded(classes)
        logits = torch.zeros(2, columns)
        lost = logits.softmax(-1)[:, classes:].sum(-1)
        assert torch.allclose(lost, torch.full((2,), 1 - classes / columns))
        cut = logits[:, :classes].softmax(-1)
        logits[:, classes:] = -torch.inf
        assert torch.allclose(logits.softmax(-1)[:, :classes], cut) and torch.allclose(cut, torch.tensor(1 / classes))

    @pytest.mark.parametrize("classes", [3, 5, 13])
    def test_with_minus_infinity_label_smoothing_makes_the_loss_inf(self, classes):
        logits, label = torch.zeros(1, pad.padded(classes)), torch.tensor([0])
        logits[:, classes:] = -torch.inf
        loss = torch.nn.functional.cross_entropy
        assert loss(logits, label).isfinite() and loss(logits, label, label_smoothing=0.1).isinf()
        cut = loss(logits[:, :classes], label, label_smoothing=0.1)
        assert torch.allclose(cut, loss(logits, label))  # all classes are equal

    def test_the_same_number_of_tiles_holds_the_padded_vocabulary(self):
        tiles = [pad.padded(columns, 128) // 128 for columns in (50257, 50264, 50304)]
        assert tiles == [393] * 3 and pad.padded(257, 128) == pad.padded(384, 128) == 384
