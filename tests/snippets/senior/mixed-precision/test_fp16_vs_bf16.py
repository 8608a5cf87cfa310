"""What docs/senior/mixed-precision/fp16-vs-bf16.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

bits = load_snippet("senior/mixed-precision/fp16_vs_bf16_bits.py")
rounding = load_snippet("senior/mixed-precision/fp16_vs_bf16_rounding.py")

LOW = {torch.float16: (5, 10), torch.bfloat16: (8, 7)}


def every(dtype):
    """All finite positive numbers of a 16-bit format, ascending."""
    x = torch.arange(1, 1 << 15, dtype=torch.int16).view(dtype)
    return x[x.isfinite()]


class TestFormats:
    @pytest.mark.parametrize(("dtype", "split"), LOW.items())
    def test_the_bits_are_split_as_the_table_says(self, dtype, split):
        exponent, mantissa = split
        info, bias = torch.finfo(dtype), 2 ** (exponent - 1) - 1
        assert 1 + exponent + mantissa == info.bits == 16
        assert info.eps == 2.0**-mantissa
        assert info.tiny == 2.0 ** (1 - bias)
        assert info.max == (2 - 2.0**-mantissa) * 2.0**bias

    def test_bfloat16_has_the_normal_range_of_float32(self):
        assert torch.finfo(torch.bfloat16).tiny == torch.finfo(torch.float32).tiny
        assert 0.99 < torch.finfo(torch.bfloat16).max / torch.finfo(torch.float32).max < 1
        assert torch.tensor(3.4e38).bfloat16().isinf() and torch.tensor(3.39e38).bfloat16().isfinite()

    @pytest.mark.parametrize(("dtype", "count"), [(torch.float16, 1024), (torch.bfloat16, 128)])
    def test_there_are_so_many_numbers_between_1_and_2(self, dtype, count):
        x = every(dtype)
        assert ((x >= 1) & (x < 2)).sum() == count

    @pytest.mark.parametrize(("dtype", "largest"), [(torch.float16, 2048), (torch.bfloat16, 256)])
    def test_whole_numbers_are_exact_up_to_here(self, dtype, largest):
        whole = torch.arange(2 * largest).float()
        exact = whole.to(dtype).float() == whole
        assert exact[: largest + 1].all() and not exact[largest + 1]

    def test_each_bfloat16_number_is_the_upper_half_of_a_float32_number(self):
        x = every(torch.bfloat16)
        assert torch.equal(x.float().view(torch.int32), x.view(torch.int16).int() << 16)

    def test_float16_loses_what_is_below_3e_8_and_bfloat16_keeps_it(self):
        small = torch.logspace(-37, -8, 100)
        assert not small[small < 2.0**-25].half().any() and small.bfloat16().all()
        assert torch.tensor(2.0**-24).half() == 2.0**-24
        assert ((small.bfloat16().float() - small).abs() / small).max() <= 2.0**-8

    @pytest.mark.parametrize("dtype", LOW)
    def test_the_gap_is_the_distance_to_the_next_number(self, dtype):
        x = every(dtype)
        assert torch.equal(bits.gap(x[:-1]), x[1:].double() - x[:-1].double())

    @pytest.mark.parametrize(("dtype", "most"), [(torch.float16, 11), (torch.bfloat16, 8)])
    def test_normal_numbers_have_all_bits_and_subnormal_ones_fewer(self, dtype, most):
        powers = every(dtype)
        powers = powers[torch.log2(powers.double()) % 1 == 0]
        found = 1 + torch.log2(powers.double() / bits.gap(powers))
        normal = powers >= torch.finfo(dtype).tiny
        assert (found[normal] == most).all() and (found[~normal] < most).all() and found[0] == 1


class TestLostUpdates:
    @pytest.mark.parametrize("size", [1e-3, 1.0, 300.0])
    def test_an_update_below_2_to_the_minus_9_of_the_weight_is_lost_in_bfloat16(self, size):
        w = (size * (1 + torch.rand(10_000))).bfloat16()
        assert torch.equal(w - w * 2.0**-9 * 0.99, w)
        assert torch.equal(w + w * 2.0**-9 * 0.99, w)
        larger = w.float() * 2.0**-8 * 1.01
        assert (w.float() - larger).bfloat16().ne(w).all() and (w.float() + larger).bfloat16().ne(w).all()

    @pytest.mark.parametrize(("beta", "moves"), [(0.9995, False), (0.999, False), (0.99, True), (0.95, True)])
    def test_a_decay_near_one_does_nothing_in_bfloat16(self, beta, moves):
        moment = torch.logspace(-6, 3, 500).bfloat16()
        once = moment * beta
        assert once.lt(moment).all() if moves else torch.equal(once, moment)

    @pytest.mark.parametrize("options", [{"foreach": False}, {"foreach": True}, {"fused": True}])
    @pytest.mark.parametrize("spike", [1.0, 32.0])
    def test_adam_in_bfloat16_never_forgets_a_spike(self, options, spike):
        kept = {}
        for dtype in (torch.float32, torch.bfloat16):
            w = torch.nn.Parameter(torch.ones(3, dtype=dtype))
            optimizer = torch.optim.Adam([w], **options)
            w.grad = torch.full_like(w, spike)
            optimizer.step()
            first = optimizer.state[w]["exp_avg_sq"].clone()
            for _ in range(200):
                w.grad = torch.zeros_like(w)
                optimizer.step()
            kept[dtype] = (optimizer.state[w]["exp_avg_sq"] / first).max().item()
        assert kept[torch.bfloat16] == 1 and 0.81 < kept[torch.float32] < 0.83

    def test_reductions_accumulate_in_float32_and_round_once(self):
        for dtype in LOW:
            ones = torch.ones(1000, dtype=dtype)
            assert ones.sum() == 1000 and ones @ ones == 1000
        total = torch.zeros((), dtype=torch.bfloat16)
        for one in torch.ones(1000, dtype=torch.bfloat16):
            total += one
        assert total == 256

    @pytest.mark.parametrize(("dtype", "end"), [(torch.float16, 2048), (torch.bfloat16, 256), (torch.float32, 3000)])
    def test_additions_to_one_element_are_rounded_each_time(self, dtype, end):
        index, ones = torch.zeros(3000, dtype=torch.long), torch.ones(3000, dtype=dtype)
        assert torch.zeros(1, dtype=dtype).index_add_(0, index, ones) == end
        table = torch.zeros(1, 1, dtype=dtype, requires_grad=True)
        torch.nn.functional.embedding(index, table).sum().backward()
        assert table.grad == end
        weight = torch.zeros(1, dtype=dtype, requires_grad=True)
        for _ in range(3000):
            weight.sum().backward()
        assert weight.grad == end
        assert ones.sum() == torch.tensor(3000).to(dtype)

    @pytest.mark.parametrize("sign", [1, -1])
    def test_an_update_above_2_to_the_minus_8_moves_whatever_the_signs(self, sign):
        weight = torch.ones((), dtype=torch.bfloat16)
        values = []
        for step in range(4):
            weight += sign * (-1) ** step * 0.006
            values.append(weight.item())
        assert values == [values[0], 1.0] * 2 and values[0] != 1

    def test_a_sum_in_float16_must_fit_and_a_mean_fits(self):
        ones = torch.ones(100_000, dtype=torch.float16)
        assert ones.sum().isinf() and ones.mean() == 1
        assert torch.ones(100_000, dtype=torch.bfloat16).sum().isfinite()

    def test_an_activation_above_65504_is_inf_and_its_difference_nan(self):
        x = torch.tensor([70000.0])
        assert x.half().isinf() and (x.half() - x.half()).isnan()
        assert x.bfloat16().isfinite() and (x.bfloat16() - x.bfloat16()) == 0


class TestStochasticRounding:
    @pytest.mark.parametrize("value", [1.001, -0.3, 1e-30, 12345.678])
    def test_it_gives_one_of_the_two_neighbors_and_the_mean_is_right(self, value):
        torch.manual_seed(0)
        x = torch.full((200_000,), value)
        found = rounding.stochastic_bfloat16(x)
        assert found.dtype == torch.bfloat16
        below, above = found.unique().double().tolist()
        assert below < value < above
        assert found.double().mean().item() == pytest.approx(x[0].item(), abs=0.01 * (above - below))

    def test_what_bfloat16_can_hold_is_unchanged(self):
        x = torch.cat([every(torch.bfloat16)[:-1], -every(torch.bfloat16)[:-1], torch.zeros(1)]).float()
        assert torch.equal(rounding.stochastic_bfloat16(x).float(), x)

    @pytest.mark.parametrize("step", [1e-3, 3e-4])
    def test_small_updates_add_up(self, step):
        torch.manual_seed(0)
        w = torch.ones(5000, 2, dtype=torch.bfloat16)
        for _ in range(50):
            w = rounding.stochastic_bfloat16(w.float() - step)
        assert w.shape == (5000, 2)
        assert w.float().mean().item() == pytest.approx(1 - 50 * step, abs=2e-3)
