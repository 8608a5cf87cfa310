"""What docs/mid/debugging/device-mismatch.md claims, proven beyond the example shown."""

import dataclasses
from collections import OrderedDict, namedtuple

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

mismatch = load_snippet("mid/debugging/device_mismatch_find.py")
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

    def test_a_module_moves_in_place_and_a_tensor_only_if_the_copy_is_assigned(self):
        x, model = torch.ones(2), nn.Linear(2, 2)
        assert model.to("meta") is model and model.weight.is_meta
        assert x.to("meta").is_meta and not x.is_meta

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
