"""What docs/senior/mixed-precision/when-amp-helps.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

helps = load_snippet("senior/mixed-precision/when_amp_helps.py")
memory = load_snippet("senior/mixed-precision/when_amp_helps_memory.py")
norm = load_snippet("senior/mixed-precision/when_amp_helps_norm_broken.py")


def ratio(rows, **options):
    return helps.traffic(rows, autocast=True, **options)[1] / helps.traffic(rows, **options)[1]


class TestTraffic:
    @pytest.mark.parametrize("width", [32, 128])
    def test_few_rows_move_more_bytes_and_many_rows_fewer(self, width):
        assert ratio(1, width=width) > 1.4
        assert ratio(4 * width, width=width) < 0.65

    @pytest.mark.parametrize("width", [64, 128])
    def test_the_forward_pass_breaks_even_at_about_six_tenths_of_the_width(self, width):
        forward = {"width": width, "backward": False}
        assert ratio(1, **forward) > 1.8
        assert ratio(width // 2, **forward) > 1.05
        assert 0.98 < ratio(int(0.6 * width), **forward) < 1.02
        assert ratio(int(0.7 * width), **forward) < 0.98

    @pytest.mark.parametrize("width", [64, 128])
    def test_without_elementwise_operations_it_breaks_even_at_1_6_of_the_width(self, width):
        model = nn.Sequential(*(nn.Linear(width, width) for _ in range(4)))

        def size(rows, autocast):
            with helps.CountTraffic() as count, torch.autocast("cpu", enabled=autocast):
                model(torch.ones(rows, width))
            return count.bytes

        for share, low, high in ((0.6, 1.2, 1.4), (1.6, 0.97, 1.03), (2.0, 0.9, 0.98)):
            rows = int(share * width)
            assert low < size(rows, True) / size(rows, False) < high

    @pytest.mark.parametrize("rows", [1, 100])
    def test_a_model_in_bfloat16_moves_half_and_adds_no_operation(self, rows):
        calls, plain = helps.traffic(rows)
        assert helps.traffic(rows, dtype=torch.bfloat16) == (calls, plain // 2)

    @pytest.mark.parametrize("rows", [1, 64])
    def test_the_new_operations_are_casts(self, rows):
        assert helps.traffic(rows, backward=False)[0] == 8
        assert helps.traffic(rows, autocast=True, backward=False)[0] == 8 + 2 * 4 + 1  # weights, biases, the input
        assert helps.traffic(rows)[0] == 24
        assert helps.traffic(rows, autocast=True)[0] == 24 + 9 + 8  # gradients of weights and biases

    def test_views_are_not_counted_and_a_cast_is_what_it_reads_and_writes(self):
        x = torch.ones(10, 10)
        with helps.CountTraffic() as count:
            x.t()
            assert (count.calls, count.bytes) == (0, 0)
            x.bfloat16()
        assert (count.calls, count.bytes) == (1, 600)


class TestMemory:
    @pytest.mark.parametrize(("tokens", "low", "high"), [(64, 0.9, 1.0), (1024, 0.5, 0.65)])
    def test_autocast_shrinks_only_what_is_saved_for_backward(self, tokens, low, high):
        plain = memory.memory(tokens, False, torch.float32)
        mixed = memory.memory(tokens, True, torch.float32)
        for part in ("parameters", "gradients", "Adam"):
            assert plain[part] == mixed[part]
        assert sum(plain[part] for part in ("parameters", "gradients", "Adam")) == 4 * plain["parameters"]
        assert low < mixed["saved for backward"] / plain["saved for backward"] < high

    @pytest.mark.parametrize(("tokens", "low", "high"), [(8, 1.095, 1.105), (32, 1.02, 1.1), (1024, 0.5, 0.7)])
    def test_with_few_tokens_autocast_takes_more_memory(self, tokens, low, high):
        plain, mixed = (sum(memory.memory(tokens, on, torch.float32).values()) for on in (False, True))
        assert low < mixed / plain < high

    @pytest.mark.parametrize("tokens", [64, 1024])
    def test_a_model_in_bfloat16_halves_all_parts(self, tokens):
        plain = memory.memory(tokens, False, torch.float32)
        low = memory.memory(tokens, False, torch.bfloat16)
        for part, size in plain.items():
            assert low[part] / size == pytest.approx(0.5, abs=0.01)

    def test_parameters_and_adam_are_what_they_are(self):
        parts = memory.memory(8, False, torch.float32)
        count = sum(p.numel() for p in memory.Block().parameters()) * 4
        assert parts["parameters"] == parts["gradients"] == 4 * count and parts["Adam"] == 8 * count


class TestNorm:
    @pytest.mark.parametrize("size", [257.0, 300.0, 5000.0])
    def test_squares_above_65504_make_a_norm_of_zero_and_no_inf_or_nan(self, size):
        x = torch.full((2, 8), size)
        with torch.autocast("cpu", dtype=torch.float16):
            h = nn.Identity()(x.half())
            broken, fixed = norm.rms_norm(h), norm.rms_norm_float32(h)
        assert not broken.any() and broken.isfinite().all()
        assert fixed.dtype == torch.float16 and torch.equal(fixed.float(), torch.ones(2, 8))
        assert torch.allclose(norm.rms_norm(x.bfloat16()).float(), torch.ones(2, 8), atol=0.01)

    @pytest.mark.parametrize("size", [0.5, 100.0])
    def test_smaller_values_are_normalized_in_float16_too(self, size):
        x = torch.full((1, 8), size)
        assert torch.allclose(norm.rms_norm(x.half()).float(), torch.ones(1, 8), atol=0.01)

    def test_multiplication_is_on_no_list(self):
        x = torch.ones(2, dtype=torch.float16)
        with torch.autocast("cpu", dtype=torch.float16):
            assert (x * x).dtype == torch.float16
            assert (x.float() * x.float()).dtype == torch.float32
