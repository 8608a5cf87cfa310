"""Every claim that the pages of docs/mid/debugging make, proven beyond the example shown."""

import dataclasses
import gc
import weakref
from collections import OrderedDict, namedtuple

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

layers = load_snippet("mid/debugging/in_place_error_layers.py")
broken = load_snippet("mid/debugging/in_place_error_broken.py")
silent = load_snippet("mid/debugging/in_place_error_silent.py")
buffer = load_snippet("mid/debugging/in_place_error_buffer_broken.py")
step = load_snippet("mid/debugging/in_place_error_step_broken.py")
myth = load_snippet("mid/debugging/in_place_error_myth.py")
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


find = load_snippet("mid/debugging/device_mismatch_find_broken.py")
batches = load_snippet("mid/debugging/device_mismatch_batch.py")
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
        note, found = find.diagnose(bug)
        assert note.startswith(call + ":") and argument in note and note.count("cpu") in (1, 2)
        assert found == stray

    def test_nothing_is_reported_where_nothing_is_wrong(self):
        assert find.diagnose("none") == find.diagnose("plain attribute", device="cpu") == ("no error", "none")

    def test_strays_finds_parameters_buffers_attributes_and_nested_containers_once(self):
        net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).to("meta")
        assert not list(find.strays(net, "meta"))
        net[0].cache = {"mask": torch.ones(2), "deep": [(torch.ones(1), nn.Linear(1, 1, bias=False))]}
        net[1].running_mean, net[1]._private = torch.zeros(2), torch.zeros(1)
        net.append(nn.Linear(2, 2, bias=False))
        assert list(find.strays(net, "meta")) == [
            "0.cache['mask']",
            "0.cache['deep'][0][0]",
            "0.cache['deep'][0][1].weight",
            "1.running_mean",
            "1._private",
            "2.weight",
        ]
        assert list(find.strays(nn.Linear(2, 2, device="meta"), "cpu")) == ["weight", "bias"]

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

        for function, detach, left in ((torch.sigmoid, False, 1), (torch.sigmoid, True, 0), (torch.square, False, 0)):
            Kept.alive.clear()
            weight = torch.ones(3, requires_grad=True)
            with torch.autograd.graph.saved_tensors_hooks(lambda t, d=detach: Kept(t, d), lambda kept: kept.tensor):
                y = function(weight)
            assert len(Kept.alive) == 1
            del y
            gc.collect()
            assert len(Kept.alive) == left
