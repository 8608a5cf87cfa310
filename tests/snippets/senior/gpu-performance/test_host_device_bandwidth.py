"""What docs/senior/gpu-performance/host-device-bandwidth.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

link = load_snippet("senior/gpu-performance/host_device_bandwidth.py")
overlap = load_snippet("senior/gpu-performance/host_device_bandwidth_overlap.py")


def sent(function) -> int:
    with link.LinkBytes() as log:
        function()
    return log.total


class TestLinkBytes:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int64])
    def test_a_blocking_copy_sends_the_new_dtype_and_a_non_blocking_one_the_old(self, dtype):
        x = torch.zeros(6, dtype=torch.uint8)
        assert sent(lambda: x.to("meta", dtype)) == 6 * dtype.itemsize
        assert sent(lambda: x.to("meta", dtype, non_blocking=True)) == 6
        target = torch.empty(6, dtype=dtype, device="meta")
        assert sent(lambda: target.copy_(x)) == 6 * dtype.itemsize
        assert sent(lambda: target.copy_(x, non_blocking=True)) == sent(lambda: target.copy_(x, True)) == 6

    def test_converting_as_a_call_of_its_own_sends_the_old_dtype_however_it_copies(self):
        x = torch.zeros(6, dtype=torch.uint8)
        for late in (False, True):
            assert sent(lambda: x.to("meta", non_blocking=late).float()) == 6  # noqa: B023

    @pytest.mark.parametrize("narrow", [torch.bfloat16, torch.float16])
    def test_a_narrower_dtype_is_converted_before_the_copy_or_32_bits_are_sent(self, narrow):
        x = torch.zeros(6)
        assert sent(lambda: x.to(narrow).to("meta", non_blocking=True)) == 12
        assert sent(lambda: x.to("meta", narrow, non_blocking=True)) == 24
        assert sent(lambda: x.to("meta", narrow)) == 12

    @pytest.mark.parametrize("factor", [1, 5])
    def test_expanded_first_all_copies_are_sent_and_expanded_later_one(self, factor):
        row = torch.zeros(1, 3)
        assert sent(lambda: row.expand(factor, 3).to("meta")) == factor * row.nbytes
        assert sent(lambda: row.to("meta").expand(factor, 3)) == row.nbytes

    def test_one_hot_on_the_host_sends_a_row_for_each_label(self):
        labels = torch.tensor([0, 2, 1])
        assert sent(lambda: nn.functional.one_hot(labels, 5).to("meta")) == 5 * labels.nbytes

    def test_gaps_are_not_sent(self):
        x = torch.zeros(4, 6)
        assert sent(lambda: x[:, ::2].to("meta")) == x.nbytes / 2

    def test_what_stays_on_its_device_is_not_counted(self):
        x = torch.zeros(4)
        assert sent(lambda: (x.to("cpu"), x.double(), x.clone(), x.to("meta").double())) == x.nbytes

    def test_a_model_is_sent_once(self):
        model = nn.Linear(3, 4)
        assert sent(lambda: model.to("meta")) == 4 * (12 + 4)


class TestHostDeviceBandwidth:
    def test_normalizing_after_the_cast_gives_equal_values_wherever_the_cast_happens(self):
        x = torch.arange(256, dtype=torch.uint8).repeat(3, 1)
        mean, std = torch.tensor([[0.4], [0.5], [0.6]]), torch.tensor([[0.2], [0.3], [0.25]])
        on_the_host = (x.float() / 255 - mean) / std
        assert torch.equal((x.clone().float() / 255 - mean) / std, on_the_host)

    def test_multiplying_by_the_inverse_can_change_the_last_bit_and_no_more(self):
        x = torch.arange(1.0, 256)
        divided, multiplied = x / 255, x * (1 / torch.tensor(255.0))
        assert not torch.equal(divided, multiplied)
        assert ((divided - multiplied).abs() <= torch.finfo(torch.float32).eps * divided).all()

    @pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (0.485, 0.229)])
    def test_float16_rounds_to_11_significant_bits_and_bfloat16_to_8(self, mean, std):
        x = (torch.arange(1, 256) / 255 - mean) / std
        error = {dtype: ((x.to(dtype).float() - x) / x).abs().max() for dtype in (torch.float16, torch.bfloat16)}
        assert 2**-12 < error[torch.float16] <= 2**-11 < 2**-9 < error[torch.bfloat16] <= 2**-8

    def test_packed_tensors_arrive_in_one_copy_and_views_with_the_largest_elements_first_are_aligned(self):
        parts = [torch.arange(3), torch.arange(2.0), torch.tensor([True])]
        packed = torch.cat([part.view(torch.uint8) for part in parts])
        assert sent(lambda: packed.to("meta")) == sum(part.nbytes for part in parts) == 33
        for part, piece in zip(parts, packed.split([part.nbytes for part in parts]), strict=True):
            assert torch.equal(piece.view(part.dtype), part)
        with pytest.raises(RuntimeError):
            packed[1:9].view(torch.int64)

    def test_bytes_of_tokens(self):
        tokens = torch.zeros(64, 4096, dtype=torch.int64)
        assert sent(lambda: tokens.to("meta")) == 64 * 4096 * 8 == 2_097_152

    @pytest.mark.parametrize(("copy", "kernels"), [(6, 10), (10, 6), (5, 5), (1.5, 10), (12, 10)])
    def test_one_stream_adds_and_two_take_the_longer(self, copy, kernels):
        assert overlap.step_time(copy, kernels, side_stream=False) == copy + kernels
        assert overlap.step_time(copy, kernels, side_stream=True) == max(copy, kernels)

    @pytest.mark.parametrize("copy", [2, 15])
    def test_overlap_hides_at_most_the_shorter(self, copy):
        saved = overlap.step_time(copy, 10, side_stream=False) - overlap.step_time(copy, 10, side_stream=True)
        assert saved == min(copy, 10)

    @pytest.mark.parametrize("side_stream", [False, True])
    def test_kernels_wait_for_their_batch_and_a_buffer_is_not_overwritten_while_it_is_read(self, side_stream):
        spans = overlap.schedule(12, 10, side_stream) + overlap.schedule(6, 10, side_stream)
        assert all(copied <= begin for (_, copied), (begin, _) in spans)
        for spans in (overlap.schedule(12, 10, side_stream), overlap.schedule(6, 10, side_stream)):
            for earlier, later in zip(spans, spans[2:], strict=False):
                assert later[0][0] >= earlier[1][1]
            for earlier, later in zip(spans, spans[1:], strict=False):
                assert later[0][0] >= earlier[0][1] and later[1][0] >= earlier[1][1]

    def test_the_ends_in_the_picture(self):
        assert overlap.schedule(6, 10, False, 4)[-1][1][1] == 64
        assert overlap.schedule(6, 10, True, 4)[-1][1][1] == 46
