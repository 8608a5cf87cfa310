"""What docs/mid/tensors/storage-and-strides.md claims, proven beyond the example shown."""

import copy
import io
import itertools
import math

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from warmup.testing import load_snippet

cells = load_snippet("mid/tensors/storage_and_strides_cells.py")
saved = load_snippet("mid/tensors/storage_and_strides_saved.py")
windows = load_snippet("mid/tensors/storage_and_strides_windows.py")


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

    def test_contiguous_and_deepcopy_of_a_contiguous_slice_keep_the_whole_storage(self):
        batch = torch.zeros(1000, 10)
        row, column = batch[0], batch[:, 0]
        assert row.contiguous() is row and column.contiguous().untyped_storage().nbytes() == column.nbytes
        assert copy.deepcopy(row).untyped_storage().nbytes() == batch.nbytes
        assert row.clone().untyped_storage().nbytes() == row.nbytes

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
