"""Every claim that docs/mid/algorithms/priority-queue.md makes, proven beyond the example shown."""

import heapq
import math
import queue as standard
import random
import threading
from itertools import count

import pytest
import torch
from torch.overrides import TorchFunctionMode

from warmup.testing import load_snippet

PriorityQueue = load_snippet("mid/algorithms/priority_queue.py").PriorityQueue
Heap = load_snippet("mid/algorithms/priority_queue_heap.py").Heap
hardest = load_snippet("mid/algorithms/priority_queue_hardest.py")
AMBIGUOUS = "Boolean value of Tensor with more than one value is ambiguous"


class Names(TorchFunctionMode):
    """Notes the names of all functions that are called on tensors."""

    def __init__(self):
        super().__init__()
        self.called = set()

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.called.add(function.__name__)
        return function(*args, **(kwargs or {}))


class BruteForce:
    """A list whose pop searches for the smallest, the first of equal ones."""

    def __init__(self):
        self.entries = []

    def push(self, priority, item):
        self.entries.append((priority, item))

    def pop(self):
        smallest = min(range(len(self.entries)), key=lambda index: self.entries[index][0])
        return self.entries.pop(smallest)


def compared_by(heap, call):
    before = heap.compared
    call()
    return heap.compared - before


class TestPriorityQueue:
    @pytest.mark.parametrize("queue_class", [PriorityQueue, Heap])
    @pytest.mark.parametrize("priorities", [1, 3, 1000])
    @pytest.mark.parametrize("seed", [0, 1])
    def test_random_pushes_and_pops_agree_with_a_list(self, queue_class, priorities, seed):
        draw, queue, oracle = random.Random(seed), queue_class(), BruteForce()
        for step in range(400):
            if not oracle.entries or draw.random() < 0.55:
                priority = draw.randrange(priorities) - priorities // 2
                queue.push(priority, torch.full((2,), step))
                oracle.push(priority, step)
            else:
                priority, tensor = queue.pop()
                assert (priority, tensor[0].item()) == oracle.pop()
        while oracle.entries:
            assert queue.pop()[1][0] == oracle.pop()[1]
        with pytest.raises(IndexError):
            queue.pop()

    def test_the_heap_by_hand_agrees_with_heapq_after_every_operation(self):
        draw, heap, theirs = random.Random(0), Heap(), PriorityQueue()
        for _ in range(300):
            if not len(heap) or draw.random() < 0.6:
                priority = draw.randrange(20)
                heap.push(priority, None)
                theirs.push(priority, None)
            else:
                assert heap.pop() == theirs.pop()
            for child in range(1, len(heap)):
                assert heap.entries[(child - 1) // 2][:2] < heap.entries[child][:2]
            assert len(heap) == len(theirs.heap)

    @pytest.mark.parametrize("priority", [-math.inf, math.inf, 0, 0.5, True, 10**400])
    def test_any_number_but_nan_is_a_priority(self, priority):
        heap = Heap()
        heap.push(priority, "item")
        with pytest.raises(ValueError, match="NaN"):
            heap.push(math.nan, "other")
        assert len(heap) == 1 and heap.pop() == (priority, "item")

    def test_nan_breaks_the_order_of_heapq_without_an_error(self):
        draw, wrong = random.Random(0), 0
        for _ in range(50):
            queue = PriorityQueue()
            for priority in [draw.random() for _ in range(10)] + [math.nan] + [draw.random() for _ in range(10)]:
                queue.push(priority, None)
            popped = [queue.pop()[0] for _ in range(21)]
            numbers = [priority for priority in popped if priority == priority]
            wrong += numbers != sorted(numbers)
        assert wrong > 10
        assert torch.tensor([1.0, math.nan]).topk(1).values.isnan()

    def test_the_heap_of_the_picture(self):
        heap = []
        for priority in (0.5, 0.4, 0.3, 0.9, 0.1, 0.2):
            heapq.heappush(heap, priority)
        assert heap == [0.1, 0.3, 0.2, 0.9, 0.5, 0.4]

    @pytest.mark.parametrize("shape", [(2,), (3, 2), (0,)])
    def test_equal_priorities_compare_the_tensors(self, shape):
        heap = [(0.5, torch.zeros(shape))]
        if shape == (0,):
            with pytest.raises(RuntimeError, match="ambiguous"):
                heapq.heappush(heap, (0.5, torch.zeros(shape)))
            return
        heapq.heappush(heap, (0.25, torch.zeros(shape)))
        with pytest.raises(RuntimeError, match=AMBIGUOUS):
            heapq.heappush(heap, (0.25, torch.zeros(shape)))

    @pytest.mark.parametrize("later", [1, 4])
    def test_a_push_of_a_tie_may_raise_nothing_and_a_later_pop_raises(self, later):
        heap = [(0.25, torch.zeros(3)), (0.5, torch.zeros(3))]
        heapq.heappush(heap, (0.5, torch.ones(3)))
        for priority in range(later):
            heapq.heappush(heap, (1.0 + priority, torch.ones(3)))
        with pytest.raises(RuntimeError, match=AMBIGUOUS):
            for _ in range(3):
                heapq.heappop(heap)

    def test_the_k_hardest_of_a_stream_need_the_counter_if_the_tuple_holds_the_tensor(self):
        kth_largest = load_snippet("mid/algorithms/kth_largest_heap.py").kth_largest
        losses = [0.5, 0.25, 0.5, 0.5, 0.75]
        with pytest.raises(RuntimeError, match=AMBIGUOUS):
            kth_largest(((loss, torch.full((3,), loss)) for loss in losses), 2)
        entries = ((loss, -number, torch.full((3,), loss)) for number, loss in enumerate(losses))
        assert kth_largest(entries, 2)[:2] == (0.5, 0)
        assert kth_largest(((loss, -number) for number, loss in enumerate(losses)), 2) == (0.5, 0)

    def test_the_same_tensor_twice_raises_nothing(self):
        tensor, heap = torch.ones(3), []
        for _ in range(2):
            heapq.heappush(heap, (0.5, tensor))
        assert heapq.heappop(heap)[1] is tensor
        with pytest.raises(RuntimeError, match=AMBIGUOUS):
            heapq.heappush(heap, (0.5, tensor.clone()))

    def test_views_that_all_change_in_the_same_way_keep_their_order(self):
        losses, views = torch.rand(30), []
        for number, loss in enumerate(losses):
            heapq.heappush(views, (loss, number))
        losses.mul_(2)
        assert [heapq.heappop(views)[0].item() for _ in range(30)] == losses.sort().values.tolist()

    def test_another_thread_may_take_the_last_entry_before_the_pop(self):
        queue = PriorityQueue()
        queue.push(1, torch.ones(2))
        if queue.heap:
            thread = threading.Thread(target=queue.pop)
            thread.start()
            thread.join()
            with pytest.raises(IndexError):
                queue.pop()
        waiting = standard.PriorityQueue()
        threading.Timer(0.01, waiting.put, [(2, 0)]).start()
        assert waiting.get(timeout=10) == (2, 0)

    @pytest.mark.parametrize("rows", [10, 100])
    def test_a_row_keeps_its_batch_and_its_graph_and_a_detached_clone_does_not(self, rows):
        batch = torch.ones(rows, 4, requires_grad=True) * 2
        queue = PriorityQueue()
        queue.push(0, batch[0])
        queue.push(1, batch[1].detach().clone())
        (_, row), (_, copy) = queue.pop(), queue.pop()
        assert row.untyped_storage().nbytes() == rows * copy.untyped_storage().nbytes()
        assert row.grad_fn is not None and copy.grad_fn is None

    @pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
    def test_tensors_with_one_element_are_ordered_by_content(self, shape):
        heap = []
        for content in (3, 1, 2):
            heapq.heappush(heap, (0.5, torch.full(shape, content)))
        assert [heapq.heappop(heap)[1].item() for _ in range(3)] == [1, 2, 3]

    def test_the_queue_of_the_standard_library_needs_the_counter_too(self):
        queue = standard.PriorityQueue()
        queue.put((1, torch.ones(2)))
        with pytest.raises(RuntimeError, match=AMBIGUOUS):
            queue.put((1, torch.ones(2)))

    def test_a_negated_priority_gives_the_largest_first(self):
        queue = PriorityQueue()
        for priority in (1, 5, 3):
            queue.push(-priority, torch.tensor([priority, 0]))
        assert [queue.pop()[1][0].item() for _ in range(3)] == [5, 3, 1]

    @pytest.mark.parametrize("n", [63, 255, 1023])
    def test_a_pop_compares_twice_per_level_at_most(self, n):
        for priorities in (range(n), range(n, 0, -1), [0] * n):
            heap = Heap()
            for priority in priorities:
                heap.push(priority, None)
            levels = n.bit_length()
            assert max(compared_by(heap, heap.pop) for _ in range(n)) <= 2 * (levels - 1)

    @pytest.mark.parametrize("n", [7, 1000])
    def test_building_from_a_list_compares_less_than_twice_per_entry(self, n):
        compared = []

        class Counted(float):
            def __lt__(self, other):
                compared.append(1)
                return float(self) < float(other)

        draw = random.Random(n)
        for values in (range(n), range(n, 0, -1), [0] * n, [draw.random() for _ in range(n)]):
            compared.clear()
            heap = [Counted(value) for value in values]
            heapq.heapify(heap)
            assert len(compared) < 2 * n and heap[0] == min(values)

    @pytest.mark.parametrize("n", [500, 1000])
    def test_twice_the_entries_cost_two_more_comparisons_per_pop(self, n):
        per_pop = []
        for entries in (n, 2 * n):
            heap, draw = Heap(), random.Random(n)
            for _ in range(entries):
                heap.push(draw.random(), None)
            assert 2 < heap.compared / entries < 2.6
            heap.compared = 0
            for _ in range(entries):
                heap.pop()
            per_pop.append(heap.compared / entries)
        assert 1.8 < per_pop[1] - per_pop[0] < 2.2

    def test_in_falling_order_each_push_goes_to_the_top(self):
        heap = Heap()
        for n in range(1, 200):
            assert compared_by(heap, lambda n=n: heap.push(-n, None)) == n.bit_length() - 1
            assert heap.entries[0][0] == -n

    def test_views_as_priorities_break_the_order_and_numbers_do_not(self):
        draw, broken = torch.Generator().manual_seed(0), 0
        for _ in range(20):
            losses, arrivals, views, numbers = torch.rand(30, generator=draw), count(), [], []
            before = losses.sort().values.tolist()
            for loss in losses:
                heapq.heappush(views, (loss, next(arrivals)))
                heapq.heappush(numbers, (loss.item(), next(arrivals)))
            losses.copy_(torch.rand(30, generator=draw))
            popped = [heapq.heappop(views)[0].item() for _ in range(30)]
            broken += popped != sorted(popped)
            assert [heapq.heappop(numbers)[0] for _ in range(30)] == before
        assert broken == 20

    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_lazy_deletion_agrees_with_a_dictionary(self, seed):
        update = load_snippet("mid/algorithms/priority_queue_update.py")
        draw, oracle = random.Random(seed), {}
        update.heap.clear(), update.current.clear()
        for _ in range(400):
            if not oracle or draw.random() < 0.7:
                name, priority = draw.randrange(8), draw.randrange(1000)
                update.put(name, priority)
                oracle[name] = priority
            else:
                smallest = min(oracle.values())
                assert oracle.pop(update.pop()) == smallest
        assert update.current == oracle and len(update.heap) >= len(oracle)

    @pytest.mark.parametrize("k", [0, 1, 5, 40, 60])
    @pytest.mark.parametrize("size", [1, 7, 40])
    def test_heap_and_topk_find_the_same_hardest_examples(self, k, size):
        losses = torch.rand(40)
        right = losses.topk(min(k, 40))
        by_heap = hardest.hardest_by_heap(losses.tolist(), k)
        values, indices = hardest.hardest_by_topk(losses.split(size), k)
        assert [index for _, index in by_heap] == indices.tolist() == right.indices.tolist()
        assert [loss for loss, _ in by_heap] == values.tolist() == right.values.tolist()

    @pytest.mark.parametrize("k", [1, 4, 10])
    def test_with_equal_losses_the_values_agree_and_the_heap_keeps_the_first(self, k):
        losses = torch.tensor([1.0, 2, 2, 1, 2, 0, 0, 2, 1, 1])
        by_heap = hardest.hardest_by_heap(losses.tolist(), k)
        values, indices = hardest.hardest_by_topk(losses.split(3), k)
        assert [loss for loss, _ in by_heap] == values.tolist() == losses[indices].tolist()
        assert len(set(indices.tolist())) == k
        assert [index for _, index in by_heap] == losses.sort(descending=True, stable=True).indices[:k].tolist()

    def test_no_batch_an_empty_batch_float64_and_a_graph(self):
        values, indices = hardest.hardest_by_topk([], 3)
        assert len(values) == len(indices) == 0 and hardest.hardest_by_heap([], 3) == []
        weight = torch.ones(4, dtype=torch.float64, requires_grad=True)
        values, indices = hardest.hardest_by_topk([torch.empty(0), weight * torch.arange(4)], 2)
        assert values.tolist() == [3, 2] and indices.tolist() == [3, 2]
        assert values.dtype == torch.float64 and not values.requires_grad

    def test_topk_reads_no_value(self):
        batches = [torch.ones(4), torch.zeros(1), torch.ones(3)]
        with Names() as names:
            hardest.hardest_by_topk(batches, 5)
        shapes_and_devices = {"empty", "__len__", "__get__"}
        assert names.called <= {"detach", "to", "arange", "cat", "topk", "gather"} | shapes_and_devices
        with Names() as names:
            hardest.hardest_by_heap(batches[0], 2)
        assert {"__gt__", "__bool__"} & names.called

    @pytest.mark.parametrize(("beams", "vocabulary", "k"), [(1, 5, 3), (3, 7, 3), (2, 2, 4)])
    def test_one_step_of_a_beam_is_topk_of_the_flattened_scores(self, beams, vocabulary, k):
        scores = torch.randn(beams, vocabulary)
        values, flat = scores.flatten().topk(k)
        parents, tokens = flat // vocabulary, flat % vocabulary
        heap = [(-score, *divmod(place, vocabulary)) for place, score in enumerate(scores.flatten().tolist())]
        heapq.heapify(heap)
        for value, parent, token in zip(values.tolist(), parents.tolist(), tokens.tolist(), strict=True):
            assert heapq.heappop(heap) == (-value, parent, token)

    @pytest.mark.parametrize("n", [1000, 4000])
    def test_twice_the_entries_cost_heapq_one_more_comparison_per_pop_and_the_heap_by_hand_two(self, n):
        class Counted:
            compared = 0

            def __init__(self, value):
                self.value = value

            def __lt__(self, other):
                Counted.compared += 1
                return self.value < other.value

        found = []
        for size in (n, 2 * n):
            draw, ours, theirs = random.Random(0), Heap(), []
            for _ in range(size):
                ours.push(draw.random(), None)
                heapq.heappush(theirs, Counted(ours.entries[-1][0]))
            before, Counted.compared = ours.compared, 0
            for _ in range(size):
                ours.pop()
                heapq.heappop(theirs)
            found.append(((ours.compared - before) / size, Counted.compared / size))
        (ours, theirs), (ours_twice, theirs_twice) = found
        assert (ours_twice - ours, theirs_twice - theirs) == (pytest.approx(2, abs=0.1), pytest.approx(1, abs=0.1))

    @pytest.mark.parametrize(("sign", "order"), [(1, [3, 2, 1]), (-1, [1, 2, 3])])
    def test_a_max_heap_gives_equal_priorities_latest_first_unless_the_counter_is_negated(self, sign, order):
        heapify = getattr(heapq, "heapify_max", None) or heapq._heapify_max
        pop = getattr(heapq, "heappop_max", None) or heapq._heappop_max
        heap = [(0.5, sign * arrival, torch.ones(2)) for arrival in (1, 2, 3)] + [(0.75, 0, torch.ones(2))]
        heapify(heap)
        assert pop(heap)[0] == 0.75
        assert [abs(pop(heap)[1]) for _ in range(3)] == order
