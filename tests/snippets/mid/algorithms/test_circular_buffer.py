"""Every claim that docs/mid/algorithms/circular-buffer.md makes, proven beyond the example shown."""

import random
from collections import deque

import pytest
import torch

from warmup.testing import load_snippet

CircularBuffer = load_snippet("mid/algorithms/circular_buffer.py").CircularBuffer
ReplayBuffer = load_snippet("mid/algorithms/circular_buffer_replay.py").ReplayBuffer
nodes_behind = load_snippet("mid/algorithms/circular_buffer_graph.py").nodes_behind


class TestCircularBuffer:
    @pytest.mark.parametrize("capacity", [1, 2, 3, 7])
    @pytest.mark.parametrize("shape", [(), (2,), (0,), (2, 3)])
    def test_after_every_append_the_ordered_read_agrees_with_a_deque(self, capacity, shape):
        buffer, replay, oracle = CircularBuffer(capacity, shape), ReplayBuffer(capacity, shape), deque(maxlen=capacity)
        assert buffer.ordered().shape == (0, *shape)
        for _ in range(3 * capacity + 2):
            row = torch.randn(shape)
            buffer.append(row)
            replay.extend(row[None])
            oracle.append(row)
            assert torch.equal(buffer.ordered(), torch.stack(list(oracle)))
            assert torch.equal(replay.newest(len(replay)), buffer.ordered()) and len(replay) == len(oracle)

    @pytest.mark.parametrize("capacity", [1, 2, 5])
    @pytest.mark.parametrize("seed", [0, 1])
    def test_batches_of_any_length_agree_with_a_deque(self, capacity, seed):
        draw, replay, oracle, total = random.Random(seed), ReplayBuffer(capacity, dtype=torch.long), [], 0
        for _ in range(60):
            batch = list(range(total, total + draw.randrange(2 * capacity + 2)))
            total += len(batch)
            replay.extend(torch.tensor(batch, dtype=torch.long))
            oracle = (oracle + batch)[-capacity:]
            assert len(replay) == len(oracle) and replay.added == total
            for n in range(len(oracle) + 1):
                assert replay.newest(n).tolist() == oracle[len(oracle) - n :]
            if oracle:
                assert set(replay.sample(200).tolist()) <= set(oracle)

    def test_a_sample_reaches_every_filled_slot_and_no_other(self):
        for added in (1, 3, 5, 9):
            replay = ReplayBuffer(5, dtype=torch.long)
            replay.extend(torch.arange(1, added + 1))
            picked = replay.sample(2000, torch.Generator().manual_seed(0))
            assert set(picked.tolist()) == set(range(max(1, added - 4), added + 1))
            counts = picked.bincount(minlength=added + 1)[-len(replay) :]
            assert counts.max() < 1.3 * counts.min()

    def test_samples_and_reads_are_copies(self):
        buffer, replay = CircularBuffer(2), ReplayBuffer(2)
        for target in (buffer.append, lambda row: replay.extend(row[None])):
            target(torch.tensor(1.0))
            target(torch.tensor(2.0))
        read, newest, sampled = buffer.ordered(), replay.newest(2), replay.sample(5)
        before = sampled.clone()
        for target in (buffer.append, lambda row: replay.extend(row[None])):
            target(torch.tensor(9.0))
            target(torch.tensor(9.0))
        assert read.tolist() == newest.tolist() == [1.0, 2.0] and torch.equal(sampled, before)
        half = CircularBuffer(4)
        half.append(torch.tensor(1.0))
        read = half.ordered()
        half.data.fill_(5)
        assert read.tolist() == [1.0]

    @pytest.mark.parametrize("capacity", [0, -1])
    def test_a_capacity_below_one_is_refused(self, capacity):
        with pytest.raises(ValueError, match="capacity"):
            ReplayBuffer(capacity)

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            (torch.ones(3), r"\(n, "),
            (torch.ones(2, 3), r"\(n, "),
            (torch.tensor(1.0), r"\(n, "),
            (torch.ones(1, 2, dtype=torch.long), "float32"),
            (torch.ones(1, 2, dtype=torch.float64), "float32"),
        ],
    )
    def test_another_shape_or_dtype_is_refused_and_nothing_is_written(self, rows, message):
        replay = ReplayBuffer(3, (2,))
        with pytest.raises(ValueError, match=message):
            replay.extend(rows)
        assert len(replay) == 0 and not replay.data.any()

    @pytest.mark.parametrize("n", [-1, 2])
    def test_more_than_there_is_and_a_sample_of_nothing_are_refused(self, n):
        replay = ReplayBuffer(3)
        with pytest.raises(ValueError, match="nothing"):
            replay.sample(1)
        replay.extend(torch.ones(1))
        with pytest.raises(ValueError, match="n must"):
            replay.newest(n)

    @pytest.mark.parametrize("dtype", [torch.uint8, torch.bfloat16, torch.float64, torch.bool])
    def test_dtype_is_kept_and_rows_may_be_no_neighbors(self, dtype):
        replay = ReplayBuffer(4, (3,), dtype=dtype)
        rows = torch.randint(0, 2, (3, 6)).to(dtype).T
        replay.extend(rows)
        assert replay.newest(4).dtype == dtype and torch.equal(replay.newest(4), rows[-4:])
        assert CircularBuffer(2, dtype=dtype, device="meta").data.dtype == dtype

    @pytest.mark.parametrize("capacity", [2, 7])
    def test_without_detach_two_nodes_per_append_stay_whatever_the_capacity(self, capacity):
        for function, nodes in ((lambda w, i: w * i, 2), (lambda w, i: (w * i).exp(), 3)):
            weight, kept, free = torch.ones(2, requires_grad=True), torch.zeros(capacity, 2), torch.zeros(capacity, 2)
            for step in range(30):
                kept[step % capacity] = function(weight, step)
                with torch.no_grad():
                    free[step % capacity] = function(weight, step)
            assert nodes_behind(kept) == nodes * 30 + 1 and nodes_behind(free) == 0

    @pytest.mark.parametrize("requires_grad", [False, True])
    def test_rows_without_a_graph_leave_none(self, requires_grad):
        weight, kept = torch.ones(2, requires_grad=requires_grad), torch.zeros(4, 2)
        for step in range(30):
            kept[step % 4] = weight * step
        assert (kept.grad_fn is not None) == requires_grad

    def test_both_buffers_cut_the_graph(self):
        weight = torch.ones(2, 3, requires_grad=True)
        buffer, replay = CircularBuffer(2, (3,)), ReplayBuffer(2, (3,))
        buffer.append(weight[0] * 2)
        replay.extend(weight * 2)
        assert not buffer.data.requires_grad and not replay.data.requires_grad
        assert not buffer.ordered().requires_grad and not replay.sample(2).requires_grad

    def test_overwriting_a_slot_frees_no_node(self):
        weight, kept = torch.ones(2, requires_grad=True), torch.zeros(1, 2)
        row = weight * 2
        kept[0] = row
        node = row.grad_fn
        del row
        kept[0] = torch.zeros(2)
        queue, seen = [kept.grad_fn], set()
        while queue:
            each = queue.pop()
            if each is not None:
                seen.add(each)
                queue.extend(parent for parent, _ in each.next_functions)
        assert node in seen

    @pytest.mark.parametrize(("capacity", "added"), [(4, 4), (4, 7), (4, 2), (1, 1)])
    def test_a_read_between_the_write_and_the_count(self, capacity, added):
        buffer = CircularBuffer(capacity)
        for number in range(added):
            buffer.append(torch.tensor(float(number)))
        buffer.data[buffer.added % capacity] = added
        read = buffer.ordered().tolist()
        if added < capacity:
            assert read == list(range(added))
        else:
            assert read == [added, *range(added - capacity + 1, added)]

    def test_rows_of_the_buffer_itself_are_refused_and_copies_are_not(self):
        replay = ReplayBuffer(4)
        replay.extend(torch.arange(4.0))
        with pytest.raises(RuntimeError, match="single memory location"):
            replay.extend(replay.data[1:3])
        replay.extend(replay.newest(2))
        assert replay.newest(4).tolist() == [2, 3, 2, 3]

    @pytest.mark.parametrize(("capacity", "filled"), [(100, 10), (8, 2)])
    def test_a_sample_over_the_capacity_counts_empty_slots(self, capacity, filled):
        data = torch.zeros(capacity)
        data[:filled] = 1
        mean = data[torch.randint(capacity, (4000,))].mean()
        assert abs(mean - filled / capacity) < 0.05

    def test_a_slice_across_the_end_is_cut_off_and_a_slice_inside_is_not(self):
        data = torch.zeros(4)
        data[1:4] = torch.arange(3.0)
        with pytest.raises(RuntimeError, match="expanded size of the tensor"):
            data[2:5] = torch.arange(3.0)
        data[torch.arange(2, 5) % 4] = torch.arange(3.0)
        assert data.tolist() == [2.0, 0.0, 0.0, 1.0]

    def test_a_batch_of_one_is_broadcast_into_the_cut_slice(self):
        data = torch.zeros(4)
        data[2:5] = torch.ones(1)
        assert data.tolist() == [0, 0, 1, 1]

    @pytest.mark.parametrize(("capacity", "added"), [(5, 8), (4, 4), (3, 100)])
    def test_the_slot_after_the_newest_holds_the_oldest(self, capacity, added):
        replay = ReplayBuffer(capacity, dtype=torch.long)
        replay.extend(torch.arange(added))
        slots = torch.arange(capacity)
        steps = replay.data[(slots + 1) % capacity] - replay.data[slots]
        assert (steps != 1).sum() == 1 and steps[(added - 1) % capacity] == 1 - capacity
        numbers = torch.arange(added - capacity, added - 1)
        assert (replay.data[(numbers + 1) % capacity] - replay.data[numbers % capacity] == 1).all()

    @pytest.mark.parametrize(("capacity", "added"), [(5, 3), (5, 1), (4, 4), (4, 9)])
    def test_pairs_of_the_numbers_still_in_the_buffer_happened_and_the_newest_has_no_next_row(self, capacity, added):
        data = torch.full((capacity,), -1)
        for step in range(added):
            data[step % capacity] = step
        numbers = torch.arange(max(added - capacity, 0), added - 1)
        assert (data[(numbers + 1) % capacity] - data[numbers % capacity] == 1).all()
        assert data[added % capacity] == (-1 if added < capacity else added - capacity)

    def test_the_table_of_slots(self):
        buffer, rows = CircularBuffer(4, dtype=torch.long), []
        for added in range(7):
            if added in (0, 2, 4, 6):
                rows.append((buffer.added % 4, min(added, 4), (buffer.ordered() % 4).tolist()))
            buffer.append(torch.tensor(added))  # goes to the slot added % 4
        assert rows == [(0, 0, []), (2, 2, [0, 1]), (0, 4, [0, 1, 2, 3]), (2, 4, [2, 3, 0, 1])]

    @pytest.mark.parametrize("capacity", [4, 9])
    def test_a_write_before_backward_raises_unless_the_loss_used_a_copy(self, capacity):
        reads = {
            "itself": (lambda buffer: buffer.data, False),
            "detached": (lambda buffer: buffer.data.detach(), False),
            "clone": (lambda buffer: buffer.data.clone(), True),
            "ordered": (lambda buffer: buffer.ordered(), True),
        }
        for read, works in reads.values():
            buffer, query = CircularBuffer(capacity, (3,)), torch.randn(2, 3, requires_grad=True)
            for _ in range(capacity):
                buffer.append(torch.randn(3))
            loss = (query @ read(buffer).T).logsumexp(1).mean()
            buffer.append(torch.randn(3))
            if works:
                loss.backward()
            else:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    loss.backward()

    def test_a_plain_class_is_not_in_the_state_dict_and_registered_buffers_are(self):
        model = torch.nn.Module()
        model.queue = CircularBuffer(3)
        assert list(model.state_dict()) == []
        model.register_buffer("data", torch.zeros(3))
        with pytest.raises(TypeError):
            model.register_buffer("added", 0)
        model.register_buffer("added", torch.tensor(0))
        assert list(model.state_dict()) == ["data", "added"]

    @pytest.mark.parametrize("capacity", [2, 5])
    def test_one_counter_serves_several_fields(self, capacity):
        fields = {"state": torch.zeros(capacity, 3), "reward": torch.zeros(capacity)}
        for added in range(12):
            for name, row in {"state": torch.full((3,), added), "reward": 10 * added}.items():
                fields[name][added % capacity] = row
        slots = torch.randint(capacity, (20,))
        assert torch.equal(10 * fields["state"][slots, 0], fields["reward"][slots])

    @pytest.mark.parametrize("seed", [None, 0])
    def test_a_sample_ignores_the_default_device(self, seed):
        replay = ReplayBuffer(4, device="cpu")
        replay.extend(torch.arange(3.0))
        generator = None if seed is None else torch.Generator("cpu").manual_seed(seed)
        with torch.device("meta"):
            picked = replay.sample(20, generator)
        assert set(picked.tolist()) <= {0, 1, 2} and picked.device.type == "cpu"

    def test_a_write_converts_and_broadcasts_without_an_error(self):
        buffer = CircularBuffer(2, (3,), dtype=torch.long)
        buffer.append(torch.tensor([2.7, -2.7, 0.5]))
        buffer.append(torch.tensor(4))
        assert buffer.ordered().tolist() == [[2, -2, 0], [4, 4, 4]]
        pixels = CircularBuffer(1, dtype=torch.uint8)
        pixels.append(torch.tensor(300))
        assert pixels.ordered().tolist() == [44]
        assert 4 * torch.zeros(9, dtype=torch.uint8).nbytes == torch.zeros(9).nbytes

    def test_a_checkpoint_needs_the_counter(self):
        replay = ReplayBuffer(3, dtype=torch.long)
        replay.extend(torch.arange(5))
        resumed = ReplayBuffer(3, dtype=torch.long)
        resumed.data.copy_(replay.data)
        assert len(resumed) == 0
        resumed.added = replay.added
        assert resumed.newest(3).tolist() == [2, 3, 4]

    @pytest.mark.parametrize("n", [1, 4, 6])
    def test_randperm_draws_without_replacement(self, n):
        replay = ReplayBuffer(6, dtype=torch.long)
        replay.extend(torch.arange(10))
        picked = replay.data[torch.randperm(len(replay))[:n]]
        assert len(picked.unique()) == n and picked.min() >= 4
        picked = replay.data[random.sample(range(len(replay)), n)]
        assert len(picked.unique()) == n and picked.min() >= 4
