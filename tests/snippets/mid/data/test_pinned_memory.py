"""What docs/mid/data/pinned-memory.md claims, proven beyond the example shown."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
import torch
from torch.utils.data import DataLoader
from torch.utils.data._utils.pin_memory import pin_memory

from warmup.testing import load_snippet

copies = load_snippet("mid/data/pinned_memory_copies.py")

without_accelerator = pytest.mark.skipif(torch.accelerator.is_available(), reason="says what happens without one")


@dataclass
class Batch:
    x: torch.Tensor


class PinnedBatch(Batch):
    def pin_memory(self):
        self.x.pin_memory()
        return self


class TestPinnedMemory:
    @pytest.mark.parametrize("pinned", [False, True])
    @pytest.mark.parametrize("batches", [1, 3])
    def test_the_models_copy_reads_a_pinned_buffer_late_and_a_pageable_one_at_once(self, pinned, batches):
        model = load_snippet("mid/data/pinned_memory.py")
        host, arrived = torch.zeros(2), []
        for number in range(batches):
            host.fill_(float(number))
            arrived.append(model.copy_to_device(host, pinned))
        host.fill_(9.0)
        for work in model.stream:
            work()
        expected = [9.0] * batches if pinned else [float(number) for number in range(batches)]
        assert [device[0].item() for device in arrived] == expected

    @pytest.mark.parametrize("batches", [6, 7])
    @pytest.mark.parametrize("buffers", [1, 2, 3])
    def test_without_an_event_a_late_gpu_receives_the_last_batch_of_each_buffer(self, buffers, batches):
        ring = load_snippet("mid/data/pinned_memory_ring.py")
        last = {batch % buffers: batch for batch in range(1, batches + 1)}
        assert ring.arrive(buffers, False, batches) == [last[batch % buffers] for batch in range(1, batches + 1)]

    @pytest.mark.parametrize("batches", [6, 7])
    @pytest.mark.parametrize("buffers", [1, 2, 3])
    def test_with_an_event_each_batch_arrives_once_and_in_order(self, buffers, batches):
        ring = load_snippet("mid/data/pinned_memory_ring.py")
        assert ring.arrive(buffers, True, batches) == list(range(1, batches + 1))

    @without_accelerator
    def test_without_an_accelerator_pinning_raises_and_the_loader_warns(self):
        for pin in (lambda: torch.ones(2).pin_memory(), lambda: torch.ones(2, pin_memory=True)):
            with pytest.raises(RuntimeError):
                pin()
        with pytest.warns(UserWarning, match="no accelerator is found"):
            batch = next(iter(DataLoader(range(4), 2, pin_memory=True)))
        assert not batch.is_pinned() and batch.tolist() == [0, 1]
        next(iter(DataLoader(range(4), 2, pin_memory=torch.accelerator.is_available())))

    @pytest.mark.parametrize(
        ("batch", "reached"),
        [
            ({"x": [torch.ones(1)]}, 1),
            ((torch.ones(1), torch.ones(2)), 2),
            (SimpleNamespace(x=torch.ones(1)), 0),
            (Batch(torch.ones(1)), 0),
            (PinnedBatch(torch.ones(1)), 1),
        ],
    )
    def test_the_loader_pins_in_dicts_and_sequences_and_what_has_a_method(self, batch, reached, monkeypatch):
        pinned = []
        monkeypatch.setattr(torch.Tensor, "pin_memory", lambda x: pinned.append(x))
        pin_memory(batch)
        assert len(pinned) == reached

    def test_non_blocking_does_no_harm_on_a_cpu(self):
        x = torch.ones(2)
        assert x.to("cpu", non_blocking=True) is x
        assert x.to(torch.float64, non_blocking=True).tolist() == [1.0, 1.0]

    def test_bytes_are_a_quarter_in_uint8(self):
        x = torch.empty(5, 3, dtype=torch.uint8)
        assert x.float().nbytes == 4 * x.nbytes == 2 * x.half().nbytes

    @pytest.mark.parametrize("workers", [0, 2])
    def test_each_batch_of_a_loader_is_a_tensor_of_its_own(self, workers):
        batches = list(DataLoader(torch.arange(6), 2, num_workers=workers))
        assert len({batch.data_ptr() for batch in batches}) == 3

    @pytest.mark.parametrize("change", [lambda x: x.T, lambda x: x[:, ::2]])
    def test_a_copy_of_a_view_that_is_not_contiguous_needs_other_memory(self, change):
        view = change(torch.arange(6.0).reshape(2, 3))
        assert not view.is_contiguous() and view.contiguous().data_ptr() != view.data_ptr()

    def test_a_permuted_batch_keeps_its_strides_on_the_device_and_a_column_slice_does_not(self):
        images = torch.empty(2, 5, 5, 3, dtype=torch.uint8).permute(0, 3, 1, 2)
        assert not images.is_contiguous() and images.to("meta").stride() == images.stride()
        column = torch.empty(4, 6)[:, ::2]
        assert column.to("meta").stride() != column.stride()


@pytest.mark.cuda
class TestPinnedMemoryWithGpu:
    @pytest.mark.parametrize("pinned", [False, True])
    @pytest.mark.parametrize("non_blocking", [False, True])
    def test_only_a_non_blocking_copy_from_pinned_memory_reads_the_buffer_late(self, pinned, non_blocking):
        host = torch.ones(2**24, pin_memory=pinned)
        assert host.is_pinned() == pinned
        arrived = [copies.overwritten(host.fill_(1.0), non_blocking) for _ in range(2)]
        assert arrived[-1] == (9.0 if pinned and non_blocking else 1.0)

    def test_only_a_non_blocking_copy_from_pinned_memory_returns_early(self):
        shares = {}
        for pinned in (False, True):
            for non_blocking in (False, True):
                host = torch.ones(2**26, pin_memory=pinned)
                shares[pinned, non_blocking] = min(copies.host_share(host, non_blocking)[0] for _ in range(3))
        assert shares.pop((True, True)) < 0.2
        assert all(share > 0.5 for share in shares.values())

    def test_pinned_memory_is_copied_faster(self):
        speed = {
            pinned: max(copies.host_share(torch.ones(2**26, pin_memory=pinned), False)[1] for _ in range(3))
            for pinned in (False, True)
        }
        assert speed[True] > speed[False]

    def test_pin_memory_copies_and_what_is_pinned_is_returned_as_it_is(self):
        x = torch.ones(3)
        pinned = x.pin_memory()
        assert pinned.is_pinned() and pinned.data_ptr() != x.data_ptr()
        assert pinned.pin_memory().data_ptr() == pinned.data_ptr()

    @pytest.mark.parametrize("workers", [0, 1])
    def test_the_loader_pins(self, workers):
        loader = DataLoader(torch.arange(4), 2, pin_memory=True, num_workers=workers)
        assert all(batch.is_pinned() and batch.to("cuda", non_blocking=True).is_cuda for batch in loader)

    def test_a_non_blocking_copy_to_the_host_is_right_after_a_synchronization(self):
        y = torch.arange(1000, device="cuda").to("cpu", non_blocking=True)
        torch.cuda.synchronize()
        assert y.tolist() == list(range(1000))
