"""Every claim that the pages of docs/mid/debugging make, proven beyond the example shown."""

import copy
import dataclasses
import functools
import gc
import math
import warnings
import weakref
from collections import OrderedDict, namedtuple

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

layers = load_snippet("mid/debugging/in_place_error_layers.py")
broken = load_snippet("mid/debugging/in_place_error_broken.py")
silent = load_snippet("mid/debugging/in_place_error_silent.py")
buffer = load_snippet("mid/debugging/in_place_error_buffer_broken.py")
step = load_snippet("mid/debugging/in_place_error_step_broken.py")
myth = load_snippet("mid/debugging/in_place_error_myth.py")
patterns = load_snippet("mid/debugging/debugging_patterns_curves.py")
patterns_reaches = load_snippet("mid/debugging/debugging_patterns_reaches.py")
patterns_trace = load_snippet("mid/debugging/debugging_patterns_trace.py")
plateau = load_snippet("mid/debugging/loss_plateau.py")
plateau_later = load_snippet("mid/debugging/loss_plateau_later.py")
vanishing = load_snippet("mid/debugging/vanishing_exploding_gradients.py")
vanishing_broken = load_snippet("mid/debugging/vanishing_exploding_gradients_broken.py")
flow = load_snippet("mid/debugging/gradient_flow.py")
flow_find = load_snippet("mid/debugging/gradient_flow_find_broken.py")
validation = load_snippet("mid/debugging/validation_never_improves.py")
mismatch = load_snippet("mid/debugging/device_mismatch_find_broken.py")
batches = load_snippet("mid/debugging/device_mismatch_batch.py")
gap = load_snippet("mid/debugging/train_val_gap.py")
gap_curves = load_snippet("mid/debugging/train_val_gap_curves.py")
gap_domain = load_snippet("mid/debugging/train_val_gap_domain.py")
oom = load_snippet("mid/debugging/cuda_oom_levers.py")
oom_autocast = load_snippet("mid/debugging/cuda_oom_autocast.py")
oom_peaks = load_snippet("mid/debugging/cuda_oom_peaks.py")
leaks = load_snippet("mid/debugging/memory_leaks_signatures.py")
leak_curves = load_snippet("mid/debugging/memory_leaks_curves.py")
find = load_snippet("mid/debugging/memory_leaks_find.py")
leak = load_snippet("senior/behavioral/fixed_a_memory_leak_guard.py")

MODIFIED = "modified by an inplace operation"
INPUT_KEPT = [nn.Linear(4, 6), nn.GELU(), nn.LayerNorm(4), nn.SiLU(), nn.ELU(), nn.LeakyReLU(), nn.Hardtanh()]
OUTPUT_KEPT = [nn.ReLU(), nn.Sigmoid(), nn.Tanh(), nn.Softmax(dim=0), nn.LogSoftmax(dim=-1)]


def activation(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1)).requires_grad_()


class TestInPlaceError:
    @pytest.mark.parametrize(
        ("function", "kept"),
        [
            (torch.exp, "output"),
            (torch.sqrt, "output"),
            (torch.square, "input"),
            (torch.sin, "input"),
            (lambda h: 10 * h, ""),
            (lambda h: h + 3, ""),
            (torch.neg, ""),
        ],
    )
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_a_write_raises_if_it_hits_the_tensor_that_the_derivative_needs(self, function, kept, dtype):
        for written in ("output", "input"):
            x = torch.rand(3, dtype=dtype, generator=torch.Generator().manual_seed(1)).requires_grad_()
            h = x * 1
            y = function(h)
            tensor = y if written == "output" else h
            tensor += 1
            if written == kept:
                with pytest.raises(RuntimeError, match=MODIFIED):
                    y.sum().backward()
            else:
                expected = torch.autograd.grad(function(x).sum(), x)[0]
                y.sum().backward()
                torch.testing.assert_close(x.grad, expected)

    def test_a_later_reader_counts_as_well(self):
        for reader in (lambda y: y * y, F.gelu, nn.Linear(3, 3)):
            y = nn.Linear(3, 3)(activation(2, 3))
            z = reader(y)
            y += 1
            with pytest.raises(RuntimeError, match=MODIFIED):
                z.sum().backward()

    def test_a_write_that_is_not_recorded_names_the_innocent_producer(self):
        for write in (lambda h: h.add_(1), lambda h: h.zero_()):
            h = activation(3) * 2
            y = F.gelu(h)
            with torch.no_grad():
                write(h)
            with pytest.raises(RuntimeError, match="output 0 of Mul"):
                y.sum().backward()

    def test_anomaly_mode_can_name_the_line_that_writes(self):
        def same_line() -> torch.Tensor:
            y = torch.sigmoid(activation(3)).add_(1)
            return y.sum()

        def squared_in_place() -> torch.Tensor:
            y = activation(3) * 1
            y *= y
            return y.sum()

        assert broken.forward_line(same_line) == "y = torch.sigmoid(activation(3)).add_(1)"
        assert broken.forward_line(squared_in_place) == "y *= y"

    def test_an_update_of_a_leaf_raises_at_once_and_no_grad_allows_it(self):
        w = activation(3)
        w.square().sum().backward()
        with pytest.raises(
            RuntimeError, match="^a leaf Variable that requires grad is being used in an in-place operation"
        ):
            w -= 0.1 * w.grad
        with torch.no_grad():
            w -= 0.1 * w.grad

    def test_a_single_linear_on_data_survives_a_step_and_two_do_not(self):
        for depth, raises in ((1, False), (2, True), (3, True)):
            model = nn.Sequential(*(nn.Linear(3, 3) for _ in range(depth)))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            x = torch.randn(8, 3)
            first, second = model(x).mean(), model(x).square().mean()
            first.backward()
            optimizer.step()
            if raises:
                with pytest.raises(RuntimeError, match=MODIFIED):
                    second.backward()
            else:
                second.backward()

    def test_a_write_to_another_row_of_the_buffer_raises_and_a_copy_does_not(self):
        with pytest.raises(RuntimeError, match=r"\[1, 3\]\], which is output 0 of AsStrided"):
            buffer.states(copy=False).sum().backward()
        buffer.states(copy=True).sum().backward()
        assert torch.equal(buffer.states(copy=True), buffer.states(copy=False))
        # Nobody reads the row that is written:
        x = activation(2, 3) * 1
        product = x[:, 0] * x[:, 1]
        x[:, 2] = 0
        with pytest.raises(RuntimeError, match="AsStrided"):
            product.sum().backward()

    def test_an_index_write_is_called_copy_slices(self):
        x = activation(2, 3) * 1
        y = x.square()
        x[0] += 1
        with pytest.raises(RuntimeError, match="CopySlices"):
            y.sum().backward()

    def test_a_hook_that_copies_keeps_the_gradient_right(self):
        x = torch.zeros(1, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(torch.clone, lambda tensor: tensor):
            y = torch.sigmoid(x)
        y += 1
        y.sum().backward()
        assert x.grad.item() == 0.25

    def test_inplace_relu_raises_if_another_layer_kept_the_tensor(self):
        first, other = nn.Linear(3, 3), nn.Linear(3, 3)
        hidden = first(activation(2, 3))
        read = other(hidden)
        loss = read.sum() + F.relu(hidden, inplace=True).sum()
        with pytest.raises(RuntimeError, match=MODIFIED):
            loss.backward()

    @pytest.mark.parametrize("layer", INPUT_KEPT, ids=repr)
    def test_a_layer_that_keeps_its_input_survives_plus_equals_with_the_same_gradient(self, layer):
        x = activation(3, 2, 4)
        assert layers.kept_for_backward(layer, x) == {"input"}
        expected = layers.input_gradient(layer, x, in_place=False)
        assert torch.equal(layers.input_gradient(layer, x, in_place=True), expected)
        torch.testing.assert_close(expected, torch.autograd.grad(((layer(x) + 1) ** 3).sum(), x)[0])

    @pytest.mark.parametrize("layer", OUTPUT_KEPT, ids=repr)
    def test_a_layer_that_keeps_its_output_raises(self, layer):
        x = activation(3, 2, 4)
        assert layers.kept_for_backward(layer, x) == {"output"}
        layers.input_gradient(layer, x, in_place=False)
        with pytest.raises(RuntimeError, match=MODIFIED):
            layers.input_gradient(layer, x, in_place=True)

    @pytest.mark.parametrize("layer", [nn.Linear(4, 4), nn.ReLU(), nn.Flatten()], ids=repr)
    def test_which_tensor_is_kept_is_not_guessed_for_an_empty_input(self, layer):
        with pytest.raises(ValueError, match="^x is empty$"):
            layers.kept_for_backward(layer, activation(0, 4))
        assert layers.kept_for_backward(layer, activation(1, 4)) <= {"input", "output"}

    @pytest.mark.parametrize("max_norm", [None, 0.1])
    @pytest.mark.parametrize("clone", [True, False])
    def test_an_embedding_with_max_norm_writes_into_its_weight_in_forward(self, max_norm, clone):
        embedding = nn.Embedding(5, 3, max_norm=max_norm)
        weight = embedding.weight.clone() if clone else embedding.weight
        loss = F.linear(activation(2, 3), weight).sum() + embedding(torch.tensor([1, 2])).sum()
        if max_norm and not clone:
            with pytest.raises(RuntimeError, match=MODIFIED):
                loss.backward()
        else:
            loss.backward()

    def test_a_layer_that_keeps_nothing_is_seen_as_such(self):
        assert layers.kept_for_backward(nn.Flatten(), activation(3, 4)) == set()

    @pytest.mark.parametrize(
        ("layer", "formula"),
        [
            (nn.ReLU(), lambda y, g: g * (y > 0)),
            (nn.Sigmoid(), lambda y, g: g * y * (1 - y)),
            (nn.Tanh(), lambda y, g: g * (1 - y**2)),
            (nn.Softmax(dim=-1), lambda y, g: y * (g - (g * y).sum(-1, keepdim=True))),
        ],
    )
    def test_the_formulas_need_the_output_only(self, layer, formula):
        x, incoming = activation(5, 4), torch.randn(5, 4)
        y = layer(x)
        torch.testing.assert_close(torch.autograd.grad(y, x, incoming)[0], formula(y.detach(), incoming))

    @pytest.mark.parametrize(
        ("layer", "formula"),
        [
            (nn.LeakyReLU(0.1), lambda y, g: torch.where(y > 0, g, 0.1 * g)),
            (nn.ELU(), lambda y, g: torch.where(y > 0, g, g * (y + 1))),
        ],
    )
    def test_a_layer_can_keep_its_input_although_the_output_is_enough(self, layer, formula):
        x, incoming = activation(5, 4), torch.randn(5, 4)
        y = layer(x)
        expected = formula(y.detach().clone(), incoming)
        y += 1
        torch.testing.assert_close(torch.autograd.grad(y, x, incoming)[0], expected)

    def test_two_inputs_share_one_gelu_output_with_different_slopes(self):
        grid = torch.linspace(-3, 0, 3001, dtype=torch.float64, requires_grad=True)
        y = F.gelu(grid)
        slope = torch.autograd.grad(y.sum(), grid)[0]
        lowest = y.argmin()
        assert 0 < lowest < 3000
        assert y[lowest:].max() > y[0] > y.min()
        assert slope[0] < 0 < slope[-1]

    def test_relu_and_the_linear_after_it_keep_one_tensor(self):
        relu, linear = nn.ReLU(), nn.Linear(4, 2)
        y = relu(activation(3, 4))
        out = linear(y)
        assert y.grad_fn._saved_result.data_ptr() == out.grad_fn._saved_mat1.data_ptr() == y.data_ptr()

    def test_views_and_detach_share_the_version_counter_and_data_does_not(self):
        y = torch.zeros(4)
        y.view(2, 2).add_(1)
        y.detach().add_(1)
        y[0] = 3
        assert y._version == 3
        y.data.add_(1)
        y.numpy()[:] = 0
        assert y._version == 3

    def test_the_error_comes_from_backward_not_from_the_write(self):
        y = torch.sigmoid(activation(3))
        y += 1
        with pytest.raises(RuntimeError, match=MODIFIED):
            y.sum().backward()

    def test_an_operation_that_kept_its_output_is_named(self):
        with pytest.raises(RuntimeError, match=r"output 0 of Sigmoid(Backward0)?, is at version 1; expected version 0"):
            broken.output_overwritten().backward()

    def test_the_recorded_write_is_named_where_an_input_was_kept(self):
        with pytest.raises(RuntimeError, match=r"output 0 of Add(Backward0)?, is at version 1; expected version 0"):
            broken.input_overwritten().backward()

    @pytest.mark.parametrize(
        ("write", "name"),
        [
            (lambda t: t.mul_(2), "Mul"),
            (lambda t: t.sub_(1), "Sub"),
            (lambda t: t.exp_(), "Exp"),
            (lambda t: t.__setitem__(0, 0.0), "torch::autograd::CopySlices"),
        ],
    )
    def test_a_recorded_write_is_named_whichever_it_is(self, write, name):
        hidden = activation(5, 3) * 2
        y = F.gelu(hidden)
        write(hidden)
        with pytest.raises(RuntimeError, match=rf"\[5, 3\]\], which is output 0 of {name}(Backward0)?,"):
            y.sum().backward()

    def test_the_version_counts_the_writes(self):
        y = torch.tanh(activation(2))
        for _ in range(3):
            y += 1
        with pytest.raises(RuntimeError, match="is at version 3; expected version 0"):
            y.sum().backward()

    def test_anomaly_mode_names_the_forward_operation(self):
        assert broken.forward_line(broken.output_overwritten) == "gate = torch.sigmoid(hidden)"
        assert broken.forward_line(broken.input_overwritten) == "activated = torch.nn.functional.gelu(hidden)"

        def other() -> torch.Tensor:
            squashed = activation(3).tanh()
            squashed.zero_()
            return squashed.sum()

        assert broken.forward_line(other) == "squashed = activation(3).tanh()"
        with pytest.raises(ValueError, match="did not fail"):
            broken.forward_line(lambda: activation(3).sum())

    @pytest.mark.filterwarnings("always::UserWarning")
    def test_the_forward_line_of_what_is_no_failed_backward_is_not_guessed(self):
        def warns_and_fails() -> torch.Tensor:
            warnings.warn("    not a line of the program", stacklevel=1)
            return (activation(2) + activation(3)).sum()

        def leaf_write() -> torch.Tensor:
            w = activation(3)
            w += 1
            return w.sum()

        for run, error in (
            (lambda: torch.ones(()), "does not require grad"),
            (lambda: activation(3) * 2, "only for scalar outputs"),
            (leaf_write, "a leaf Variable that requires grad"),
            (warns_and_fails, "must match the size"),
        ):
            with pytest.raises(RuntimeError, match=error):
                broken.forward_line(run)
        with pytest.raises(ValueError, match="did not fail"):  # NaN is no failure of backward
            broken.forward_line(lambda: (0 * (activation(3) * 0).sqrt()).sum())

    def test_out_of_place_and_clone_both_fix_it(self):
        for fix in (lambda y: y + 1, lambda y: y.clone().add_(1)):
            x = activation(3)
            fix(torch.sigmoid(x)).sum().backward()
            y = torch.sigmoid(x.detach())
            torch.testing.assert_close(x.grad, y * (1 - y))

    def test_plus_equals_after_linear_trains_the_same_network(self):
        in_place_losses, reference = myth.losses(True, 30), myth.losses(False, 30)
        assert in_place_losses == reference
        assert len(reference) == 30 and reference[-1] < 0.9 * reference[0]

    def test_optimizer_step_between_forward_and_backward_raises_and_names_the_weight(self):
        with pytest.raises(RuntimeError, match=r"\[4, 1\]\].* is at version 2; expected version 1"):
            step.two_losses(first_step_before_second_forward=False)
        trained = step.two_losses(first_step_before_second_forward=True)

        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        x = torch.randn(8, 3)
        for loss_of in (lambda y: y.mean(), lambda y: y.square().mean()):
            gradients = torch.autograd.grad(loss_of(model(x)), list(model.parameters()))
            with torch.no_grad():
                for parameter, gradient in zip(model.parameters(), gradients, strict=True):
                    parameter -= 0.1 * gradient
        torch.testing.assert_close(trained, model[2].weight.detach())

    def test_retain_graph_does_not_help_and_one_step_for_the_sum_does(self):
        model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.randn(8, 3)
        first, second = model(x).mean(), model(x).square().mean()
        first.backward(retain_graph=True)
        optimizer.step()
        with pytest.raises(RuntimeError, match=MODIFIED):
            second.backward(retain_graph=True)
        first, second = model(x).mean(), model(x).square().mean()
        (first + second).backward()
        optimizer.step()

    @pytest.mark.parametrize("change", ["y += 1", "y += 1 under no_grad()", "y.detach().add_(1)"])
    def test_no_grad_and_detach_do_not_silence_it(self, change):
        with pytest.raises(RuntimeError, match=MODIFIED):
            silent.gradient_after(change)

    @pytest.mark.parametrize("change", ["y.data.add_(1)", "NumPy view of y", "y += 1, saved-tensor hooks"])
    def test_data_numpy_and_hooks_silence_it_and_the_gradient_is_wrong(self, change):
        assert silent.gradient_after(change) == pytest.approx(1.5 * (1 - 1.5)) != 0.25

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize("train", [True, False])
    def test_an_update_of_running_statistics_is_not_noticed_and_the_gradient_is_wrong(self, train, dtype):
        norm, x = nn.BatchNorm1d(3, dtype=dtype).eval(), activation(4, 3).detach().to(dtype).requires_grad_()
        expected = torch.autograd.grad(norm(x).sum(), x)[0]
        y = norm(x)
        norm.train(train)(9 * torch.randn(8, 3, dtype=dtype))
        assert torch.allclose(torch.autograd.grad(y.sum(), x)[0], expected) is not train

    @pytest.mark.parametrize("fused", [True, False])
    @pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad"])
    def test_a_fused_step_is_not_noticed_and_the_gradient_is_wrong(self, name, fused):
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1, fused=fused)
        x = torch.randn(8, 3)
        model(x).mean().backward()
        loss, before = model(x).square().mean(), copy.deepcopy(model)
        expected = torch.autograd.grad(before(x).square().mean(), before[0].weight)[0]
        optimizer.step()
        if fused:
            assert not torch.allclose(torch.autograd.grad(loss, model[0].weight)[0], expected, rtol=0.01)
        else:
            with pytest.raises(RuntimeError, match=MODIFIED):
                loss.backward()

    def test_save_on_cpu_switches_the_check_off(self):
        x = torch.zeros(1, requires_grad=True)
        with torch.autograd.graph.save_on_cpu():
            y = torch.sigmoid(x)
        y += 1
        y.sum().backward()  # no error

    @pytest.mark.parametrize("before", [nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Conv1d(3, 3, 1), nn.LayerNorm(4)])
    def test_inplace_relu_is_fine_after_layers_that_keep_their_input(self, before):
        shape = (5, 3) if isinstance(before, nn.Linear) else (5, 3, 4)
        gradients = []
        for after in (nn.ReLU(inplace=True), nn.ReLU()):
            x = activation(*shape)
            gradients.append(torch.autograd.grad(after(before(x)).square().sum(), x)[0])
        assert torch.equal(*gradients)

    @pytest.mark.parametrize("before", [nn.Sigmoid(), nn.Tanh(), nn.Softmax(dim=-1)])
    def test_inplace_relu_raises_after_layers_that_keep_their_output(self, before):
        with pytest.raises(RuntimeError, match=MODIFIED):
            nn.Sequential(before, nn.ReLU(inplace=True))(activation(5, 3) * 1).sum().backward()

    @pytest.mark.parametrize("depth", [1, 6])
    @pytest.mark.parametrize("norm", [True, False])
    def test_inplace_relu_lowers_the_peak_but_not_what_forward_leaves_behind(self, depth, norm):
        class Peak(leak.LiveBytes):
            peak = 0

            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                result = super().__torch_dispatch__(func, types, args, kwargs)
                self.peak = max(self.peak, sum(self.sizes.values()))
                return result

        measured = []
        for inplace in (False, True):
            parts = [
                layer
                for _ in range(depth)
                for layer in (nn.Linear(32, 32), nn.BatchNorm1d(32) if norm else nn.Identity(), nn.ReLU(inplace))
            ]
            model, x = nn.Sequential(*parts), torch.randn(16, 32)
            with Peak() as live:
                loss = model(x).sum()
                measured.append((live.peak, sum(live.sizes.values())))
            assert loss.requires_grad
        assert measured[0][1] == measured[1][1] and measured[0][0] > measured[1][0]

    @pytest.mark.parametrize("inplace", [True, False])
    def test_inplace_relu_as_the_first_layer_overwrites_the_data(self, inplace):
        x = torch.tensor([-1.0, 2.0])
        nn.Sequential(nn.ReLU(inplace))(x)
        assert x.tolist() == ([0.0, 2.0] if inplace else [-1.0, 2.0])

    @pytest.mark.parametrize("write_first", [True, False])
    def test_in_a_loop_the_write_can_stand_above_the_line_that_anomaly_mode_names(self, write_first):
        def run():
            hidden, total = torch.ones(2, requires_grad=True) * 1, 0
            for _ in range(2):
                if write_first:
                    hidden += 1
                total = total + hidden.square()
                if not write_first:
                    hidden += 1
            return total.sum()

        assert broken.forward_line(run) == "total = total + hidden.square()"

    def test_inplace_relu_destroys_a_residual_without_an_error(self):
        linear = nn.Linear(3, 3)
        x = activation(5, 3)
        hidden = linear(x)
        expected = F.relu(hidden) + hidden
        residual = F.relu(hidden, inplace=True) + hidden
        assert not torch.equal(residual, expected)
        residual.sum().backward()

    def test_a_buffer_filled_row_by_row_raises_and_a_stack_does_not(self):
        w = torch.ones(3, requires_grad=True)
        buffer, rows = torch.zeros(4, 3), [torch.zeros(3)]
        for i in range(3):
            buffer[i + 1] = torch.tanh(buffer[i] * w + 1)
            rows.append(torch.tanh(rows[-1] * w + 1))
        with pytest.raises(RuntimeError, match=MODIFIED):
            buffer.sum().backward()
        torch.stack(rows).sum().backward()
        assert w.grad.abs().min() > 0


class TestDebuggingPatterns:
    @pytest.mark.parametrize(
        ("fault", "all_data", "one_batch"),
        [("none", True, True), ("A", False, True), ("B", False, True), ("C", False, False)],
    )
    def test_one_batch_separates_a_copied_optimizer_from_shuffled_labels_and_mixed_samples(
        self, fault, all_data, one_batch
    ):
        for one, falls in ((False, all_data), (True, one_batch)):
            last = sum(patterns.losses(fault, one, seed=1)[-50:]) / 50
            assert last < 0.1 if falls else 0.6 < last < 0.8

    def test_the_mixing_model_reads_other_samples_and_the_others_do_not(self):
        x = torch.randn(8, 4, 5)
        assert patterns_reaches.reaches(patterns.Net("none"), x, sample=3) == [3]
        assert patterns_reaches.reaches(patterns.Net("A"), x, sample=3) == [3]
        assert patterns_reaches.reaches(patterns.Net("B"), x, sample=0) == [0, 1, 2, 3]

    def test_the_mixed_output_has_the_right_shape(self):
        x = torch.randn(8, 4, 5)
        assert patterns.Net("B")(x).shape == patterns.Net("none")(x).shape == (8, 2)

    def test_batch_norm_mixes_in_train_mode_only(self):
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1))
        x = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
        assert patterns_reaches.reaches(model, x, sample=2) == [0, 1, 2, 3, 4]
        assert patterns_reaches.reaches(model.eval(), x, sample=2) == [2]

    def test_the_gradient_check_misses_a_dependency_behind_a_relu_that_is_off(self):
        class Mix(nn.Module):
            def forward(self, x):
                return x + F.relu(x.flip(0) - 10)

        assert patterns_reaches.reaches(Mix(), torch.zeros(4, 2)) == [0]
        assert patterns_reaches.reaches(Mix(), torch.full((4, 2), 20.0)) == [0, 3]

    def test_the_gradient_check_refuses_an_output_of_another_length(self):
        with pytest.raises(ValueError, match="4 samples in, 8 out"):
            patterns_reaches.reaches(nn.Flatten(0), torch.zeros(4, 2))

    @pytest.mark.parametrize("classes", [2, 10, 100])
    def test_the_first_loss_is_near_log_c_for_any_labels_and_far_above_for_large_inputs(self, classes):
        generator = torch.Generator().manual_seed(0)
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, classes))
        pixels = torch.randint(256, (512, 64), generator=generator).float()
        for labels in (torch.randint(classes, (512,), generator=generator), torch.zeros(512).long()):
            assert F.cross_entropy(net(pixels / 255), labels).item() == pytest.approx(math.log(classes), abs=0.2)
            softmax = net(pixels / 255).softmax(dim=1)
            assert F.cross_entropy(softmax, labels).item() == pytest.approx(math.log(classes), abs=0.2)
        labels = torch.randint(classes, (512,), generator=generator)
        assert F.cross_entropy(net(pixels), labels).item() > 2 * math.log(classes)

    def test_equal_inputs_with_different_labels_cannot_be_fitted(self):
        logits = nn.Parameter(torch.zeros(1, 2))
        optimizer = torch.optim.Adam([logits], lr=0.1)
        for _ in range(100):
            loss = F.cross_entropy(logits.expand(2, 2), torch.tensor([0, 1]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert loss.item() == pytest.approx(math.log(2), abs=1e-4)

    def test_the_trace_names_the_layer_of_the_first_value_that_is_not_finite(self):
        model = nn.Sequential(nn.Sequential(nn.Linear(4, 4), patterns_trace.Log()), nn.ReLU(), nn.Linear(4, 1))
        rows = patterns_trace.trace(model, torch.full((2, 4), 1e30) * torch.tensor([1.0, -1.0, 1.0, -1.0]))
        assert [row[0] for row in rows] == ["0.0", "0.1", "0", "1", "2", "model"]
        assert [row[0] for row in rows if not row[3]][0] == "0.1"
        assert [row[1:3] for row in rows][3] == ("ReLU", (2, 4))

    @pytest.mark.parametrize("function", [torch.log, torch.sqrt])
    def test_the_trace_names_the_next_module_if_code_between_two_modules_made_the_value(self, function):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

            def forward(self, x):
                return self.b(function(-self.a(x).square() - 1))

        rows = patterns_trace.trace(Net(), torch.randn(8, 4))
        assert [(row[0], row[3]) for row in rows] == [("a", True), ("b", False), ("model", False)]

    @pytest.mark.parametrize("model", [nn.ReLU(inplace=True), nn.Tanh()])
    @pytest.mark.parametrize("shape", [(5,), (5, 4), (5, 4, 3)])
    def test_the_gradient_check_takes_one_number_per_sample_and_a_first_layer_in_place(self, model, shape):
        assert patterns_reaches.reaches(model, torch.rand(shape) + 0.1, sample=2) == [2]

    @pytest.mark.parametrize(("between", "fits"), [(nn.Identity(), False), (nn.ReLU(), True)])
    def test_a_network_without_nonlinear_layers_does_not_memorize_any_labels(self, between, fits):
        torch.manual_seed(0)
        x, y = torch.randn(32, 2), torch.arange(32) % 2
        model = nn.Sequential(nn.Linear(2, 200), between, nn.Linear(200, 200), between, nn.Linear(200, 2))
        optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
        for _ in range(600):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert loss.item() < 0.15 if fits else loss.item() > 0.5

    @pytest.mark.parametrize("training", [True, False])
    def test_a_trace_in_train_mode_leaves_nan_in_the_running_statistics(self, training):
        model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).train(training)
        patterns_trace.trace(copy.deepcopy(model), torch.full((8, 4), torch.nan))
        assert model[1].running_mean.isfinite().all()
        patterns_trace.trace(model, torch.full((8, 4), torch.nan))
        assert model[1].running_mean.isnan().any().item() is training

    def test_the_trace_sees_tuples_and_functions_in_a_forward(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm, self.attention = nn.LSTM(4, 4), nn.MultiheadAttention(4, 2)

            def forward(self, x):
                h, _ = self.lstm(x)
                return self.attention(h, h, h, need_weights=False)[0].abs().neg().log()

        rows = patterns_trace.trace(Net(), torch.randn(3, 2, 4))
        assert [row[0] for row in rows if row[3]] == ["lstm", "attention"]
        assert [row for row in rows if not row[3]] == [("model", "Net", (3, 2, 4), False)]

    @pytest.mark.parametrize("last", [nn.Softmax(dim=-1), nn.LogSoftmax(dim=-1), nn.LayerNorm(4), nn.Identity()])
    def test_the_gradient_check_sees_mixing_before_a_softmax(self, last):
        class Mix(nn.Module):
            def forward(self, x):
                return last(x + x.flip(0))

        x = torch.randn(6, 4, dtype=torch.float64, requires_grad=True)
        last.double()
        assert patterns_reaches.reaches(Mix(), x) == [0, 5]
        assert patterns_reaches.reaches(last, x) == [0]
        plain = torch.autograd.grad(Mix()(x)[0].sum(), x)[0]
        assert plain.abs().max().lt(1e-3).item() is isinstance(last, (nn.Softmax, nn.LayerNorm))

    @pytest.mark.parametrize(("smoothing", "lowest"), [(0.0, 0.0), (0.1, 0.15)])
    def test_label_smoothing_keeps_the_loss_of_one_batch_above_zero(self, smoothing, lowest):
        torch.manual_seed(0)
        x, y = torch.randn(32, 20), torch.randint(2, (32,))
        model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 2))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(150):
            loss = F.cross_entropy(model(x), y, label_smoothing=smoothing)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert lowest < loss.item() < lowest + 0.1

    def test_the_trace_removes_its_hooks_even_if_forward_raises(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(3, 1))
        with pytest.raises(RuntimeError, match="cannot be multiplied"):
            patterns_trace.trace(model, torch.zeros(2, 4))
        assert not any(module._forward_hooks for module in model.modules())

    @pytest.mark.filterwarnings("ignore:Anomaly Detection", "ignore:Error detected")
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize(
        ("function", "finite_loss", "raises"),
        [
            (lambda w: (w - 1).log(), False, False),
            (lambda w: 1 / w, False, False),
            (lambda w: w + torch.nan, False, False),
            (lambda w: (w - 1).sqrt(), False, True),
            (lambda w: 0 * w.sqrt(), True, True),
            (lambda w: torch.where(w > 0, w.sqrt(), 0), True, True),
        ],
    )
    def test_anomaly_mode_raises_for_nan_in_backward_only(self, function, finite_loss, raises, dtype):
        w = torch.zeros(1, dtype=dtype, requires_grad=True)
        with torch.autograd.set_detect_anomaly(True):
            loss = function(w).sum()
            assert loss.isfinite().item() is finite_loss
            if raises:
                with pytest.raises(RuntimeError, match="returned nan values in its"):
                    loss.backward()
            else:
                loss.backward()


class TestLossPlateau:
    @pytest.mark.parametrize(
        ("fault", "verdict", "gradient", "update", "add_to_one", "active"),
        [
            ("none", "falls", "yes", (0.02, 0.08), "no", True),
            ("rate 1e-5", "flat", "yes", (1e-7, 1e-5), "no", True),
            ("rate 10", "flat", "yes", (0.5, 5), "no", False),
            ("bias -20", "flat", "0", (0, 0), "no", False),
            ("zero weights", "flat", "0", (0, 0), "no", False),
            ("softmax in the model", "stops", "yes", (0.005, 0.02), "yes", True),
            ("optimizer has a copy", "flat", "yes", (0, 0), "no", True),
            ("first layer frozen", "stops", "None", (0, 0), "no", True),
            ("labels shuffled", "stops", "yes", (0.01, 0.08), "no", True),
        ],
    )
    def test_the_first_step_separates_the_causes_of_a_flat_loss(
        self, fault, verdict, gradient, update, add_to_one, active
    ):
        losses, seen = plateau.train(fault, seed=1)
        last = sum(losses[-50:]) / 50
        assert ("falls" if last < 0.3 else "stops" if last < 1.35 else "flat") == verdict
        assert seen["gradient"] == gradient and seen["rows add to 1"] == add_to_one
        assert update[0] <= float(seen["update"]) <= update[1]
        assert (float(seen["active at the end"]) > 0.2) is active

    def test_the_lowest_loss_with_a_second_softmax(self):
        for classes in (4, 10):
            output = F.one_hot(torch.arange(classes)).float()
            lowest = math.log(math.e + classes - 1) - 1
            assert F.cross_entropy(output, torch.arange(classes)).item() == pytest.approx(lowest)

    @staticmethod
    def losses(activation, bias=None, size=1.0, rate=0.3, warmup=1, steps=300):
        torch.manual_seed(1)
        x = torch.randn(1024, 20)
        y = (x[:, :2].sum(dim=1) > 0) + 2 * (x[:, 2] > 0)
        model = nn.Sequential(nn.Linear(20, 8), activation, nn.Linear(8, 4))
        with torch.no_grad():
            for parameter in model.parameters():
                parameter *= size
        if bias is not None:
            nn.init.constant_(model[0].bias, bias)
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        found = []
        for step in range(steps):
            optimizer.param_groups[0]["lr"] = rate * min(1, step / warmup)
            rows = torch.randint(1024, (128,))
            loss = F.cross_entropy(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    @pytest.mark.parametrize("activation_layer", [nn.ReLU(), nn.LeakyReLU(), nn.GELU()], ids=repr)
    @pytest.mark.parametrize(("bias", "flat"), [(-20, True), (0, False)])
    def test_another_activation_does_not_repair_a_bias_of_minus_20_in_300_steps(self, activation_layer, bias, flat):
        last = sum(self.losses(activation_layer, bias)[-50:]) / 50
        assert last > 1.35 if flat else last < 0.3

    def test_the_slope_of_gelu_at_minus_20_is_zero(self):
        x = torch.tensor([-20.0], requires_grad=True)
        F.gelu(x).sum().backward()
        assert x.grad.item() == 0

    @pytest.mark.parametrize("setting", [{"warmup": 1000, "steps": 600}, {"size": 0.01}])
    def test_a_loss_that_is_flat_at_first_can_still_fall(self, setting):
        found = self.losses(nn.ReLU(), **setting)
        assert min(found[:40]) > 1.3 and sum(found[-50:]) / 50 < 0.3

    @pytest.mark.parametrize("rate", [0.1, 1.0])
    def test_a_rate_between_the_two_learns(self, rate):
        assert sum(self.losses(nn.ReLU(), rate=rate)[-50:]) / 50 < 0.5

    @pytest.mark.parametrize(("bias", "moves"), [(-20, False), (0, True)])
    def test_reduce_on_plateau_lowers_the_rate_of_dead_weights(self, bias, moves):
        torch.manual_seed(0)
        x = torch.randn(256, 20)
        y = (x[:, :2].sum(dim=1) > 0) + 2 * (x[:, 2] > 0)
        model = nn.Sequential(nn.Linear(20, 8), nn.ReLU(), nn.Linear(8, 4))
        nn.init.constant_(model[0].bias, bias)
        before = model[0].weight.detach().clone()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=5)
        for _ in range(120):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step(loss.item())
        assert (optimizer.param_groups[0]["lr"] > 1e-8) is moves
        assert torch.equal(model[0].weight, before) is not moves

    def test_reduce_on_plateau_lowers_the_plateau_of_a_high_rate(self):
        torch.manual_seed(1)
        w = torch.zeros(10, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.12)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
        means = []
        for _ in range(12):
            losses = []
            for _ in range(100):
                x = torch.randn(4, 10)
                loss = (x @ w - x.sum(dim=1) - torch.randn(4)).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            means.append(sum(losses) / 100)
            scheduler.step(means[-1])
        assert means[1] > 1.3 and sum(means[-4:]) / 4 == pytest.approx(1, abs=0.15)

    @pytest.mark.parametrize("optimizer_class", [torch.optim.SGD, torch.optim.Adam])
    @pytest.mark.parametrize("fault", ["dead", "zero"])
    def test_dead_relus_and_zero_weights_let_only_the_last_bias_move(self, optimizer_class, fault):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))
        if fault == "dead":
            nn.init.constant_(model[0].bias, -50)
        else:
            for parameter in model.parameters():
                nn.init.zeros_(parameter)
        before = {name: p.detach().clone() for name, p in model.named_parameters()}
        optimizer = optimizer_class(model.parameters(), lr=0.01)
        x, y = torch.randn(64, 6), torch.randint(3, (64,))
        for _ in range(5):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        assert [n for n, p in model.named_parameters() if not torch.equal(p, before[n])] == ["2.bias"]

    def test_a_last_layer_of_zeros_learns_first_and_the_layers_before_it_from_step_two_on(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))
        nn.init.zeros_(model[2].weight)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, y = torch.randn(64, 6), torch.randint(3, (64,))
        reached = []
        for _ in range(2):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            reached.append((model[0].weight.grad.any().item(), model[2].weight.grad.any().item()))
            optimizer.step()
        assert reached == [(False, True), (True, True)]

    def test_weight_decay_in_adamw_shrinks_dead_weights(self):
        model = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3))
        nn.init.constant_(model[0].bias, -50)
        before = model[0].weight.detach().clone()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.1)
        model(torch.randn(8, 6)).sum().backward()
        optimizer.step()
        torch.testing.assert_close(model[0].weight.detach(), before * 0.99)
        assert model[0].bias.detach().eq(-49.5).all()

    @pytest.mark.parametrize("activation_function", [F.leaky_relu, F.gelu])
    def test_leaky_relu_and_gelu_have_a_slope_on_the_negative_side(self, activation_function):
        x = torch.tensor([-2.0, -1.0], requires_grad=True)
        activation_function(x).sum().backward()
        assert x.grad.ne(0).all()
        x.grad = None
        F.relu(x).sum().backward()
        assert not x.grad.any()

    @pytest.mark.parametrize(
        ("change", "falls"), [("rate / 10", False), ("Adam", True), ("standardized", True), ("nothing", False)]
    )
    def test_features_of_unequal_scale_keep_a_plateau_that_a_lower_rate_does_not_help(self, change, falls):
        torch.manual_seed(0)
        w, scale = torch.zeros(10, requires_grad=True), torch.ones(10)
        scale[5:] = 0.03
        optimizer, found = torch.optim.SGD([w], lr=0.05), []
        for phase in range(2):
            if phase and change == "rate / 10":
                optimizer.param_groups[0]["lr"] = 0.005
            elif phase and change == "Adam":
                optimizer = torch.optim.Adam([w], lr=0.05)
            elif phase and change == "standardized":
                scale = torch.ones(10)
            for _ in range(1200):
                x = torch.randn(32, 10)
                loss = ((x * scale) @ w - x.sum(1)).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            found.append(loss.item())
        assert found[0] > 1.5
        assert found[1] < 0.3 if falls else found[1] > 1.5

    def test_a_lower_rate_lowers_the_plateau_of_a_high_rate_only(self):
        first, second = plateau_later.plateaus("rate too high", seed=1)
        assert second < 0.85 * first and second == pytest.approx(1, abs=0.15)
        first, second = plateau_later.plateaus("term missing", seed=1)
        assert second > 0.85 * first and first > 1.5

    def test_the_first_step_of_adam_does_not_shrink_with_the_loss(self):
        moved = []
        for scale in (1.0, 1e-3):
            w = torch.ones(3, requires_grad=True)
            optimizer = torch.optim.Adam([w], lr=0.1)
            (scale * (w * torch.tensor([1.0, -2.0, 3.0])).sum()).backward()
            optimizer.step()
            moved.append((w.detach() - 1).norm())
        torch.testing.assert_close(moved[0], moved[1], rtol=1e-4, atol=0)


class TestVanishingExplodingGradients:
    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize(
        ("name", "slope", "size"),
        [
            ("sigmoid", (1e-14, 1e-7), 1),
            ("sigmoid, skip", (1e-3, 10), 1e3),
            ("ReLU, half He", (1e-7, 1e-3), 1),
            ("ReLU, He", (1e-2, 1e2), 1e2),
            ("ReLU, twice He", (1e-2, 1e2), 1e14),
        ],
    )
    def test_the_profile_of_the_gradient_norms(self, name, slope, size, seed):
        found = vanishing.norms(name, seed=seed)
        assert slope[0] < found[0] / found[-1] < slope[1]
        assert found[-1] < size
        assert (min(found) > 1e6) is (name == "ReLU, twice He")

    def test_depth_makes_it_a_power(self):
        shallow, deep = (vanishing.norms("sigmoid", depth) for depth in (5, 20))
        assert shallow[0] / shallow[-1] > 1e3 * deep[0] / deep[-1]

    @pytest.mark.parametrize("seed", [1, 2])
    def test_exploding_is_seen_before_the_first_step_and_a_high_rate_is_not(self, seed):
        explodes, last = vanishing_broken.train(3.0, 0.01, seed=seed)
        assert explodes > 1e6 and not math.isfinite(last)
        ordinary, last = vanishing_broken.train(1.0, 10.0, seed=seed)
        assert ordinary < 1e3 and not math.isfinite(last)
        healthy, last = vanishing_broken.train(1.0, 0.01, seed=seed)
        assert healthy == ordinary and last < 1.5

    @pytest.mark.parametrize("case", [(3.0, 0.01), (1.0, 10.0)])
    def test_clipping_keeps_the_loss_finite_and_does_not_make_it_small(self, case):
        _, last = vanishing_broken.train(*case, clip=1.0, seed=1)
        assert math.isfinite(last) and last > 1

    @pytest.mark.parametrize("rate", [1e-6, 10.0])
    @pytest.mark.parametrize("optimizer_class", [torch.optim.SGD, torch.optim.AdamW])
    def test_the_rate_does_not_change_the_gradient(self, rate, optimizer_class):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 1))
        x = torch.randn(4, 8)
        expected = torch.autograd.grad(model(x).sum(), model[0].weight)[0]
        optimizer = optimizer_class(model.parameters(), lr=rate)
        model(x).sum().backward()
        optimizer.step()
        assert torch.equal(model[0].weight.grad, expected)

    def test_the_slope_of_a_sigmoid_is_at_most_a_quarter_and_of_a_relu_that_is_off_zero(self):
        x = torch.linspace(-9, 9, 101, requires_grad=True)
        slope = torch.autograd.grad(torch.sigmoid(x).sum(), x)[0]
        assert slope.max() == pytest.approx(0.25) and slope.argmax() == 50
        slope = torch.autograd.grad(F.relu(x).sum(), x)[0]
        assert set(slope.tolist()) == {0.0, 1.0}

    def test_get_total_norm_is_what_clip_grad_norm_returns_and_changes_nothing(self):
        model = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 2))
        model(torch.randn(3, 5)).square().sum().mul(100).backward()
        gradients = [p.grad.clone() for p in model.parameters()]
        norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
        assert all(torch.equal(p.grad, g) for p, g in zip(model.parameters(), gradients, strict=True))
        torch.testing.assert_close(nn.utils.clip_grad_norm_(model.parameters(), 1.0), norm)
        assert not torch.equal(model[0].weight.grad, gradients[0])

    @pytest.mark.parametrize(("gradient", "share"), [(1.0, 1.0), (1e-5, 0.999), (1e-8, 0.5), (1e-11, 0.000999)])
    def test_adam_does_not_rescale_a_gradient_below_eps(self, gradient, share):
        w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        w.grad = torch.full_like(w, gradient)
        torch.optim.Adam([w], lr=0.1).step()
        assert abs(w.item()) == pytest.approx(0.1 * share, rel=1e-3)

    @pytest.mark.parametrize(("norm", "slope"), [(False, (1e-16, 1e-8)), (True, (1e-11, 1e-5))])
    def test_layer_norm_before_each_sigmoid_does_not_stop_it_from_vanishing(self, norm, slope):
        x, y = torch.randn(64, 32), torch.randn(64, 1)
        layers = [nn.Linear(32, 32) for _ in range(20)]
        for layer in layers:
            nn.init.xavier_normal_(layer.weight)
        parts = [p for layer in layers for p in (layer, nn.LayerNorm(32) if norm else nn.Identity(), nn.Sigmoid())]
        (nn.Sequential(*parts, nn.Linear(32, 1))(x) - y).square().mean().backward()
        assert slope[0] < layers[0].weight.grad.norm() / layers[-1].weight.grad.norm() < slope[1]

    @pytest.mark.parametrize(("activation_function", "init"), [
        (F.relu, nn.init.kaiming_normal_), (F.gelu, nn.init.kaiming_normal_), (torch.tanh, nn.init.xavier_normal_),
    ])  # fmt: skip
    def test_an_initialization_that_fits_keeps_the_profile(self, activation_function, init):
        h, layers = torch.randn(64, 32), [nn.Linear(32, 32) for _ in range(20)]
        for layer in layers:
            init(layer.weight)
            h = activation_function(layer(h))
        nn.Linear(32, 1)(h).square().mean().backward()
        assert 1e-2 < layers[0].weight.grad.norm() / layers[-1].weight.grad.norm() < 1e2

    @pytest.mark.parametrize("width", [32, 128])
    def test_a_hundred_layers_of_gelu_vanish_with_he_and_those_of_relu_do_not(self, width):
        ratios = []
        for activation in (nn.ReLU, nn.GELU):
            layers = [nn.Linear(width, width) for _ in range(100)]
            for layer in layers:
                nn.init.kaiming_normal_(layer.weight)
            model = nn.Sequential(*[p for layer in layers for p in (layer, activation())], nn.Linear(width, 1))
            model(torch.randn(64, width)).square().mean().backward()
            ratios.append(layers[0].weight.grad.norm() / layers[-1].weight.grad.norm())
        assert ratios[1] < 1e-6 < 1e-3 < ratios[0]

    def test_a_hundred_sigmoid_layers_have_a_gradient_of_exactly_zero_at_the_first(self):
        found = vanishing.norms("sigmoid", 100)
        assert found[0] == 0 and found[-1] > 1e-4

    @pytest.mark.parametrize(("gain", "scale", "grow"), [(1.0, 3e5, False), (3.0, 1.0, True)])
    def test_large_targets_make_all_gradients_huge_without_growing_activations(self, gain, scale, grow):
        h, sizes, layers = torch.randn(64, 32), [], [nn.Linear(32, 32) for _ in range(10)]
        for layer in layers:
            nn.init.kaiming_normal_(layer.weight)
            layer.weight.data *= gain
            h = F.relu(layer(h))
            sizes.append(h.norm().item())
        (nn.Linear(32, 1)(h) - scale * torch.randn(64, 1)).square().mean().backward()
        assert min(layer.weight.grad.norm() for layer in layers) > 1e4
        assert (sizes[-1] > 100 * sizes[0]) is grow and (grow or sizes[-1] < 10 * sizes[0])

    @pytest.mark.parametrize("width", [32, 128])
    def test_exploding_gradients_of_a_bounded_activation_grow_towards_the_input(self, width):
        h, layers = torch.randn(64, width), [nn.Linear(width, width) for _ in range(20)]
        for layer in layers:
            nn.init.xavier_normal_(layer.weight, gain=3)
            h = torch.tanh(layer(h))
        nn.Linear(width, 1)(h).square().mean().backward()
        assert layers[0].weight.grad.norm() > 10 * layers[-1].weight.grad.norm()

    @pytest.mark.parametrize(("bias", "vanishes"), [(0.0, True), (5.0, False)])
    def test_an_lstm_needs_a_forget_gate_bias(self, bias, vanishes):
        model = nn.LSTM(8, 32)
        if bias:
            with torch.no_grad():
                model.bias_hh_l0[32:64] = bias
        x = torch.randn(100, 4, 8, requires_grad=True)
        model(x)[0][-1].sum().backward()
        norms = x.grad.flatten(1).norm(dim=1)
        assert norms[0] < 1e-15 if vanishes else 0.1 < norms[0] / norms[-1] < 10

    def test_float16_loses_such_a_gradient_and_bfloat16_does_not(self):
        small = torch.tensor(1e-11)
        assert small.half() == 0 and small.bfloat16() > 0
        assert torch.tensor(6e-8).half() > 0


class TestGradientFlow:
    def test_the_report_tells_five_kinds_of_gradient_apart(self):
        model = flow.Net(broken=True)
        model(torch.randn(8, 8)).square().mean().backward()
        model.head.bias.grad[0] = torch.nan
        found = flow.report(model)
        assert {name: value for name, value in found.items() if isinstance(value, str)} == {
            "embed.weight": "frozen", "embed.bias": "frozen", "gate.weight": "None", "gate.bias": "None",
            "body.weight": "zero", "body.bias": "zero", "extra.weight": "None", "extra.bias": "None",
            "head.bias": "not finite",
        }  # fmt: skip
        assert found["head.weight"] == pytest.approx(model.head.weight.grad.norm().item())

    @pytest.mark.parametrize(
        ("between", "graph", "zero"),
        [
            (torch.floor, True, True),
            (torch.round, True, True),
            (torch.sign, True, True),
            (lambda h: h.clamp(max=-100), True, True),
            (lambda h: h.argmax(1, keepdim=True).float().expand(-1, 4), False, None),
            (lambda h: (h > 0).float(), False, None),
            (lambda h: h.detach(), False, None),
            (lambda h: h.int().float(), False, None),
        ],
    )
    def test_an_operation_cuts_the_graph_or_has_derivative_zero(self, between, graph, zero):
        first, second = nn.Linear(4, 4), nn.Linear(4, 1)
        h = between(first(torch.randn(6, 4)))
        loss = second(h).square().mean()
        loss.backward()
        assert h.requires_grad is graph and loss.requires_grad
        if zero:
            assert not first.weight.grad.any()
        else:
            assert first.weight.grad is None

    def test_no_grad_cuts_as_well(self):
        first, second = nn.Linear(4, 4), nn.Linear(4, 1)
        with torch.no_grad():
            h = first(torch.randn(6, 4))
        second(h).sum().backward()
        assert first.weight.grad is None and second.weight.grad is not None

    def test_the_cut_is_behind_the_last_module_marked_after(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.Tanh(), flow_find.Encoder()), nn.Linear(4, 1))
        found = flow_find.cuts(model, torch.randn(2, 4))
        assert found == ["0: after", "1.0: after", "1.1.layer: after", "1.1: inside", "1: inside"]
        assert flow_find.cuts(flow.Net(broken=True), torch.randn(2, 8)) == ["gate: after"]
        assert flow_find.cuts(flow_find.Encoder(), torch.randn(2, 4)) == ["layer: after", "the model: inside"]

    @pytest.mark.parametrize("activation", [nn.Identity(), nn.Tanh()])
    def test_a_detach_in_place_is_found_as_well(self, activation):
        class InPlace(flow_find.Encoder):
            def forward(self, x):
                return activation(self.layer(x)).detach_()

        model = nn.Sequential(nn.Linear(4, 4), InPlace(), nn.Linear(4, 1))
        assert flow_find.cuts(model, torch.randn(2, 4)) == ["0: after", "1.layer: after", "1: inside"]

    def test_inside_can_be_a_frozen_module_with_a_trained_layer_that_it_does_not_use(self):
        class Unused(flow_find.Encoder):
            def forward(self, x):
                return self.layer(x)

        module = Unused()
        module.layer.requires_grad_(False)
        assert flow_find.cuts(nn.Sequential(module, nn.Linear(4, 1)), torch.randn(2, 4)) == []
        module.extra = nn.Linear(4, 4)
        assert flow_find.cuts(nn.Sequential(module, nn.Linear(4, 1)), torch.randn(2, 4)) == ["0: inside"]

    @pytest.mark.parametrize("beside", [True, False])
    def test_backward_raises_only_if_no_trained_layer_stands_behind_the_cut_or_beside_it(self, beside):
        layer, gate, x = nn.Linear(4, 4), nn.Linear(4, 4), torch.randn(5, 4)
        loss = ((layer(x) if beside else x) * (gate(x) > 0)).sum()
        if beside:
            loss.backward()
            assert gate.weight.grad is None and layer.weight.grad is not None
        else:
            with pytest.raises(RuntimeError, match="does not require grad"):
                loss.backward()

    @pytest.mark.parametrize(("called", "text"), [(True, "zero"), (False, "None")])
    def test_an_expert_called_with_no_rows_has_a_zero_and_one_that_is_not_called_has_none(self, called, text):
        used, expert, x = nn.Linear(4, 4), nn.Linear(4, 4), torch.randn(5, 4)
        parts = [used(x), expert(x[:0])] if called else [used(x)]
        torch.cat(parts).sum().backward()
        assert flow.report(expert) == {"weight": text, "bias": text}

    def test_the_hooks_are_removed_also_if_forward_raises(self):
        model = nn.Sequential(nn.Linear(4, 4), flow_find.Encoder())
        with pytest.raises(RuntimeError, match="cannot be multiplied"):
            flow_find.cuts(model, torch.randn(2, 5))
        assert not any(module._forward_hooks for module in model.modules())

    @pytest.mark.parametrize(
        "model",
        [
            nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 4)),
            nn.LSTM(4, 4),
            nn.TransformerEncoderLayer(4, 2, batch_first=True),
            nn.Linear(4, 4).requires_grad_(False),
        ],
    )
    def test_a_model_without_a_cut_is_not_accused(self, model):
        assert flow_find.cuts(model, torch.randn(2, 3, 4)) == []

    def test_the_cut_is_found_through_keywords_tuples_and_dicts(self):
        class Cut(nn.Module):
            def forward(self, *, h):
                return {"h": h.detach()}

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm, self.cut, self.head = nn.LSTM(4, 4), Cut(), nn.Linear(4, 1)

            def forward(self, x, frozen=False):
                with torch.set_grad_enabled(not frozen):
                    h, _ = self.lstm(x)
                return self.head(self.cut(h=h)["h"])

        assert flow_find.cuts(Net(), torch.randn(2, 3, 4)) == ["lstm: after", "cut: inside"]
        assert flow_find.cuts(Net(), torch.randn(2, 3, 4), frozen=True) == ["lstm: inside"]

    def test_a_module_that_returns_another_type_is_refused(self):
        class Shape(nn.Module):
            def forward(self, x):
                return x.dim()

        with pytest.raises(TypeError, match="^0 returns int: no tensor$"):
            flow_find.cuts(nn.Sequential(Shape()), torch.zeros(2))

    def test_the_report_takes_sparse_gradients_and_norms_above_the_range_of_float16(self):
        embedding = nn.Embedding(5, 3, sparse=True)
        embedding(torch.tensor([1, 1])).sum().backward()
        assert flow.report(embedding)["weight"] == pytest.approx(math.sqrt(12))
        half = nn.Linear(2, 2, bias=False).half()
        half.weight.grad = torch.full_like(half.weight, 6e4)
        assert flow.report(half)["weight"] == pytest.approx(1.2e5)

    @pytest.mark.parametrize(("set_to_none", "text"), [(True, "None"), (False, "zero")])
    def test_a_zero_can_be_left_over_from_zero_grad(self, set_to_none, text):
        used, other = nn.Linear(2, 2), nn.Linear(2, 2)
        (used(torch.ones(1, 2)) + other(torch.ones(1, 2))).sum().backward()
        other.zero_grad(set_to_none=set_to_none)
        used(torch.ones(1, 2)).sum().backward()
        assert flow.report(other)["weight"] == text

    def test_the_healthy_network_has_a_gradient_everywhere(self):
        model = flow.Net(broken=False)
        model(torch.randn(8, 8)).square().mean().backward()
        assert all(isinstance(value, float) for value in flow.report(model).values())

    def test_a_warmup_by_lambda_can_start_at_zero(self):
        w = torch.ones(1, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.1)
        torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: step / 10)
        w.sum().backward()
        optimizer.step()
        assert w.item() == 1 and w.grad.item() == 1

    def test_gumbel_softmax_is_one_hot_and_passes_a_gradient(self):
        logits = torch.randn(6, 4, requires_grad=True)
        chosen = F.gumbel_softmax(logits, hard=True)
        torch.testing.assert_close(chosen.detach(), F.one_hot(chosen.argmax(1), 4).float())
        (chosen * torch.arange(4.0)).sum().backward()
        assert logits.grad.any()

    def test_the_straight_through_estimator_rounds_and_passes_the_gradient(self):
        h = torch.tensor([0.3, 1.7, -2.2], requires_grad=True)
        y = h + (h.round() - h).detach()
        torch.testing.assert_close(y, h.round())
        y.sum().backward()
        assert h.grad.tolist() == [1.0, 1.0, 1.0]

    def test_the_optimizer_skips_none_and_moves_a_parameter_with_a_zero_gradient(self):
        for gradient, moves in ((None, False), (torch.zeros(2), True)):
            w = torch.ones(2, requires_grad=True)
            w.grad = gradient
            torch.optim.AdamW([w], lr=0.1, weight_decay=0.1).step()
            assert w.detach().ne(1).all().item() is moves

    def test_retain_grad_shows_where_the_gradient_becomes_zero(self):
        model = flow.Net(broken=True)
        x = torch.randn(4, 8)
        before = model.body(x)
        after = before.relu()
        before.retain_grad()
        after.retain_grad()
        model.head(after).sum().backward()
        assert after.grad.any() and not before.grad.any()


def fitted(x: torch.Tensor, y: torch.Tensor, momentum: float = 0.1, steps: int = 80) -> nn.Module:
    """The model of the page on validation that never improves, in train mode."""
    model = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64, momentum=momentum), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    return model


@torch.no_grad()
def measured(model: nn.Module, x: torch.Tensor, y: torch.Tensor, batch: int = 150) -> tuple[float, float]:
    """Accuracy and loss, batch by batch, in the mode that the model is in."""
    logits = torch.cat([model(part) for part in x.split(batch)])
    return (logits.argmax(1) == y).float().mean().item(), F.cross_entropy(logits, y).item()


@functools.cache
def two_classes() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Inputs, labels and shuffled labels."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(900, 20, generator=generator)
    y = (x[:, 0] > 0).long()
    return x, y, y[torch.randperm(900, generator=generator)]


class TestValidationNeverImproves:
    @pytest.mark.parametrize(
        ("fault", "high"),
        [
            ("none", ["train", "held out", "validation"]),
            ("train mode", []),
            ("labels shuffled", ["train"]),
            ("8 samples", ["train"]),
            ("not normalized", ["train", "held out"]),
            ("labels of other rows", ["train", "held out"]),
            ("leak", ["train", "held out", "validation"]),
        ],
    )
    def test_two_measurements_separate_evaluation_model_and_data(self, fault, high):
        found = validation.run(fault, seed=1)
        curve = found.pop("curve")
        assert found.pop("loss")[-1] < 0.1
        assert [name for name, (accuracy,) in found.items() if accuracy > 0.8] == high
        assert (max(curve) > 0.8) is ("validation" in high)

    def test_with_shuffled_labels_the_loss_rises_and_the_accuracy_stays_at_chance(self):
        x, _, shuffled = two_classes()
        for steps, low, high in ((1, 0.6, 0.8), (80, 1.5, 5)):
            accuracy, loss = measured(fitted(x[:300], shuffled[:300], steps=steps).eval(), x[600:], shuffled[600:])
            assert 0.4 < accuracy < 0.6 and low < loss < high

    @pytest.mark.parametrize("samples", [300, 600])
    def test_more_samples_do_not_help_if_the_labels_are_shuffled(self, samples):
        x, _, shuffled = two_classes()
        model = fitted(x[:samples], shuffled[:samples]).eval()
        assert measured(model, x[:samples], shuffled[:samples])[0] > 0.8
        assert 0.4 < measured(model, x[600:], shuffled[600:])[0] < 0.6

    def test_train_mode_hurts_small_batches_and_hardly_large_shuffled_ones(self):
        x, y, _ = two_classes()
        model = fitted(x[:300], y[:300])
        small, large = (measured(model, x[600:], y[600:], batch)[0] for batch in (2, 150))
        correct = measured(model.eval(), x[600:], y[600:])[0]
        assert abs(large - correct) <= 0.02 and 0.1 < correct - small < 0.3

    @pytest.mark.parametrize(("momentum", "late"), [(0.1, False), (0.01, True)])
    def test_running_statistics_that_lag_make_eval_low_on_the_training_set(self, momentum, late):
        x, y, _ = two_classes()
        x, y = 3 * x[:300] + 5, y[:300]
        model = fitted(x, y, momentum)
        assert measured(copy.deepcopy(model), x, y)[0] > 0.95
        accuracy = measured(model.eval(), x, y)[0]
        assert accuracy < 0.8 if late else accuracy > 0.95

    @pytest.mark.parametrize(("scale", "mean"), [(3, 5), (10, -20)])
    def test_inputs_that_are_not_normalized_make_eval_low_and_train_mode_high(self, scale, mean):
        x, y, _ = two_classes()
        model = fitted(x[:300], y[:300])
        raw = scale * x[:300] + mean
        assert measured(copy.deepcopy(model), raw, y[:300], 300)[0] > 0.95
        assert measured(model.eval(), raw, y[:300], 300)[0] < 0.8
        assert measured(model, x[:300], y[:300], 300)[0] > 0.95

    @pytest.mark.parametrize("users", [600, 1000])
    def test_a_label_in_a_training_feature_leaves_validation_at_chance(self, users):
        generator = torch.Generator().manual_seed(0)
        user, y = torch.randint(users, (900,), generator=generator), torch.randint(2, (900,), generator=generator)
        count, total = torch.zeros(users), torch.zeros(users)
        count.index_add_(0, user[:300], torch.ones(300))
        total.index_add_(0, user[:300], y[:300].float())
        mean = torch.where(count > 0, total / count.clamp(min=1), 0.5)[user] * 2 - 1
        x = torch.cat((mean[:, None], torch.randn(900, 19, generator=generator)), dim=1)
        model = fitted(x[:300], y[:300]).eval()
        assert measured(model, x[:300], y[:300])[0] > 0.95
        assert 0.4 < measured(model, x[300:], y[300:])[0] < 0.7

    @pytest.mark.parametrize("p", [0.2, 0.5])
    def test_functional_dropout_reads_no_flag(self, p):
        class Net(nn.Linear):
            def forward(self, x):
                return F.dropout(super().forward(x), p)

        model, x = Net(8, 8).eval(), torch.randn(32, 8)
        assert not any(module.training for module in model.modules())
        assert not torch.equal(model(x), model(x))

    @pytest.mark.parametrize("by_group", [False, True])
    def test_a_slice_of_the_same_groups_is_high_and_whole_groups_are_not(self, by_group):
        generator = torch.Generator().manual_seed(0)
        group = torch.arange(40).repeat_interleave(20)
        x = (3 * torch.randn(40, 20, generator=generator))[group] + torch.randn(800, 20, generator=generator)
        y = torch.randint(2, (40,), generator=generator)[group]
        order = torch.arange(800) if by_group else torch.randperm(800, generator=generator)
        train, held_out = order[:600], order[600:]
        accuracy = measured(fitted(x[train], y[train]).eval(), x[held_out], y[held_out])[0]
        assert accuracy < 0.75 if by_group else accuracy > 0.95

    def test_a_missing_class_shifts_the_indices_after_it_by_one(self):
        train, val = ({c: i for i, c in enumerate(sorted(names))} for names in ("dcba", "dca"))
        assert [train[c] - val[c] for c in sorted(val)] == [0, 1, 1]

    @pytest.mark.parametrize("layer", [nn.Dropout(0.5), nn.BatchNorm1d(3)])
    def test_a_layer_reads_its_own_flag(self, layer):
        model = nn.Sequential(nn.Linear(3, 3), layer).eval()
        x = torch.randn(4, 3)
        expected = model(x)
        layer.train()
        assert not model.training and any(module.training for module in model.modules())
        assert not torch.allclose(model(x), expected)


MIXED = "is not on the expected device"


@dataclasses.dataclass(frozen=True)
class Sample:
    image: torch.Tensor
    name: str


class TestDeviceMismatch:
    @pytest.mark.parametrize(
        ("bug", "call", "argument", "stray"),
        [
            ("plain attribute", "torch.Tensor.mul", "(3,) cpu", "scale"),
            ("plain list", "torch.nn.functional.linear", "(3, 3) cpu", "extra[0].weight, extra[0].bias"),
            ("new in forward", "torch.Tensor.add", "(3,) cpu", "none"),
            ("batch not moved", "torch.nn.functional.linear", "(5, 4) cpu", "none"),
            ("loss weight", "torch.nn.functional.cross_entropy", "(3,) cpu", "none"),
        ],
    )
    def test_two_checks_separate_five_causes(self, bug, call, argument, stray):
        note, found = mismatch.diagnose(bug)
        assert note.startswith(call + ":") and argument in note and note.count("cpu") in (1, 2)
        assert found == stray

    def test_nothing_is_reported_where_nothing_is_wrong(self):
        assert mismatch.diagnose("none") == mismatch.diagnose("plain attribute", device="cpu") == ("no error", "none")

    def test_strays_finds_parameters_buffers_attributes_and_nested_containers_once(self):
        net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).to("meta")
        assert not list(mismatch.strays(net, "meta"))
        net[0].cache = {"mask": torch.ones(2), "deep": [(torch.ones(1), nn.Linear(1, 1, bias=False))]}
        net[1].running_mean, net[1]._private = torch.zeros(2), torch.zeros(1)
        net.append(nn.Linear(2, 2, bias=False))
        assert list(mismatch.strays(net, "meta")) == [
            "0.cache['mask']",
            "0.cache['deep'][0][0]",
            "0.cache['deep'][0][1].weight",
            "1.running_mean",
            "1._private",
            "2.weight",
        ]
        for device in ("cpu", "cpu:0", torch.device("cpu")):
            assert list(mismatch.strays(nn.Linear(2, 2, device="meta"), device)) == ["weight", "bias"]
            assert not list(mismatch.strays(nn.LSTM(2, 2), device))

    def test_registered_tensors_move_and_plain_ones_do_not(self):
        net = nn.Module()
        net.register_buffer("buffer", torch.ones(1), persistent=False)
        net.plain, net.layers, net.listed = torch.ones(1), nn.ModuleList([nn.Linear(1, 1)]), [nn.Linear(1, 1)]
        net.to("meta")
        assert net.buffer.is_meta and net.layers[0].weight.is_meta
        assert not net.plain.is_meta and not net.listed[0].weight.is_meta

    def test_tensors_made_like_the_input_or_on_its_device_are_there(self):
        x = torch.ones(3, device="meta")
        for made in (torch.zeros(3, device=x.device), x.new_zeros(3), torch.zeros_like(x)):
            assert (x + made).is_meta
        with pytest.raises(RuntimeError, match=MIXED):
            x + torch.zeros(3)

    def test_the_loss_module_has_its_weight_as_a_buffer(self):
        logits, y = torch.ones(5, 3, device="meta"), torch.zeros(5, dtype=torch.int64, device="meta")
        loss = nn.CrossEntropyLoss(weight=torch.ones(3))
        with pytest.raises(RuntimeError, match=MIXED):
            loss(logits, y)
        assert loss.to("meta")(logits, y).is_meta and "weight" in dict(loss.named_buffers())

    @pytest.mark.parametrize(
        ("checks", "call"),
        [
            (True, lambda x, cpu: x * cpu),
            (True, lambda x, cpu: x > cpu),
            (True, lambda x, cpu: torch.cat([x, cpu])),
            (True, lambda x, cpu: torch.where(cpu > 0, x, x)),
            (True, lambda x, cpu: F.linear(x, cpu, cpu[0])),
            (False, lambda x, cpu: x @ cpu),
            (False, lambda x, cpu: F.linear(x, cpu)),
            (False, lambda x, cpu: F.conv1d(x, cpu[:, :, None])),
            (False, lambda x, cpu: F.conv2d(x[:, :, None], cpu[:, :, None, None])),
            (False, lambda x, cpu: F.embedding(cpu.long(), x)),
            (False, lambda x, cpu: torch.gather(x, 0, cpu.long())),
        ],
    )
    def test_meta_checks_some_operations_and_not_others(self, checks, call):
        x, cpu = torch.ones(3, 3, device="meta"), torch.ones(3, 3)
        if checks:
            with pytest.raises(RuntimeError, match=MIXED):
                call(x, cpu)
        else:
            assert call(x, cpu).is_meta

    def test_the_default_device_counts_for_new_tensors_only(self):
        before = torch.ones(2)
        with torch.device("meta"):
            assert torch.zeros(2).is_meta and nn.Linear(2, 2).weight.is_meta and torch.tensor([1.0]).is_meta
            for other in (before, torch.ones_like(before), torch.from_numpy(np.ones(2)), before.clone()):
                assert not other.is_meta

    def test_moving_in_each_forward_copies_an_input_once_and_a_shared_tensor_in_each_layer(self):
        class Moving(nn.Linear):
            def forward(self, *given):
                moved = [tensor.to(self.weight.device) for tensor in given]
                copies.extend(a is not b for a, b in zip(given, moved, strict=True))
                return super().forward(moved[0] * moved[-1])

        for masks, expected in (((), 1), ((torch.ones(2),), 1 + 3)):
            copies, hidden = [], torch.ones(1, 2)
            for layer in [Moving(2, 2, device="meta") for _ in range(3)]:
                hidden = layer(hidden, *masks)
            assert sum(copies) == expected

    def test_an_optimizer_whose_state_stayed_behind_raises_and_reloading_its_state_mends_it(self):
        model = nn.Linear(2, 2, device="meta")
        optimizer = torch.optim.AdamW(model.parameters())
        model(torch.ones(1, 2, device="meta")).sum().backward()
        optimizer.step()
        for state in optimizer.state.values():
            state |= {name: torch.zeros(state[name].shape) for name in ("exp_avg", "exp_avg_sq")}
        with pytest.raises(RuntimeError, match=MIXED):
            optimizer.step()
        optimizer.load_state_dict(optimizer.state_dict())
        optimizer.step()
        assert all(state["exp_avg"].is_meta for state in optimizer.state.values())

    def test_a_list_comprehension_fails_on_a_dict_and_drops_the_type_of_a_named_tuple(self):
        def move(batch):
            return [x.to("meta") for x in batch]

        with pytest.raises(AttributeError):
            move({"x": torch.ones(1)})
        assert type(move(namedtuple("pair", "a b")(torch.ones(1), torch.ones(1)))) is list

    def test_a_named_tuple_may_have_a_field_named_to(self):
        step = namedtuple("step", "start to")(torch.ones(1), torch.ones(2))
        moved = batches.to_device(step, "meta")
        assert type(moved) is type(step) and {t.device.type for t in moved} == {"meta"}

    @pytest.mark.parametrize("index", [0, slice(1, 3), ...])
    def test_an_assignment_copies_between_devices(self, index):
        x = torch.ones(4, 4, device="meta")
        x[index] = torch.ones(4)
        x.copy_(torch.ones(4, 4))
        with pytest.raises(RuntimeError):
            x * torch.ones(4)

    def test_a_batch_keeps_its_types(self):
        pair = namedtuple("pair", "a b")
        packed = nn.utils.rnn.pack_sequence([torch.ones(2, 1)])
        batch = {
            "pair": pair(torch.ones(1), None),
            "list": [torch.ones(1), ("x", torch.ones(1))],
            "ordered": OrderedDict(a=torch.ones(1)),
            "sample": Sample(torch.ones(1), "x"),
            "packed": packed,
            "empty": [],
            "number": 3,
            "array": "text",
        }
        moved = batches.to_device(batch, "meta")
        assert {name: type(value) for name, value in moved.items()} == {n: type(v) for n, v in batch.items()}
        assert moved["pair"].a.is_meta and moved["pair"].b is None
        assert moved["list"][0].is_meta and moved["list"][1][1].is_meta and moved["list"][1][0] == "x"
        assert moved["ordered"]["a"].is_meta and moved["packed"].data.is_meta
        assert moved["sample"].image.is_meta and moved["sample"].name == "x"
        assert not batch["list"][0].is_meta
        assert batches.to_device(torch.ones(1), torch.device("meta")).is_meta
        assert batches.to_device(torch.Tensor, "meta") is torch.Tensor
        assert batches.to_device(Sample, "meta") is Sample


curve = load_snippet("mid/debugging/loss_accumulation_curve.py")
on_ctx = load_snippet("mid/debugging/loss_accumulation_ctx_broken.py")
micro = load_snippet("mid/debugging/loss_accumulation_micro.py")


class TestLossAccumulation:
    def test_only_a_loop_without_backward_keeps_saved_tensors(self):
        sizes, nodes = curve.grow("validate, loss", 4)
        assert sizes == [136_196 * step for step in (1, 2, 3, 4)]
        assert {b - a for a, b in zip(nodes, nodes[1:], strict=False)} == {8}
        assert curve.grow("train, loss", 4) == ([0] * 4, nodes)

    @pytest.mark.parametrize("way", ["train, loss.detach()", "train, loss.item()"])
    def test_detach_and_item_keep_no_graph(self, way):
        assert curve.grow(way, 3) == ([0] * 3, [0] * 3)

    def test_without_backward_detach_and_item_help_as_well(self, monkeypatch):
        for value_of in (torch.detach, torch.Tensor.item):
            monkeypatch.setitem(curve.WAYS, "validate, fixed", (False, value_of))
            assert curve.grow("validate, fixed", 3) == ([0] * 3, [0] * 3)

    def test_the_bytes_are_those_of_relu_and_log_softmax_and_a_number(self):
        assert 128 * 256 * 4 + 128 * 10 * 4 + 4 == 131_072 + 5_120 + 4 == 136_196

    def test_the_sum_is_a_tensor_with_a_graph_in_place_or_not(self):
        weight = torch.ones(2, requires_grad=True)
        for total in (0.0, torch.zeros(())):
            total += weight.sum()
            assert total.grad_fn is not None and total.requires_grad
        total = 0.0
        with torch.no_grad():
            total += weight.sum()
        assert total.grad_fn is None
        total = 0.0
        total += weight.sum().item()
        assert isinstance(total, float)

    def test_eval_does_not_help_and_no_grad_and_inference_mode_do(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)).eval()
        assert model(torch.ones(1, 3)).requires_grad
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                assert not model(torch.ones(1, 3)).requires_grad

    @pytest.mark.parametrize("steps", [1, 5])
    def test_attributes_of_ctx_stay_after_backward_and_saved_tensors_do_not(self, steps):
        assert on_ctx.inputs_alive(on_ctx.OnCtx, steps) == steps
        assert on_ctx.inputs_alive(on_ctx.Saved, steps) == 0

    def test_both_functions_have_the_gradient_of_a_square(self):
        for function in (on_ctx.OnCtx, on_ctx.Saved):
            x = torch.randn(3, dtype=torch.float64, requires_grad=True)
            assert torch.autograd.gradcheck(function.apply, x)

    def test_retain_graph_keeps_the_saved_tensors(self, monkeypatch):
        backward = torch.Tensor.backward
        monkeypatch.setattr(torch.Tensor, "backward", lambda loss: backward(loss, retain_graph=True))
        assert curve.grow("train, loss", 3) == curve.grow("validate, loss", 3)

    @pytest.mark.parametrize("parts", [1, 2, 8])
    def test_a_sum_over_micro_batches_keeps_all_of_them_and_one_backward_each_keeps_one(self, parts):
        (first, a), (each, b) = micro.most_alive(parts, True), micro.most_alive(parts, False)
        assert (first, each) == (parts, 1)
        whole = micro.most_alive(1, True)[1]
        torch.testing.assert_close(a, whole)
        torch.testing.assert_close(b, whole)
        assert whole.abs().min() > 0

    @pytest.mark.parametrize("sizes", [(4, 4), (6, 2), (3, 3, 1)])
    def test_micro_batches_of_other_sizes_need_their_share_as_the_weight(self, sizes):
        def gradient(sizes, weight_of):
            weight = torch.ones(4, dtype=torch.float64, requires_grad=True)
            for part in x.split(sizes):
                ((part @ weight).square().mean() * weight_of(part)).backward()
            return weight.grad

        x = torch.arange(4.0 * sum(sizes), dtype=torch.float64).view(-1, 4)
        whole = gradient((len(x),), lambda part: 1)
        torch.testing.assert_close(gradient(sizes, lambda part: len(part) / len(x)), whole)
        plain = gradient(sizes, lambda part: 1 / len(sizes))
        assert torch.allclose(plain, whole) is (len(set(sizes)) == 1)

    @pytest.mark.parametrize(
        "block",
        [
            lambda layer, x: layer(x).sigmoid(),
            lambda layer, x: checkpoint(lambda x: layer(x).sigmoid(), x, use_reentrant=False),
            lambda layer, x: checkpoint(lambda x: layer(x).sigmoid(), x, use_reentrant=True),
        ],
    )
    def test_backward_frees_what_built_in_operations_and_checkpointing_keep(self, block):
        first, layer, seen, total = nn.Linear(8, 8), nn.Linear(8, 8), [], 0.0
        for trained in (True, True, False):
            hidden = first(torch.ones(2, 8))
            seen.append(weakref.ref(hidden.untyped_storage()))
            loss = block(layer, hidden).mean()
            if trained:
                loss.backward()
            total += loss
            del hidden, loss
        assert [storage() is not None for storage in seen] == [False, False, True]

    def test_assigning_a_number_gives_the_memory_back(self):
        weight, alive = torch.ones(3, requires_grad=True), []
        total = 0.0
        for _ in range(3):
            hidden = (weight * 2).square()
            alive.append(weakref.ref(hidden.untyped_storage()))
            total += hidden.square().sum()
            del hidden
        assert all(storage() is not None for storage in alive)
        total = 0.0
        assert total == 0.0 and all(storage() is None for storage in alive)

    def test_a_list_of_losses_grows_although_the_sum_has_no_graph(self, monkeypatch):
        history = []

        def value_of(loss):
            history.append(loss)
            return loss.item()

        monkeypatch.setitem(curve.WAYS, "validate, list", (False, value_of))
        sizes, nodes = curve.grow("validate, list", 3)
        assert sizes == [136_196, 272_392, 408_588] and nodes == [0, 0, 0]

    def test_a_hook_that_keeps_an_output_with_its_graph_keeps_its_own_node_alive(self):
        class Kept:
            alive = weakref.WeakSet()

            def __init__(self, tensor, detach):
                self.tensor = tensor.detach() if detach else tensor
                self.alive.add(self)

        gc.freeze()  # what was there before need not be searched
        for function, detach, left in ((torch.sigmoid, False, 1), (torch.sigmoid, True, 0), (torch.square, False, 0)):
            Kept.alive.clear()
            weight = torch.ones(3, requires_grad=True)
            with torch.autograd.graph.saved_tensors_hooks(lambda t, d=detach: Kept(t, d), lambda kept: kept.tensor):
                y = function(weight)
            assert len(Kept.alive) == 1
            del y
            gc.collect()
            assert len(Kept.alive) == left
        gc.unfreeze()


def graph_of(root: torch.Tensor) -> set:
    """All nodes that the tensor's graph can reach."""
    seen, todo = set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [parent for parent, _ in node.next_functions]
    return seen


class TestMemoryLeaks:
    @pytest.fixture(autouse=True)
    def collections_skip_what_is_older(self):
        gc.freeze()  # a collection of everything that the tests import takes 0.2 s
        yield
        gc.unfreeze()

    @pytest.mark.parametrize("size", [1, 8])
    @pytest.mark.parametrize("trained", [True, False])
    def test_every_recorded_write_into_a_buffer_stays_in_its_chain(self, size, trained):
        w, buffer, alive = torch.ones(3, requires_grad=True), torch.zeros(size), []
        for step in range(20):
            hidden = (2 * w).exp()
            alive.append(weakref.ref(hidden.untyped_storage()))
            loss = hidden.sum()
            if trained:
                loss.backward()
            buffer[step % size] = loss
        del hidden, loss
        assert sum("CopySlices" in node.name() for node in graph_of(buffer)) == 20
        assert sum(each() is not None for each in alive) == (0 if trained else 20)
        buffer = buffer.detach()
        assert not any(each() is not None for each in alive)

    @pytest.mark.parametrize(
        ("case", "grows", "after"),
        [
            ("nothing", 0, 0),
            ("training, loss in a list", 4, 4),
            ("validation, loss in a list", 128 * 256 * 4 + 128 * 10 * 4 + 8, None),
            ("hook keeps output.detach()", 128 * 256 * 4, None),
            ("logits[0].detach() in a list", 128 * 10 * 4, None),
            ("reference cycle", 128 * 256 * 4, 0),
        ],
    )
    def test_the_growth_per_step_is_the_size_of_what_is_kept(self, case, grows, after):
        found = leaks.curve(case, steps=6)
        assert {b - a for a, b in zip(found[1:6], found[2:6], strict=False)} == {grows}
        if after is not None:
            assert found[-1] == found[0] - (grows if case == "reference cycle" else 0) + 5 * after
        else:
            assert found[-1] == found[-2]

    def test_an_exception_keeps_the_tensors_of_its_frames(self):
        found = leaks.curve("exception in a list", steps=4)
        assert 0 <= found[3] - found[2] - 4 * (128 * 256 + 128 * 64 + 128 * 10) <= 8  # hidden, samples; logits
        assert found[-1] == found[-2]
        error = leaks.failed(nn.Sequential(nn.Linear(64, 256)))
        assert "hidden" in error.__traceback__.tb_frame.f_locals

    def test_a_collection_brings_the_cycle_back_in_between(self):
        size = 128 * 256 * 4
        cycle = leak_curves.curve("reference cycle", steps=6, collect_every=3)
        assert cycle == [size, 2 * size, 0, size, 2 * size, 0]
        assert leak_curves.curve("loss in a list", 6, 3) == [size * step for step in range(1, 7)]
        assert leak_curves.curve("nothing", 6, 3) == [0] * 6

    def test_a_detached_row_keeps_all_logits_and_a_clone_does_not(self):
        for rows in (2, 50):
            logits = torch.zeros(rows, 10)
            row = logits[0].detach()
            assert row.untyped_storage().nbytes() == rows * 40
            assert row.clone().untyped_storage().nbytes() == 40

    def test_containers_are_found_and_graphs_are_walked(self):
        x, w = torch.ones(3), torch.ones(3, requires_grad=True)
        kept = {"key": x}
        assert find.python_holders(x) == ["dict"]
        kept["key"] = None
        assert find.python_holders(x) == []
        hidden = torch.sigmoid(2 * w)
        assert find.python_holders(hidden) == []
        assert find.graph_holders((hidden + 1).sum(), hidden) == ["SigmoidBackward0._saved_result"]
        assert find.graph_holders((2 * w).sum(), hidden) == find.graph_holders(x, hidden) == []
        rows = torch.tensor([0, 2])  # saved in a tuple
        assert find.graph_holders((1 * w)[rows].sum(), rows) == ["IndexBackward0._saved_indices"]
        kept = {"key": checkpoint(torch.exp, hidden, use_reentrant=True)}  # a custom function
        assert find.graph_holders(kept["key"], hidden) == [
            "CheckpointFunctionBackward.saved_tensors",
            "SigmoidBackward0._saved_result",
        ]
        loss = hidden.sum()
        loss.backward()
        with pytest.raises(RuntimeError, match="freed"):
            find.graph_holders(loss, hidden)
        output = torch.sigmoid(2 * w)
        loss = (output.mul_(2)).sum()
        with pytest.raises(RuntimeError, match=MODIFIED):
            find.graph_holders(loss, output)

    def test_profile_memory_is_off_unless_asked_for(self):
        assert torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]).profile_memory is False

    @pytest.mark.parametrize("size", [(128, 64), (3, 5)])
    def test_a_tensor_in_the_frame_of_a_kept_exception_has_no_container_and_no_graph(self, size):
        def fail():
            hidden = torch.ones(size)
            made.append(weakref.ref(hidden))
            raise ValueError

        made, kept = [], []
        try:
            fail()
        except ValueError as error:
            kept.append(error)
        gc.collect()
        hidden = made[0]()
        assert find.python_holders(hidden) == find.graph_holders(hidden, hidden) == []
        assert "frame" in [type(each).__name__ for each in gc.get_referrers(hidden)]
        kept.clear()
        del hidden
        assert made[0]() is None

    @pytest.mark.filterwarnings("ignore:Using backward")
    @pytest.mark.parametrize("depth", [1, 3])
    @pytest.mark.parametrize(("how", "leaks_model"), [("backward", True), ("zero_grad", False), ("grad", False)])
    def test_create_graph_makes_a_cycle_that_zero_grad_or_grad_avoid(self, depth, how, leaks_model):
        model = nn.Sequential(*(layer for _ in range(depth) for layer in (nn.Linear(4, 4), nn.Tanh())))
        alive = weakref.ref(model[0].weight.untyped_storage())
        loss = model(torch.ones(2, 4)).square().sum()
        if how == "grad":
            torch.autograd.grad(loss, list(model.parameters()), create_graph=True)
        else:
            loss.backward(create_graph=True)
        weights = list(model.parameters())
        if how == "zero_grad":
            model.zero_grad()
        del model, loss
        assert all((w.grad is not None) == leaks_model for w in weights)
        del weights
        gc.collect()
        assert (alive() is not None) == leaks_model

    def test_a_hook_registered_in_every_step_stays_until_it_is_removed(self):
        layer, handles = nn.Linear(2, 2), []
        for _ in range(5):
            x = torch.ones(1, 2)
            handles.append(layer.register_forward_hook(lambda module, inputs, output, x=x: None))
        assert len(layer._forward_hooks) == 5
        alive = weakref.ref(x)
        del x
        assert alive() is not None
        for handle in handles:
            handle.remove()
        assert not layer._forward_hooks and alive() is None


def weights_of(model: nn.Module) -> int:
    return sum(each.numel() for each in model.parameters())


class TestCudaOom:
    @pytest.mark.parametrize(
        ("optimizer", "options", "numbers"),
        [
            (torch.optim.Adam, {}, 2),
            (torch.optim.AdamW, {}, 2),
            (torch.optim.SGD, {"momentum": 0.9}, 1),
            (torch.optim.SGD, {}, 0),
        ],
    )
    @pytest.mark.parametrize("batch", [4, 12])
    def test_parameters_gradients_and_states_do_not_depend_on_the_batch(self, optimizer, options, numbers, batch):
        found, count = oom.memory(batch, optimizer=optimizer, **options), weights_of(oom.four_blocks())
        assert found["parameters"] == found["gradients"] == 4 * count
        steps = 4 * 16 if numbers == 2 else 0  # Adam counts its steps for each of 16 tensors
        assert found["states"] == 4 * numbers * count + steps
        per_sample = 4 * (4 * (256 + 256 + 64))  # the input is not counted, the output is kept by square()
        assert found["saved"] == batch * per_sample + 4  # the loss

    @pytest.mark.parametrize("batch", [4, 32])
    def test_saved_tensor_hooks_count_the_same(self, batch):
        model, x, kept = oom.four_blocks(), torch.randn(batch, 64), {}
        hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: kept.setdefault(t.data_ptr(), t), lambda t: t)
        with hooks:
            loss = model(x).square().mean()
        skip = {x.data_ptr(), *(each.data_ptr() for each in model.parameters())}
        assert loss.requires_grad
        assert sum(t.nbytes for key, t in kept.items() if key not in skip) == oom.memory(batch)["saved"] - 4

    def test_pieces_save_less_and_need_more_in_backward_than_a_small_batch(self):
        whole, small, pieces = oom.memory(64), oom.memory(16), oom.memory(64, pieces=4)
        assert pieces["saved"] == pytest.approx(small["saved"], abs=8)
        assert small["saved"] < 0.3 * whole["saved"]
        assert small["backward"] < pieces["backward"]

    @pytest.mark.parametrize("pieces", [2, 4])
    def test_summed_losses_keep_all_graphs(self, pieces):
        model, x, sizes = oom.four_blocks(), torch.randn(64, 64), {}
        weights = {each.data_ptr() for each in model.parameters()}

        def pack(tensor):
            kept[tensor.data_ptr()] = tensor.nbytes if tensor.data_ptr() not in weights else 0
            alive.append(tensor)  # so that no address comes twice
            return tensor

        for count in (1, pieces):
            kept, alive, losses = {}, [], []
            with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
                for piece in x.chunk(count):
                    losses.append(model(piece).square().mean() / count)
            sizes[count] = sum(kept.values())
        assert sizes[1] == sizes[pieces]
        assert oom.memory(64, pieces=pieces)["saved"] < 0.6 * oom.memory(64)["saved"]

    def test_the_gradient_of_pieces_is_that_of_the_batch(self):
        x, gradients = torch.randn(8, 64, dtype=torch.float64), []
        torch.manual_seed(0)
        model = oom.four_blocks().double()
        for pieces in (1, 4):
            model.zero_grad()
            for piece in x.chunk(pieces):
                (model(piece).square().mean() / pieces).backward()
            gradients.append(model[0][0].weight.grad.clone())
        torch.testing.assert_close(*gradients)

    @pytest.mark.parametrize(("rate", "same"), [(0.0, True), (0.5, False)])
    def test_dropout_draws_other_masks_for_pieces(self, rate, same):
        x, gradients = torch.randn(8, 64, dtype=torch.float64), []
        model = nn.Sequential(oom.four_blocks(), nn.Dropout(rate), nn.Linear(64, 64), nn.Dropout(rate)).double()
        for pieces in (1, 4):
            torch.manual_seed(1)
            model.zero_grad()
            for piece in x.chunk(pieces):
                (model(piece).square().mean() / pieces).backward()
            gradients.append(model[2].weight.grad.clone())
        assert torch.allclose(*gradients) is same

    @pytest.mark.parametrize("sparse", [False, True])
    def test_only_a_sparse_gradient_grows_with_the_batch(self, sparse):
        sizes = []
        for batch in (16, 256):
            table = nn.Embedding(1000, 8, sparse=sparse)
            table(torch.arange(batch)).sum().backward()
            grad = table.weight.grad
            sizes.append(grad._values().nbytes if sparse else grad.nbytes)
        assert sizes[1] == (16 * sizes[0] if sparse else sizes[0])

    @pytest.mark.parametrize("batch", [8, 64])
    def test_checkpointing_keeps_the_inputs_of_the_blocks(self, batch):
        assert oom.memory(batch, checkpointed=True)["saved"] == pytest.approx(batch * 4 * 64 * 4, abs=100)
        assert oom.memory(batch, checkpointed=True)["states"] == oom.memory(batch)["states"]

    @pytest.mark.parametrize("batch", [16, 64, 256])
    def test_autocast_moves_only_the_saved_tensors_and_not_to_the_half(self, batch):
        plain, autocast, half = (
            oom_autocast.terms(batch),
            oom_autocast.terms(batch, mixed=True),
            oom_autocast.terms(batch, dtype=torch.bfloat16),
        )
        assert autocast[:3] == plain[:3]
        assert half == pytest.approx([size / 2 for size in plain], rel=0.001)
        copies = 7 * 2 * 64 * 256 / 1000  # of all matrices but the first, whose input needs no gradient
        assert autocast[3] == pytest.approx(plain[3] / 2 + copies, abs=1)
        assert (autocast[3] > plain[3]) == (batch == 16)

    @pytest.mark.parametrize("batch", [64, 256])
    def test_the_peak_of_adam_is_in_backward_and_that_of_step_is_apart(self, batch):
        curve, backward, step = oom_peaks.timeline(batch, torch.optim.Adam)
        assert max(curve) == max(curve[backward:step]) > max(curve[:backward]) > curve[0]
        assert curve[step - 1] < max(curve[step:]) < max(curve[backward:step])
        assert curve[backward - 1] - curve[0] == pytest.approx(oom.memory(batch)["saved"], rel=0.1)

    def test_states_are_made_in_the_first_step(self):
        first, second = oom.memory(64, steps=1), oom.memory(64)
        assert second["backward"] - first["backward"] == pytest.approx(second["states"], abs=100)
        without = [oom.memory(64, steps=steps, optimizer=torch.optim.SGD)["backward"] for steps in (1, 2)]
        assert without[0] == without[1]

    def test_foreach_raises_the_peak_of_step_and_fused_does_not(self):
        plain, foreach, fused = oom.memory(4), oom.memory(4, foreach=True), oom.memory(4, fused=True)
        assert fused["step"] < plain["step"] < foreach["step"] <= plain["step"] + plain["parameters"]

    @pytest.mark.parametrize("frozen", [1, 3])
    def test_frozen_first_blocks_save_nothing_and_have_no_states(self, frozen):
        plain, part = oom.memory(16), oom.memory(16, frozen=frozen)
        for term in ("gradients", "states"):
            assert part[term] == plain[term] * (4 - frozen) / 4
        assert part["saved"] == pytest.approx(plain["saved"] * (4 - frozen) / 4 + 16 * 64 * 4, abs=100)
        assert part["parameters"] == plain["parameters"]


class TestTrainValGap:
    @pytest.fixture(autouse=True)
    def one_thread(self, monkeypatch):
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        monkeypatch.setattr(gap, "SEEDS", 4)
        yield
        torch.set_num_threads(threads)

    def test_the_slice_separates_a_shift_from_overfitting(self):
        for offset in (0.9, -1.0):
            shifted = gap.fit(1500, offset=offset, steps=130)[-1].mean((1, 2))
            assert shifted[1] - shifted[0] < 0.15 < 0.3 < shifted[2] - shifted[1]
        for count in (30, 150):
            train, held_out, validation = gap.fit(count, steps=130)[-1].mean((1, 2))
            assert held_out - train > 0.3 and abs(validation - held_out) < 0.2

    def test_the_drawn_curves_show_the_same(self):
        for count, offset, low in ((30, 0.0, False), (1000, 1.0, True)):
            train, held_out, validation = gap_curves.curves(count, offset)[-1]
            assert validation - train > 0.3
            assert (held_out - train < (validation - train) / 3) == low

    def test_decay_helps_against_overfitting_and_not_against_a_shift(self):
        plain = gap.fit(300, decays=(0.0, 3.0, 30.0))
        assert gap.best(plain).mean() < gap.best(plain[:, :, :1]).mean() - 0.02
        assert plain[:, 2].amin(0).mean(1).argmin() == 1
        shifted = gap.fit(800, offset=1.0, decays=(0.0, 3.0))
        stop, cured = gap.best(shifted[:, :, :1]).mean(), gap.best(gap.fit(800, 1.0, 1.0)).mean()
        assert gap.best(shifted).mean() - cured > 0.7 * (stop - cured) > 0.05

    def test_more_data_beats_decay_where_there_is_too_little_and_not_where_there_is_a_shift(self):
        few, more = gap.fit(30, decays=(0.0, 10.0)), gap.best(gap.fit(240)).mean()
        assert more < gap.best(few).mean() - 0.03 < gap.best(few[:, :, :1]).mean() - 0.03
        shifted = [gap.best(gap.fit(count, 1.0, steps=100)).mean() for count in (250, 2000)]
        assert abs(shifted[0] - shifted[1]) < 0.05

    @pytest.mark.parametrize("seed", [1, 2])
    def test_a_classifier_finds_a_shift_of_inputs_that_the_means_do_not_show(self, seed):
        torch.manual_seed(seed)
        for shift, features in (("feature 3 has an offset", {3}), ("correlation of 0 and 1 is gone", {0, 1})):
            old, new = gap_domain.sets(shift, 1000)
            accuracy, feature = gap_domain.domain_accuracy(old, new)
            assert accuracy > 0.58 and feature in features
            assert ((new.mean(0) - old.mean(0)).abs().max() > 0.5) == (features == {3})
        assert abs(gap_domain.domain_accuracy(*gap_domain.sets("nothing", 1000))[0] - 0.5) < 0.06

    @pytest.mark.parametrize(("mean", "spread"), [(50_000, 10_000), (-20_000, 5_000)])
    def test_a_large_feature_hides_a_shift_from_the_classifier_until_both_sets_are_standardized(self, mean, spread):
        torch.manual_seed(0)
        old, new = gap_domain.sets("feature 3 has an offset", 1000)
        for x in (old, new):
            x[:, 7] = x[:, 7] * spread + mean
        assert abs(gap_domain.domain_accuracy(old, new)[0] - 0.5) < 0.06
        both = torch.cat([old, new])
        old, new = ((x - both.mean(0)) / both.std(0) for x in (old, new))
        accuracy, feature = gap_domain.domain_accuracy(old, new)
        assert accuracy > 0.58 and feature == 3

    def test_models_of_different_decays_do_not_touch_each_other(self):
        together, alone = gap.fit(40, decays=(0.0, 10.0), steps=20), gap.fit(40, decays=(10.0,), steps=20)
        torch.testing.assert_close(together[:, :, 1:], alone, rtol=1e-3, atol=1e-3)
