"""Every claim that the pages of docs/mid/tensors make, proven beyond the example shown."""

import copy
import io
import itertools
import math
import warnings
from multiprocessing.reduction import ForkingPickler

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd.profiler import profile
from torch.nn.utils import prune
from torch.utils.data import DataLoader

from warmup.testing import load_snippet

cells = load_snippet("mid/tensors/storage_and_strides_cells.py")
saved = load_snippet("mid/tensors/storage_and_strides_saved.py")
windows = load_snippet("mid/tensors/storage_and_strides_windows.py")
rule = load_snippet("mid/tensors/view_vs_reshape_rule.py")
detector = load_snippet("mid/tensors/aliasing_detector.py")
darkened = load_snippet("mid/tensors/aliasing_dataset_broken.py")
backward = load_snippet("mid/tensors/broadcasting_internals_backward.py")
function = load_snippet("mid/tensors/broadcasting_internals_function.py")
counted = load_snippet("mid/tensors/sparse_tensors_bytes.py")
timed = load_snippet("mid/tensors/sparse_tensors_time.py")


def storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def views_of(t: torch.Tensor) -> dict[str, torch.Tensor]:
    """Views of a tensor with three dimensions, each at least 3 long."""
    return {
        "itself": t,
        "transpose": t.transpose(0, 2),
        "slice": t[1:, ::2],
        "select": t[:, 2],
        "element": t[1, 2, 0],
        "expand": t[:, :1].expand(-1, 7, -1),
        "diagonal": t.diagonal(),
        "unfold": t.unfold(1, 2, 1),
        "empty": t[:, 1:1],
    }


class TestStorageAndStrides:
    @pytest.mark.parametrize("shape", [(3, 4, 5), (6, 3, 3)])
    @pytest.mark.parametrize("dtype", [torch.int64, torch.float16, torch.bool])
    def test_an_element_lies_at_the_offset_plus_its_index_times_the_strides(self, shape, dtype):
        base = (torch.arange(math.prod(shape)).reshape(shape) % 7).to(dtype)
        flat = base.as_strided((base.numel(),), (1,), 0)
        for name, view in views_of(base).items():
            assert storage(view) == storage(base), name
            assert torch.equal(flat[cells.positions(view)], view), name
            if view.numel():
                assert view.data_ptr() == storage(view) + view.storage_offset() * view.element_size()

    @pytest.mark.parametrize(
        "base", [torch.zeros(4, 5, 6), torch.zeros(5, 8, 3).transpose(0, 1), torch.zeros(9, 9, 9)[1:, 2:]]
    )
    def test_views_change_metadata_as_the_table_says(self, base):
        first, second, third = base.stride()
        offset = base.storage_offset()
        assert base.transpose(0, 1).stride() == (second, first, third)
        assert base.transpose(0, 1).storage_offset() == offset
        assert (base[2].stride(), base[2].storage_offset()) == ((second, third), offset + 2 * first)
        for a, b, k in itertools.product((0, 1), (3, 4), (1, 2, 3)):
            view = base[a:b:k]
            assert len(view) == math.ceil((b - a) / k)
            assert (view.stride(), view.storage_offset()) == ((first * k, second, third), offset + a * first)
        matrix = base[0]
        assert matrix.diagonal().stride() == (second + third,) and len(matrix.diagonal()) == min(matrix.shape)
        assert base[:1].expand(8, -1, -1).stride() == (0, second, third)
        unfolded = base.unfold(0, 2, 2)
        assert unfolded.stride() == (2 * first, second, third, first) and unfolded.shape[-1] == 2

    def test_an_index_list_or_a_mask_copies(self):
        x = torch.arange(4.0)
        for index in ([0, 2, 3], [0, 1], x >= 0):
            assert storage(x[index]) != storage(x)

    @pytest.mark.parametrize("shape", [(2, 3, 4), (5,), (1, 2, 1, 3)])
    def test_contiguous_strides_are_products_of_the_sizes_to_the_right(self, shape):
        expected = tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))
        assert torch.zeros(shape).stride() == expected

    def test_is_contiguous_ignores_the_strides_of_sizes_of_one(self):
        x = torch.zeros(12).as_strided((3, 1, 4), (4, 99, 1))
        assert x.is_contiguous() and not torch.zeros(3, 2, 8)[:, :1, :4].is_contiguous()

    def test_channels_last_keeps_the_shape(self):
        x = torch.zeros(2, 3, 4, 5)
        last = x.to(memory_format=torch.channels_last)
        assert (x.stride(), last.stride()) == ((60, 20, 5, 1), (60, 1, 15, 3)) and x.shape == last.shape

    def test_a_single_channel_has_both_memory_formats(self):
        for channels in (1, 3):
            for memory_format in (torch.contiguous_format, torch.channels_last):
                x = torch.zeros(2, channels, 4, 5).to(memory_format=memory_format)
                assert (x.is_contiguous() and x.is_contiguous(memory_format=torch.channels_last)) == (channels == 1)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.int64])
    def test_numpy_counts_strides_in_bytes(self, dtype):
        x = torch.zeros(3, 4, dtype=dtype).T
        assert x.numpy().strides == tuple(stride * x.element_size() for stride in x.stride())

    @pytest.mark.parametrize("rows", [10, 300])
    def test_a_view_keeps_its_storage_alive_and_saves_it(self, rows):
        batch = torch.zeros(rows, 1000)
        kept, cloned = batch[0, :1], batch[0, :1].clone()
        del batch
        assert kept.untyped_storage().nbytes() == 4000 * rows
        assert saved.file_kb(kept) == pytest.approx(4 * rows, abs=4) and saved.file_kb(cloned) < 4

    def test_tensors_that_share_memory_share_it_after_loading(self):
        x = torch.zeros(4)
        file = io.BytesIO()
        torch.save((x, x[1:]), file)
        file.seek(0)
        whole, part = torch.load(file)
        part += 1
        assert whole.tolist() == [0, 1, 1, 1]

    @pytest.mark.parametrize("x", [torch.arange(9.0), torch.arange(20)[3::2], torch.zeros(3, 5)[:, 2]])
    def test_windows_are_those_of_unfold(self, x):
        for size in range(1, len(x) + 1):
            found = windows.windows(x, size)
            assert torch.equal(found, x.unfold(0, size, 1)) and storage(found) == storage(x)
        for size in (0, len(x) + 1):
            with pytest.raises(ValueError, match=r"no windows of"):
                windows.windows(x, size)
        with pytest.raises(ValueError, match=r"no windows of"):
            windows.windows(torch.zeros(2, 2), 1)

    def test_as_strided_starts_at_its_inputs_offset_and_shows_what_it_hides(self):
        x = torch.arange(5.0)
        assert x[2:].as_strided((3,), (1,)).tolist() == [2, 3, 4]
        assert x[2:].as_strided((3,), (1,), 0).tolist() == [0, 1, 2]
        assert x[::2].as_strided((5,), (1,)).tolist() == x.tolist()
        with pytest.raises(RuntimeError, match="out of bounds for storage"):
            x.as_strided((6,), (1,))

    def test_there_are_no_negative_strides(self):
        x = torch.arange(3)
        with pytest.raises(ValueError, match="step must be greater than zero"):
            x[::-1]
        with pytest.raises(RuntimeError, match="Negative strides are not supported"):
            x.as_strided((3,), (-1,), 2)
        assert np.arange(3)[::-1].base is not None
        assert x.flip(0).tolist() == [2, 1, 0] and storage(x.flip(0)) != storage(x)

    def test_an_elementwise_operation_on_a_transpose_writes_in_the_order_of_its_memory(self):
        for x in (torch.rand(3, 4).T, torch.rand(2, 3, 4).permute(2, 0, 1)):
            assert (x + 1).stride() == x.stride() and not x.is_contiguous()
            assert (x + torch.zeros(x.shape)).stride() == x.stride()  # so the second operand is read out of order

    def test_coo_has_no_storage_and_meta_no_memory(self):
        with pytest.raises(NotImplementedError, match="Cannot access storage"):
            torch.eye(3).to_sparse().untyped_storage()
        meta = torch.zeros(3, 4, device="meta")
        assert (meta.stride(), meta.untyped_storage().nbytes(), meta.data_ptr()) == ((4, 1), 48, 0)

    def test_the_drawing_refuses_another_storage_or_dtype_and_labels_each_cell(self, monkeypatch):
        matplotlib.use("agg")
        drawn: list[list[str]] = []
        monkeypatch.setattr(plt, "show", lambda: drawn.append([text.get_text() for text in plt.gca().texts]))
        base = torch.zeros(6)
        cells.draw(base, {"pair": base[4].expand(2), "number": base[1]})
        plt.close()
        assert drawn[0] == [
            *("storage", "0", "1", "2", "3", "4", "5"),
            *("pair: strides (0,), offset 4", "", "", "", "", "0\n1", ""),
            *("number: strides (), offset 1", "", "()", "", "", "", ""),
        ]
        for other in (torch.zeros(6), base.view(torch.int32)):
            with pytest.raises(ValueError, match="another storage or another dtype"):
                cells.draw(base, {"other": other})


def view_or_none(x: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor | None:
    try:
        return x.view(shape)
    except RuntimeError:
        return None


def shapes_of(count: int, dimensions: int) -> list[tuple[int, ...]]:
    divisors = [size for size in range(1, count + 1) if count % size == 0]
    return [shape for shape in itertools.product(divisors, repeat=dimensions) if math.prod(shape) == count]


LAYOUTS = [
    *(torch.arange(24).reshape(2, 3, 4).permute(order) for order in itertools.permutations(range(3))),
    torch.arange(24).reshape(2, 3, 4)[..., ::2],
    torch.arange(24).reshape(2, 3, 4)[:, :2],
    torch.arange(24).reshape(2, 3, 4)[:, 1:],
    torch.arange(4).reshape(2, 1, 2).expand(2, 3, 2),
    torch.zeros(1, dtype=torch.int64).expand(2, 6),
    torch.arange(24).reshape(2, 3, 4)[:, :1],
    torch.arange(16).as_strided((4, 4), (1, 1)),
    torch.tensor(3),
]


class TestViewVsReshape:
    @pytest.mark.parametrize("x", LAYOUTS)
    def test_the_rule_is_torchs_for_every_shape_of_up_to_four_dimensions(self, x):
        for shape in itertools.chain.from_iterable(shapes_of(x.numel(), n) for n in range(5)):
            view = view_or_none(x, shape)
            expected = rule.view_strides(x, shape)
            assert (view is None) == (expected is None), shape
            if view is not None:
                kept = [d for d, size in enumerate(shape) if size > 1]
                assert [view.stride(d) for d in kept] == [expected[d] for d in kept]
                assert view.data_ptr() == x.data_ptr()
            reshaped = x.reshape(shape)
            assert (reshaped.data_ptr() != x.data_ptr()) == (view is None)
            if x.is_contiguous():
                assert view is not None

    def test_the_rule_refuses_what_has_no_such_view(self):
        for x, shape in ((torch.zeros(0), (0,)), (torch.zeros(6), (4,))):
            with pytest.raises(ValueError, match="no view of shape"):
                rule.view_strides(x, shape)

    @pytest.mark.parametrize("x", LAYOUTS)
    def test_view_to_one_dimension_works_exactly_if_the_positions_have_one_step(self, x):
        read = cells.positions(x).flatten().tolist()
        assert (view_or_none(x, (-1,)) is not None) == (len({b - a for a, b in itertools.pairwise(read)}) <= 1)

    @pytest.mark.parametrize("x", LAYOUTS)
    def test_contiguous_returns_the_tensor_itself_or_a_copy(self, x):
        made = x.contiguous()
        assert (made is x) == x.is_contiguous() == (storage(made) == storage(x))
        read = cells.positions(x).flatten().tolist()
        assert x.is_contiguous() == (read == list(range(x.storage_offset(), x.storage_offset() + x.numel())))

    def test_a_dimension_of_any_stride_can_be_split(self):
        for x in (torch.zeros(6, 4)[:, 1], torch.zeros(1).expand(6), torch.zeros(3, 6)[::2].T):
            view = x.view(2, 3, *x.shape[1:])
            assert view.stride()[:2] == (3 * x.stride(0), x.stride(0))

    @pytest.mark.parametrize(("tokens", "heads", "size"), [(2, 3, 4), (5, 2, 2), (7, 8, 3)])
    def test_a_reshape_without_the_transpose_mixes_tokens(self, tokens, heads, size):
        x = torch.randn(2, tokens, heads * size)
        split = x.view(2, tokens, heads, size).transpose(1, 2)
        with pytest.raises(RuntimeError, match=r"Use \.reshape\(\.\.\.\) instead"):
            split.view(x.shape)
        assert not torch.equal(split.reshape(x.shape), x)
        back = split.transpose(1, 2)
        assert torch.equal(back.reshape(x.shape), x) and back.reshape(x.shape).data_ptr() == x.data_ptr()

    def test_with_one_token_or_one_head_the_bug_is_invisible(self):
        for tokens, heads in ((1, 4), (4, 1)):
            x = torch.randn(1, tokens, heads * 2)
            assert torch.equal(x.view(1, tokens, heads, 2).transpose(1, 2).reshape(x.shape), x)

    def test_a_write_through_reshape_arrives_only_through_a_view(self):
        fresh, transposed = torch.zeros(2, 3), torch.zeros(2, 3).T
        for x in (fresh, transposed):
            x.reshape(-1)[0] = 1
        assert fresh.sum() == 1 and transposed.sum() == 0

    def test_clone_preserves_the_strides_of_a_tensor_without_gaps(self):
        x = torch.zeros(2, 3, 4).transpose(0, 1)
        assert x.clone().stride() == (x + 0).stride() == x.stride()
        assert x.clone(memory_format=torch.contiguous_format).is_contiguous()
        assert torch.zeros(4, 4)[:, :2].clone().is_contiguous()
        assert torch.zeros(3, 1).expand(3, 4).clone().is_contiguous()

    def test_clone_closes_gaps_and_keeps_the_order_of_the_dimensions(self):
        for x in (torch.zeros(4, 6)[:, ::2].T, torch.zeros(5, 4)[:, 1:].T):
            columns = (1, x.shape[0])
            assert x.clone().stride() == (x + 0).stride() == columns and x.contiguous().is_contiguous()

    def test_an_elementwise_operation_takes_the_layout_of_its_first_operand(self):
        a, b = torch.zeros(2, 3).T, torch.zeros(3, 2)
        assert (a.exp().stride(), (a + b).stride(), (b + a).stride()) == ((1, 3), (1, 3), (2, 1))

    def test_a_tensor_without_elements_has_every_view(self):
        for count, works in ((0, True), (3, False)):
            assert (view_or_none(torch.zeros(count, 2, 4).transpose(1, 2), (-1,)) is not None) == works

    def test_channels_last_does_not_merge_channels_and_pixels(self):
        x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
        assert view_or_none(x, (2, -1)) is None
        assert view_or_none(x[:, :1], (2, -1)) is not None
        flat = x.flatten(1)
        assert torch.equal(flat, x.contiguous().view(2, -1)) and storage(flat) != storage(x)
        pooled = x.mean((2, 3), keepdim=True)
        assert pooled.view(2, -1).shape == (2, 3)
        adaptive = torch.nn.AdaptiveAvgPool2d(1)(x)
        assert adaptive.view(2, -1).shape == (2, 3)

    @pytest.mark.parametrize(
        "x", [torch.zeros(2, 1, 6), torch.zeros(6, 1, 2).transpose(0, 2), torch.zeros(2, 1, 12)[..., ::2]]
    )
    def test_which_operations_are_views(self, x):
        for made in (
            x.transpose(0, 2),
            x.permute(1, 2, 0),
            x.squeeze(1),
            x.unflatten(x.dim() - 1, (-1, 2)),
            x.expand(2, *x.shape),
        ):
            assert storage(made) == storage(x)
        assert storage(x.repeat(1, 1, 1)) != storage(x)
        assert (storage(x.flatten()) != storage(x)) == (view_or_none(x, (-1,)) is None)

    def test_the_gradient_of_a_copying_reshape_has_the_old_shape(self):
        for x in (torch.randn(3, 4), torch.randn(4, 3).T):
            x.requires_grad_()
            weight = torch.arange(12.0)
            (x.reshape(-1) * weight).sum().backward()
            assert torch.equal(x.grad, weight.view(3, 4))


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


BROADCAST = [
    ((3, 1), (4,)),
    ((4,), (3, 1)),
    ((2, 3, 4), (3, 1)),
    ((), (2, 2)),
    ((5,), (5,)),
    ((1, 1), (1,)),
    ((1, 3), (0, 3)),
]


def allocated(operation) -> int:
    """Bytes that the operations inside allocate, those that they free again included."""
    with profile(profile_memory=True, use_kineto=False) as found:
        kept = operation()
    assert kept is not None
    return sum(max(0, event.self_cpu_memory_usage) for event in found.key_averages())


class TestBroadcastingInternals:
    @pytest.mark.parametrize(("left", "right"), BROADCAST)
    def test_stretched_dimensions_have_stride_zero_and_no_new_memory(self, left, right):
        a, b = torch.zeros(left), torch.zeros(right)
        for x, stretched in zip((a, b), torch.broadcast_tensors(a, b), strict=True):
            extra = stretched.dim() - x.dim()
            for d, size in enumerate(stretched.shape):
                if d < extra or x.shape[d - extra] != size:
                    assert stretched.stride(d) == 0 or size == 1
                else:
                    assert size == 1 or stretched.stride(d) == x.stride(d - extra)
            assert storage(stretched) == storage(x)

    @pytest.mark.parametrize("operation", [torch.add, torch.mul, torch.maximum, torch.pow, torch.lt])
    def test_an_elementwise_operation_allocates_its_result_only(self, operation):
        a, b = torch.rand(300, 1), torch.rand(300)
        assert allocated(lambda: operation(a, b)) == operation(a, b).nbytes

    def test_another_dtype_is_converted_unstretched(self):
        a, b = torch.rand(300, 1), torch.ones(300, dtype=torch.int64)
        assert allocated(lambda: a + b) <= 300 * 300 * 4 + 300 * 4

    @pytest.mark.parametrize(("left", "right"), BROADCAST)
    def test_the_gradient_is_the_sum_over_the_stretched_dimensions(self, left, right):
        a = torch.rand(left, dtype=torch.float64, requires_grad=True)
        b = torch.rand(right, dtype=torch.float64, requires_grad=True)
        for operation in (torch.add, torch.mul, torch.atan2):
            y = operation(a, b)
            weight = torch.rand_like(y)
            wide = [x.detach().expand(y.shape).clone().requires_grad_() for x in (a, b)]
            full = torch.autograd.grad((operation(*wide) * weight).sum(), wide)
            found = torch.autograd.grad((y * weight).sum(), (a, b))
            for x, gradient, summed in zip((a, b), full, found, strict=True):
                torch.testing.assert_close(backward.unbroadcast(gradient, x.shape), summed)
                torch.testing.assert_close(gradient.sum_to_size(x.shape), summed)

    def test_the_function_refuses_shapes_that_do_not_broadcast(self):
        for shape in ((2,), (3, 4, 1), (1, 3, 4)):
            with pytest.raises(ValueError, match="does not broadcast"):
                backward.unbroadcast(torch.zeros(3, 4), shape)

    def test_an_empty_list_of_dimensions_sums_over_all(self):
        x = torch.ones(3, 4)
        assert x.sum(dim=[]).shape == x.mean(dim=[]).shape == ()
        assert x.any(dim=[]).shape == x.all(dim=[]).shape == np.sum(x.numpy(), axis=()).shape == (3, 4)

    def test_the_backward_of_a_sum_is_a_view_with_stride_zero(self):
        seen = []
        x = torch.ones(3, 4, requires_grad=True) * 1
        x.register_hook(lambda g: seen.append((g.shape, g.stride(), g.untyped_storage().nbytes())))
        x.sum(1, keepdim=True).sum().backward()
        assert seen[0][0] == (3, 4) and seen[0][1][1] == 0 and seen[0][2] < 3 * 4 * 4

    @pytest.mark.parametrize("rows", [3, 50])
    def test_the_gradient_of_a_bias_sums_over_the_rows(self, rows):
        layer = nn.Linear(2, 3)
        layer(torch.randn(rows, 2)).sum().backward()
        assert layer.bias.grad.tolist() == [rows] * 3
        layer.zero_grad()
        layer(torch.randn(rows, 2)).mean(0).sum().backward()
        torch.testing.assert_close(layer.bias.grad, torch.ones(3))

    def test_autograd_saves_the_operands_unstretched(self):
        saved = []
        a, b = torch.rand(1000, 1, requires_grad=True), torch.rand(1000, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.nbytes), lambda t: t):
            y = a * b
        assert saved == [4000, 4000] and y.nbytes == 4_000_000
        for operation in (torch.div, torch.atan2, torch.maximum, torch.add):
            saved.clear()
            with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.nbytes), lambda t: t):
                operation(a, b)
            assert saved in ([], [4000, 4000])

    @pytest.mark.parametrize(("left", "right", "copies"), [(2, 3, True), (1, 1, False)])
    def test_a_batched_matmul_saves_stretched_copies(self, left, right, copies):
        saved = []
        a, b = torch.rand(left, 1, 8, 8, requires_grad=True), torch.rand(1, right, 8, 8, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t), lambda t: t):
            a @ b
        sizes = sorted(t.untyped_storage().nbytes() for t in saved)
        assert sizes == ([left * right * 256] * 2 if copies else [256, 256])

    @pytest.mark.parametrize(("n", "features"), [(100, 16), (50, 32)])
    def test_all_pairs_need_the_features_of_every_pair(self, n, features):
        points = torch.randn(n, features)
        assert allocated(lambda: points[:, None] - points[None]) == n * n * features * 4
        squares = allocated(lambda: (points[:, None] - points[None]).square().sum(-1))
        assert squares == 2 * n * n * features * 4 + n * n * 4
        norms = points.square().sum(1)
        assert allocated(lambda: norms[:, None] + norms - 2 * points @ points.T) < n * n * features * 4

    def test_the_expanded_square_can_be_negative_for_near_points(self):
        p = 1000 + torch.rand(50, 8, generator=torch.Generator().manual_seed(0))
        norms = p.square().sum(1)
        by_product = norms[:, None] + norms - 2 * p @ p.T
        exact = (p[:, None] - p[None]).square().sum(-1)
        assert by_product.min() < 0 <= exact.min() and (by_product - exact).abs().max() > 0.1
        assert by_product.sqrt().isnan().any() and not by_product.clamp_min(0).sqrt().isnan().any()

    @pytest.mark.parametrize("scale", [0, 1000])
    def test_the_gradient_of_a_clamped_root_is_nan_and_that_of_cdist_is_finite(self, scale):
        p = scale + torch.rand(50, 8, generator=torch.Generator().manual_seed(0))
        p.requires_grad_()
        norms = p.square().sum(1)
        squared = norms[:, None] + norms - 2 * p @ p.T
        clamped = squared.clamp_min(0).sqrt()
        gradients = [torch.autograd.grad(distance.sum(), p)[0] for distance in (clamped, torch.cdist(p, p))]
        assert clamped.isfinite().all() and gradients[0].isnan().any() and gradients[1].isfinite().all()
        if not scale:
            assert torch.equal(gradients[0].isnan().any(1), (squared == 0).any(1))

    @pytest.mark.parametrize("shape", [(300, 1), (1, 300)])
    def test_what_writes_a_stretched_tensor_out(self, shape):
        x = torch.zeros(shape).expand(300, 300)
        for view in (x.T, x[:, ::2], x.float(), x[5]):
            assert storage(view) == storage(x)
        for written in (
            x.clone(),
            x.reshape(-1),
            x.contiguous(),
            x.double(),
            torch.zeros(shape).repeat(300 // shape[0], 300 // shape[1]),
        ):
            assert written.untyped_storage().nbytes() == 300 * 300 * written.element_size()
        with pytest.raises(RuntimeError, match="must match the existing size"):
            torch.zeros(2).expand(4)
        assert torch.zeros(2).repeat(2).shape == (4,)

    @pytest.mark.parametrize(("left", "right"), BROADCAST)
    def test_the_engine_sums_the_gradient_of_a_custom_function(self, left, right):
        a, b = torch.rand(left, requires_grad=True), torch.rand(right, requires_grad=True)
        found = torch.autograd.grad(function.Product.apply(a, b).sin().sum(), (a, b))
        torch.testing.assert_close(found, torch.autograd.grad((a * b).sin().sum(), (a, b)))

    def test_the_engine_refuses_a_gradient_that_does_not_fit(self):
        class Wrong(function.Product):
            @staticmethod
            def backward(ctx, gradient):
                a, b = ctx.saved_tensors
                return (gradient * b).sum(), gradient * a

        a, b = torch.rand(3, 1, requires_grad=True), torch.rand(4, requires_grad=True)
        with pytest.raises(RuntimeError, match="returned an invalid gradient at index 0"):
            Wrong.apply(a, b).sum().backward()


@pytest.fixture
def sparse():
    """Invariants are checked, and the warning that CSR is in beta is silent."""
    before = torch.sparse.check_sparse_tensor_invariants.is_enabled()
    torch.sparse.check_sparse_tensor_invariants.enable()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        yield
    if not before:
        torch.sparse.check_sparse_tensor_invariants.disable()


def matrix(rows: int, columns: int, nonzeros: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    dense = torch.zeros(rows * columns, dtype=dtype)
    dense[torch.randperm(rows * columns)[:nonzeros]] = 1
    return dense.view(rows, columns)


@pytest.mark.usefixtures("sparse")
class TestSparseTensors:
    def test_duplicates_add_up(self):
        s = torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 2]], [2.0, 5.0, 3.0], (2, 3))
        assert s.to_dense()[0, 1] == 7 and s._nnz() == 3 and s.coalesce()._nnz() == 2
        for read in (s.values, s.indices):
            with pytest.raises(RuntimeError, match=r"uncoalesced tensor, please call \.coalesce"):
                read()
        assert s._values()[:2].square().sum() == 29 and (s * s).to_dense()[0, 1] == 49
        x = torch.rand(3, 4)
        torch.testing.assert_close(s @ x, s.to_dense() @ x)

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    @pytest.mark.parametrize(("rows", "columns", "nonzeros"), [(30, 20, 100), (5, 400, 1), (7, 9, 0)])
    def test_the_bytes_are_those_of_the_table(self, dtype, rows, columns, nonzeros):
        dense = matrix(rows, columns, nonzeros, dtype)
        size = dense.element_size()
        assert counted.sparse_bytes(dense.to_sparse()) == (16 + size) * nonzeros
        assert counted.sparse_bytes(dense.to_sparse_csr()) == 8 * (rows + 1) + (8 + size) * nonzeros
        with pytest.raises(ValueError, match="no COO and no CSR"):
            counted.sparse_bytes(dense)

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    def test_coo_breaks_even_where_the_formula_says(self, dtype):
        size = torch.zeros(0, dtype=dtype).element_size()
        limit = size / (16 + size)
        for factor, smaller in ((0.98, True), (1.02, False)):
            dense = matrix(100, 100, round(limit * factor * 10_000), dtype)
            assert (counted.sparse_bytes(dense.to_sparse()) < dense.nbytes) == smaller

    def test_csr_accepts_int32_indices(self):
        dense = matrix(20, 20, 50)
        csr = dense.to_sparse_csr()
        small = torch.sparse_csr_tensor(csr.crow_indices().int(), csr.col_indices().int(), csr.values(), (20, 20))
        assert counted.sparse_bytes(small) == 4 * 21 + 8 * 50 and torch.equal(small.to_dense(), dense)

    @pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
    def test_the_product_with_a_dense_matrix_is_dense_and_right(self, layout):
        for nonzeros in (0, 7, 300):
            dense = matrix(20, 30, nonzeros) * torch.rand(20, 30)
            x = torch.rand(30, 5)
            product = dense.to_sparse(layout=layout) @ x
            assert product.layout == torch.strided
            torch.testing.assert_close(product, dense @ x)

    def test_some_operations_that_map_zero_to_zero_work(self):
        s = torch.eye(4).to_sparse()
        for made in (s * 2, s.relu(), s.sin(), s.square()):
            assert made.layout == torch.sparse_coo
        for operation in (
            lambda: s + 1,
            s.exp,
            lambda: nn.functional.gelu(s),
            lambda: nn.functional.silu(s),
            lambda: s.view(-1),
            s.mean,
            lambda: s.__setitem__((0, 0), 2),
        ):
            with pytest.raises((NotImplementedError, RuntimeError, TypeError)):
                operation()
        with pytest.raises(RuntimeError, match="reduction operations on CSR tensors with keepdim=False is unsupported"):
            torch.eye(4).to_sparse_csr().sum(0)

    @pytest.mark.parametrize("nonzeros", [3, 50])
    def test_the_gradient_is_dense_through_matmul_and_sparse_through_sparse_mm(self, nonzeros):
        dense, x = matrix(20, 10, nonzeros), torch.rand(10, 4)
        for product, layout, start in (
            (torch.matmul, torch.strided, torch.sparse_coo),
            (torch.matmul, torch.strided, torch.sparse_csr),
            (torch.sparse.mm, torch.sparse_coo, torch.sparse_coo),
            (torch.sparse.mm, torch.sparse_csr, torch.sparse_csr),
        ):
            leaf = dense.to_sparse(layout=start).requires_grad_()
            weight = torch.rand(20, 4)
            (product(leaf, x) * weight).sum().backward()
            assert leaf.grad.layout == layout
            expected = weight @ x.T
            if layout != torch.strided:
                assert leaf.grad._nnz() == nonzeros
                torch.testing.assert_close(leaf.grad.to_dense(), expected * (dense != 0))
            else:
                torch.testing.assert_close(leaf.grad, expected)

    def test_a_sparse_embedding_has_a_dense_weight_and_a_sparse_gradient(self):
        optimizers = {"SGD": True, "Adagrad": True, "SparseAdam": True, "Adam": False, "AdamW": False}
        for name, accepts in optimizers.items():
            embedding = nn.Embedding(50, 4, sparse=True)
            embedding(torch.tensor([1, 2, 1])).sum().backward()
            assert embedding.weight.layout == torch.strided and embedding.weight.grad._nnz() == 3
            optimizer = getattr(torch.optim, name)(embedding.parameters(), lr=0.1)
            if accepts:
                optimizer.step()
            else:
                with pytest.raises(RuntimeError, match="does not support sparse gradients"):
                    optimizer.step()

    @pytest.mark.parametrize(("name", "tables"), [("SGD", 0), ("Adagrad", 1), ("SparseAdam", 2)])
    def test_the_state_of_a_sparse_embedding_is_dense(self, name, tables):
        embedding = nn.Embedding(50, 4, sparse=True)
        optimizer = getattr(torch.optim, name)(embedding.parameters(), lr=0.1)
        embedding(torch.tensor([1, 2, 1])).sum().backward()
        optimizer.step()
        state = [v for v in optimizer.state[embedding.weight].values() if torch.is_tensor(v) and v.dim()]
        assert [(v.layout, v.shape) for v in state] == [(torch.strided, (50, 4))] * tables

    def test_weight_decay_and_clipping_refuse_a_sparse_gradient(self):
        for optimizer in (torch.optim.SGD, torch.optim.Adagrad):
            for decay in (0.0, 0.1):
                embedding = nn.Embedding(50, 4, sparse=True)
                embedding(torch.tensor([1, 2, 1])).sum().backward()
                step = optimizer(embedding.parameters(), lr=0.1, weight_decay=decay).step
                if not decay:
                    step()
                    continue
                with pytest.raises(RuntimeError, match=r"add\(sparse, dense\)|not compatible with sparse"):
                    step()
                with pytest.raises(NotImplementedError, match="linalg_vector_norm"):
                    nn.utils.clip_grad_norm_(embedding.parameters(), 1.0)

    @pytest.mark.parametrize("columns", [2, 8])
    @pytest.mark.parametrize(("layout", "dense"), [(torch.sparse_coo, True), (torch.sparse_csr, False)])
    def test_the_backward_of_sparse_mm_computes_a_dense_gradient_for_coo_only(self, layout, dense, columns):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
            leaf = torch.eye(500).to_sparse(layout=layout).requires_grad_()
            total = torch.sparse.mm(leaf, torch.ones(500, columns)).sum()
            with profile(profile_memory=True) as profiled:
                total.backward()
        largest = max(event.self_cpu_memory_usage for event in profiled.function_events)
        assert leaf.grad.layout == layout
        assert (largest > 0.9 * 500 * 500 * 4) == dense and (dense or largest < 100_000)

    def test_pruning_keeps_a_dense_weight_and_a_dense_mask(self):
        layer = nn.Linear(10, 10)
        prune.l1_unstructured(layer, "weight", amount=0.9)
        assert (layer.weight == 0).sum() == 90
        for tensor in (layer.weight, layer.weight_orig, layer.weight_mask):
            assert tensor.layout == torch.strided and tensor.shape == (10, 10)
        prune.remove(layer, "weight")
        assert (layer.weight == 0).sum() == 90 and layer.weight.layout == torch.strided
        assert [*layer.state_dict()] == ["bias", "weight"]

    def test_zeros_that_arise_later_stay_stored(self):
        s = torch.eye(4).to_sparse()
        assert (s * 0)._nnz() == 4 and (s * 0).coalesce()._nnz() == 4
        assert (s * 0).to_dense().to_sparse()._nnz() == 0

    def test_the_timer_times_a_product(self):
        assert timed.fastest(torch.eye(3), torch.eye(3), runs=2) > 0
