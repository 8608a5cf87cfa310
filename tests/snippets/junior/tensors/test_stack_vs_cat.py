"""What docs/junior/tensors/stack-vs-cat.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

stack_vs_cat = load_snippet("junior/tensors/stack_vs_cat_by_hand.py")
stack_vs_cat_batches = load_snippet("junior/tensors/stack_vs_cat_batches_broken.py")
stack_vs_cat_broken = load_snippet("junior/tensors/stack_vs_cat_broken.py")


class TestStackVsCat:
    @pytest.mark.parametrize("shape", [(), (4,), (2, 3), (2, 1, 5)])
    @pytest.mark.parametrize("count", [1, 3])
    def test_stack_is_cat_of_unsqueezed_tensors_for_every_dim(self, shape, count):
        tensors = [torch.randn(shape) for _ in range(count)]
        for dim in range(-len(shape) - 1, len(shape) + 1):
            stacked = torch.stack(tensors, dim)
            assert torch.equal(stack_vs_cat.stack(tensors, dim), stacked)
            expected = list(shape)
            expected.insert(dim if dim >= 0 else dim + len(shape) + 1, count)
            assert list(stacked.shape) == expected
        assert torch.equal(stack_vs_cat.stack(tensors), torch.stack(tensors))
        for dim in (-len(shape) - 2, len(shape) + 1):
            with pytest.raises(IndexError):
                torch.stack(tensors, dim)

    def test_stack_by_hand_refuses_unequal_shapes_too(self):
        tensors = [torch.ones(2, 3), torch.ones(1, 3)]
        for function in (stack_vs_cat.stack, torch.stack):
            with pytest.raises(RuntimeError):
                function(tensors, 1)

    def test_cat_adds_the_sizes_of_one_dim_and_refuses_every_other_difference(self):
        for dim in (0, 1, 2, -1, -2, -3):
            other = [2, 3, 4]
            other[dim] = 7
            expected = [2, 3, 4]
            expected[dim] += 7
            assert list(torch.cat([torch.ones(2, 3, 4), torch.ones(other)], dim).shape) == expected
            with pytest.raises(RuntimeError, match="Sizes of tensors must match except in dimension"):
                torch.cat([torch.ones(2, 3, 4), torch.ones(other)], (dim + 1) % 3)
        with pytest.raises(IndexError):
            torch.cat([torch.ones(2, 3)], 2)

    def test_losses_can_be_stacked_and_not_concatenated(self):
        losses = [torch.tensor(1.0), torch.tensor(2.0)]
        assert torch.stack(losses).tolist() == [1, 2]
        with pytest.raises(RuntimeError, match="zero-dimensional"):
            torch.cat(losses)

    def test_both_write_the_same_numbers_and_differ_in_what_the_first_index_means(self):
        tensors = list(torch.randn(4, 2, 3))
        assert torch.equal(torch.stack(tensors).flatten(0, 1), torch.cat(tensors))

    def test_split_undoes_cat_and_unbind_undoes_stack(self):
        ragged, equal = [torch.randn(n, 2) for n in (3, 1, 2)], list(torch.randn(3, 2))
        assert all(map(torch.equal, torch.cat(ragged).split([3, 1, 2]), ragged))
        assert all(map(torch.equal, torch.stack(equal, 1).unbind(1), equal))

    @pytest.mark.parametrize("batch_size", [1, 3, 4, 5, 6, 12])
    def test_cat_is_right_for_every_batch_size(self, batch_size):
        targets = torch.tensor([0, 1, 2, 3, 0, 0, 2, 2, 3, 1, 1, 1])
        logits = F.one_hot(targets).float()
        logits[:3] = logits[:3].roll(1, dims=1)  # three of twelve are wrong
        assert stack_vs_cat_batches.accuracy(torch.cat, logits, targets, batch_size) == pytest.approx(0.75)

    @pytest.mark.parametrize("classes", [3, 5])
    def test_stacked_batches_larger_than_1_give_a_wrong_accuracy_only_if_they_are_as_large_as_the_classes(
        self, classes
    ):
        targets = torch.arange(classes * classes) // classes
        logits = F.one_hot(targets).float()
        for batch_size in range(2, classes * classes):
            if batch_size == classes:
                assert stack_vs_cat_batches.accuracy(torch.stack, logits, targets, batch_size) < 0.5
            else:
                with pytest.raises(RuntimeError):
                    stack_vs_cat_batches.accuracy(torch.stack, logits, targets, batch_size)

    @pytest.mark.parametrize("targets", [[0, 1, 2, 3], [0, 0, 0, 1, 2], [3, 2, 1]])
    def test_stacked_batches_of_one_give_the_share_of_class_0(self, targets):
        targets = torch.tensor(targets)
        logits = F.one_hot(targets, 4).float()
        share = (targets == 0).float().mean().item()
        assert stack_vs_cat_batches.accuracy(torch.stack, logits, targets, 1) == pytest.approx(share)
        assert stack_vs_cat_batches.accuracy(torch.cat, logits, targets, 1) == 1

    def test_slices_of_a_result_that_was_allocated_once_hold_what_cat_gives(self):
        batches = list(torch.randn(4, 5, 3)) + [torch.randn(2, 3)]
        result, start = torch.empty(22, 3), 0
        memory = result.data_ptr()
        for batch in batches:
            result[start : start + len(batch)] = batch
            start += len(batch)
        assert torch.equal(result, torch.cat(batches)) and result.data_ptr() == memory
        assert torch.cat(batches).nbytes == sum(batch.nbytes for batch in batches)

    @pytest.mark.parametrize("batch_size", [1, 3, 4, 6])
    def test_classes_indexed_from_the_end_survive_stacked_batches(self, batch_size):
        targets = torch.arange(12) // 3
        stacked = torch.stack(F.one_hot(targets).float().split(batch_size))
        assert torch.equal(stacked.argmax(dim=-1), torch.stack(targets.split(batch_size)))

    def test_three_gray_images_concatenated_pass_for_one_color_image(self):
        color, gray = nn.Conv2d(3, 2, 3), nn.Conv2d(1, 2, 3)
        images = [torch.rand(1, 5, 5) for _ in range(3)]
        assert color(torch.cat(images)).shape == (2, 3, 3)
        assert gray(torch.stack(images)).shape == (3, 2, 3, 3)
        for model, wrong in ((color, torch.stack(images)), (gray, torch.cat(images))):
            with pytest.raises(RuntimeError, match="channels"):
                model(wrong)
            assert "channels" in stack_vs_cat_broken.predict(model, wrong)

    @pytest.mark.parametrize(
        ("layers", "error"),
        [
            ([nn.AdaptiveAvgPool2d(1), nn.Flatten(start_dim=-3)], None),
            ([nn.AdaptiveAvgPool2d(1), nn.Flatten()], RuntimeError),
            ([nn.BatchNorm2d(4), nn.AdaptiveAvgPool2d(1), nn.Flatten(start_dim=-3)], ValueError),
        ],
    )
    def test_batch_norm_and_a_plain_flatten_find_the_missing_batch_dimension(self, layers, error):
        model = nn.Sequential(nn.Conv2d(3, 4, 3), *layers, nn.Linear(4, 5))
        images = torch.cat([torch.rand(1, 5, 5) for _ in range(3)])
        assert model(images.unsqueeze(0)).shape == (1, 5)
        if error is None:
            assert model(images).shape == (5,)
        else:
            with pytest.raises(error):
                model(images)

    def test_slices_written_in_grad_mode_keep_the_graph(self):
        batch = torch.ones(2, requires_grad=True) * 2
        result, quiet = torch.empty(2), torch.empty(2)
        with torch.no_grad():
            quiet[:] = batch
        result[:] = batch
        assert result.requires_grad and not quiet.requires_grad

    def test_cat_and_the_lengths_are_a_batch_of_unequal_samples(self):
        samples = [torch.randn(n) for n in (4, 1, 3)]
        with pytest.raises(RuntimeError, match="equal size"):
            torch.utils.data.default_collate(samples)
        assert all(map(torch.equal, torch.cat(samples).split([len(s) for s in samples]), samples))

    @pytest.mark.parametrize(
        ("dtype", "expected"),
        [
            (torch.int64, torch.float32),
            (torch.float64, torch.float64),
            (torch.float16, torch.float32),
            (torch.bool, torch.float32),
        ],
    )
    def test_an_empty_start_promotes_and_its_shape_is_ignored(self, dtype, expected):
        grown = torch.cat([torch.empty(0), torch.ones(2, 3, dtype=dtype)])
        assert grown.dtype == expected and grown.shape == (2, 3)
        with pytest.raises(RuntimeError, match="Sizes of tensors must match|same number of dimensions"):
            torch.cat([torch.empty(0, 1), torch.ones(2, 3)])

    @pytest.mark.parametrize(("samples", "models"), [(5, 3), (4, 2)])
    def test_outputs_of_several_models_for_the_same_samples_are_stacked_before_the_mean(self, samples, models):
        outputs = [torch.randn(samples, 3) for _ in range(models)]
        torch.testing.assert_close(torch.stack(outputs).mean(0), sum(outputs) / models)
        assert torch.cat(outputs).mean(0).shape == (3,)  # one prediction for all samples

    @pytest.mark.parametrize("join", [torch.cat, torch.stack])
    def test_both_copy_and_both_hand_each_input_its_piece_of_the_gradient(self, join):
        inputs = [torch.zeros(2, requires_grad=True) for _ in range(3)]
        result = join(inputs)
        (result.flatten() * torch.arange(6.0)).sum().backward()
        assert [x.grad.tolist() for x in inputs] == [[0, 1], [2, 3], [4, 5]]
        result.detach().fill_(9)
        assert all(x.tolist() == [0, 0] for x in inputs)
        assert result.grad_fn is not None and result.detach().grad_fn is None
