"""What docs/mid/tensors/aliasing.md claims, proven beyond the example shown."""

import copy
import itertools
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader

from warmup.testing import load_snippet

detector = load_snippet("mid/tensors/aliasing_detector.py")
darkened = load_snippet("mid/tensors/aliasing_dataset_broken.py")


def storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


class TestAliasing:
    @pytest.mark.parametrize(
        "make", [lambda: nn.Linear(2, 3), lambda: nn.Sequential(nn.Conv1d(1, 2, 1), nn.BatchNorm1d(2))]
    )
    def test_which_snapshots_follow_the_training(self, make):
        model = make()
        state = model.state_dict()
        snapshots = {
            "live": state,
            "shallow": copy.copy(state),
            "dict": dict(state),
            "detach": {k: v.detach() for k, v in state.items()},
            "cpu": {k: v.cpu() for k, v in state.items()},
            "clone": {k: v.clone() for k, v in state.items()},
            "deepcopy": copy.deepcopy(state),
        }
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.randn(4, *next(model.parameters()).shape[1:])).square().sum().backward()
        optimizer.step()
        key = next(iter(state))
        for name, kept in snapshots.items():
            assert torch.equal(kept[key], model.state_dict()[key]) == (name not in ("clone", "deepcopy")), name

    def test_what_aliases_and_what_copies(self):
        x = torch.arange(6.0)
        identity, dropout = nn.Identity(), nn.Dropout().eval()
        aliases = [
            x[:3],
            x[2],
            x.view(2, 3),
            x.view(2, 3).T,
            x.expand(2, 6),
            x.chunk(2)[1],
            x.unfold(0, 2, 1),
            x.detach(),
        ]
        aliases += [
            x.data,
            nn.Parameter(x),
            torch.from_numpy(x.numpy()),
            identity(x),
            dropout(x),
            *torch.broadcast_tensors(x, x),
        ]
        aliases += [+x, x.to("cpu"), x.float(), x.cpu(), x.contiguous(), x.reshape(2, 3), torch.as_tensor(x)]
        for number, alias in enumerate(aliases):
            assert detector.share_memory(x, alias), number
        copies = [
            x.clone(),
            copy.deepcopy(x),
            x[[0, 1]],
            x[x >= 0],
            torch.cat([x]),
            torch.stack([x]),
            x + 0,
            x.double(),
            x.to("cpu", copy=True),
        ]
        copies += [x.view(2, 3).T.contiguous(), x.view(2, 3).T.reshape(-1), torch.as_tensor(x, dtype=torch.float64)]
        copies += [torch.tensor(x.numpy())]
        for number, made in enumerate(copies):
            assert not detector.share_memory(x, made), number

    def test_the_detector_is_right_for_all_pairs_of_slices(self):
        x = torch.arange(5, dtype=torch.int16)
        slices = [x[a::step][:count] for a in range(5) for step in (1, 2, 3) for count in (0, 1, 3)]
        for a, b in itertools.combinations_with_replacement(slices, 2):
            assert detector.share_memory(a, b) == bool(set(a.tolist()) & set(b.tolist()))

    def test_the_detector_compares_bytes_and_refuses_meta(self):
        x = torch.zeros(4)
        assert detector.share_memory(x[1], x.view(torch.int16)[2:3])
        assert not detector.share_memory(x[1], x.view(torch.int16)[4:5])
        assert detector.share_memory(x.expand(3, 4), x[3])
        array = x.numpy()
        other = torch.from_numpy(array[2:])
        assert storage(other) != storage(x) and detector.share_memory(x, other)
        assert not detector.share_memory(x[:2], other)
        with pytest.raises(ValueError, match="has no memory"):
            detector.share_memory(x, torch.zeros(2, device="meta"))

    @pytest.mark.parametrize("size", [1, 6])
    def test_the_detector_does_not_know_a_file_that_is_mapped_twice(self, size, tmp_path):
        a, b = (torch.from_file(str(tmp_path / "file"), shared=True, size=size) for _ in range(2))
        a.fill_(3)
        assert b.tolist() == [3] * size and not detector.share_memory(a, b)

    def test_expanded_tensors_refuse_most_writes_and_accept_fill_and_zero(self):
        message = "more than one element of the written-to tensor refers to a single memory location"
        for write in (
            lambda e: e.add_(1),
            lambda e: e.copy_(torch.ones(4, 3)),
            lambda e: e[:2].mul_(2),
            lambda e: e.exp_(),
            lambda e: e.normal_(),
            lambda e: e.__setitem__(slice(None), 5),
        ):
            with pytest.raises(RuntimeError, match=message):
                write(torch.zeros(1, 3).expand(4, 3))
        e = torch.zeros(1, 3).expand(4, 3)
        assert e.zero_().tolist() == [[0, 0, 0]] * 4 and e.fill_(2).tolist() == [[2, 2, 2]] * 4
        e[0, 1] = 5
        assert e[:, 1].tolist() == [5] * 4
        e[3] = 6
        assert e.tolist() == [[6, 6, 6]] * 4
        with pytest.raises(RuntimeError, match=message):
            e[:2] = 1

    def test_partial_overlap_of_input_and_output_raises_without_gaps(self):
        message = "some elements of the input tensor and the written-to tensor refer to a single memory location"
        x, square = torch.arange(4.0), torch.zeros(3, 3)
        with pytest.raises(RuntimeError, match=message):
            x[1:] += x[:-1]
        with pytest.raises(RuntimeError, match=message):
            square.copy_(square.T)

    @pytest.mark.parametrize("block", [torch.arange(16.0).view(4, 4)[:3, :3], torch.arange(36).view(6, 6)[::2, ::2]])
    def test_partial_overlap_with_gaps_runs_and_is_wrong(self, block):
        right = block.T.clone()
        block.copy_(block.T)
        assert not torch.equal(block, right)

    def test_partial_overlap_that_numpy_hides_runs(self):
        x = torch.arange(4.0)
        array = x.numpy()
        later = torch.from_numpy(array[1:])
        later += torch.from_numpy(array[:-1])
        assert x.tolist() != [0, 1, 2, 3]
        for size in (4, 9):
            x = torch.arange(float(size))
            right = x[1:] + x[:-1]
            with pytest.raises(RuntimeError, match="single memory location"):
                x[1:].add_(x[:-1])
            x[1:].add_(torch.from_numpy(x.numpy())[:-1])  # at the same address, too
            assert not torch.equal(x[1:], right)

    def test_overlapping_windows_pass_the_check(self):
        x = torch.zeros(4)
        x.unfold(0, 2, 1).add_(1)
        assert x.tolist() != [0, 0, 0, 0]

    def test_sending_a_tensor_to_a_process_moves_it_into_shared_memory(self):
        dataset = darkened.Darkened(True)
        assert not dataset.data.is_shared()
        ForkingPickler.dumps(dataset)
        assert dataset.data.is_shared()

    def test_no_autograd_error_for_a_snapshot(self):
        w = torch.ones(2, requires_grad=True)
        kept = w.detach()
        with torch.no_grad():
            w.add_(1)
        (w.sum() + kept.sum()).backward()
        assert kept.tolist() == [2, 2]

    def test_autograd_counts_writes_except_through_data_and_numpy(self):
        for write, raises in (
            (lambda y: y.detach().add_(1), True),
            (lambda y: y.data.add_(1), False),
            (lambda y: np.add(y.detach().numpy(), 1, out=y.detach().numpy()), False),
        ):
            x = torch.zeros(2, requires_grad=True)
            y = x.exp()
            write(y)
            if raises:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    y.sum().backward()
            else:
                y.sum().backward()
                assert x.grad.tolist() == [2, 2]

    @pytest.mark.parametrize("batch_size", [1, 3])
    def test_an_in_place_augmentation_darkens_the_data_set(self, batch_size):
        for in_place, expected in ((True, [4, 2, 1]), (False, [4, 4, 4])):
            loader = DataLoader(darkened.Darkened(in_place), batch_size=batch_size, shuffle=True)
            assert [torch.cat(list(loader)).mean().item() for _ in range(3)] == expected

    def test_reading_an_index_twice_finds_it(self):
        for in_place in (True, False):
            dataset = darkened.Darkened(in_place)
            first = dataset[0].clone()
            assert torch.equal(first, dataset[0]) != in_place

    @pytest.mark.parametrize("persistent", [False, True])
    def test_with_forked_workers_it_depends_on_whether_they_persist(self, persistent):
        loader = DataLoader(
            darkened.Darkened(True), 2, num_workers=1, persistent_workers=persistent, multiprocessing_context="fork"
        )
        means = [torch.cat(list(loader)).mean().item() for _ in range(2)]
        assert means == ([4, 2] if persistent else [4, 4])

    def test_a_forked_worker_writes_into_shared_memory(self):
        dataset = darkened.Darkened(True)
        dataset.data.share_memory_()
        loader = DataLoader(dataset, 2, num_workers=1, multiprocessing_context="fork")
        assert [torch.cat(list(loader)).mean().item() for _ in range(2)] == [4, 2]

    def test_a_history_of_one_tensor_is_the_last_state(self):
        for keep, expected in (
            (lambda h: h, [3, 3, 3]),
            (lambda h: h.detach(), [3, 3, 3]),
            (lambda h: h.clone(), [1, 2, 3]),
        ):
            h, history = torch.zeros(1), []
            for _ in range(3):
                h += 1
                history.append(keep(h))
            assert [state.item() for state in history] == expected
        rows = [torch.zeros(2)] * 3
        rows[0] += 1
        assert rows[2].tolist() == [1, 1]

    def test_an_augmented_assignment_changes_the_callers_tensor(self):
        def in_place(x):
            x += 1

        def new(x):
            x = x + 1

        for function_, expected in ((in_place, 1), (new, 0)):
            for tensor in (torch.zeros(2), torch.zeros(2, 3).T):
                function_(tensor)
                assert (tensor == expected).all()

    def test_a_tied_weight_is_one_parameter(self):
        embedding, head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
        head.weight = embedding.weight
        assert sum(p.numel() for p in nn.ModuleList([embedding, head]).parameters()) == 15

    def test_load_state_dict_copies_unless_assigned(self):
        for assign in (False, True):
            model, kept = nn.Linear(1, 1), {"weight": torch.zeros(1, 1), "bias": torch.zeros(1)}
            model.load_state_dict(kept, assign=assign)
            assert detector.share_memory(model.weight.detach(), kept["weight"]) == assign
