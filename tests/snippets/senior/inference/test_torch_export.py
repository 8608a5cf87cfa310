"""What docs/senior/inference/torch-export.md claims, proven beyond the example shown."""

import io
import zipfile

import pytest
import torch
import torch.export.passes
from torch import nn

from warmup.testing import load_snippet

main = load_snippet("senior/inference/torch_export.py")


def saved(program):
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return file


def stored(program):
    """Bytes of the weights in the file."""
    entries = zipfile.ZipFile(saved(program)).infolist()
    return sum(e.file_size for e in entries if "weights/weight_" in e.filename)


class Tied(nn.Module):
    def __init__(self, tied):
        super().__init__()
        self.a, self.b = nn.Linear(64, 64, bias=False), nn.Linear(64, 64, bias=False)
        if tied:
            self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


class Positions(nn.Module):
    def forward(self, x):
        return x + torch.arange(x.shape[1], device=x.device)


class TestTorchExport:
    @pytest.mark.parametrize("unused", [10, 300])
    def test_a_layer_that_the_graph_does_not_use_is_in_the_file(self, unused):
        model = main.Model().eval()
        model.auxiliary = nn.Linear(8, unused)
        program = torch.export.export(model, (torch.zeros(3, 4),))
        assert sum("linear" in n.name for n in program.graph.nodes) == 2
        assert stored(program) == 232 + 4 * 9 * unused
        del model.auxiliary
        model.auxiliary = None
        assert stored(torch.export.export(model, (torch.zeros(3, 4),))) == 232

    @pytest.mark.parametrize("value", [1.5, -7.0])
    def test_the_example_comes_back_from_the_file(self, value):
        example = torch.full((2, 4), value)
        loaded = torch.export.load(saved(torch.export.export(main.Model().eval(), (example,))))
        assert loaded.example_inputs[0][0].equal(example)

    @pytest.mark.parametrize("rows", [2, 5])
    def test_a_fixed_size_is_guarded_and_a_dynamic_one_is_not(self, rows):
        model, example = main.Model().eval(), (torch.zeros(3, 4),)
        fixed = torch.export.export(model, example).module()
        with pytest.raises(AssertionError, match="Guard failed"):
            fixed(torch.zeros(rows, 4))
        free = torch.export.export(model, example, dynamic_shapes=({0: torch.export.Dim("rows")},))
        x = torch.randn(rows, 4)
        torch.testing.assert_close(free.module()(x), model(x))
        assert free.range_constraints

    @pytest.mark.parametrize("least", [1, 2, 3])
    def test_a_declared_minimum_is_checked_from_3_on_and_a_maximum_always(self, least):
        rows = torch.export.Dim("rows", min=least, max=6)
        program = torch.export.export(nn.ReLU(), (torch.zeros(4, 3),), dynamic_shapes=({0: rows},)).module()
        with pytest.raises(AssertionError, match="<= 6"):
            program(torch.zeros(7, 3))
        if least < 3:
            assert program(torch.zeros(least - 1, 3)).shape == (least - 1, 3)
        else:
            with pytest.raises(AssertionError, match=">= 3"):
                program(torch.zeros(2, 3))

    def test_a_branch_on_the_dtype_is_in_the_graph_without_a_guard(self):
        class Branch(nn.Module):
            def forward(self, x):
                return x + 1 if x.dtype == torch.double else x

        program = torch.export.export(Branch(), (torch.zeros(2),)).module()
        assert program(torch.zeros(2).double()).tolist() == [0, 0]

    @pytest.mark.parametrize(
        "takes",
        [
            lambda x: torch.softmax(x, 0, dtype=x.dtype),
            lambda x: torch.arange(2).to(x),
            lambda x: x.new_tensor([1.0, 2.0]),
        ],
    )
    def test_the_dtype_that_forward_takes_from_its_input_is_the_examples(self, takes):
        class Takes(nn.Module):
            def forward(self, x):
                return takes(x)

        program, x = torch.export.export(Takes(), (torch.zeros(2),)).module(), torch.ones(2).double()
        assert Takes()(x).dtype == torch.double and program(x).dtype == torch.float

    @pytest.mark.parametrize(
        "convert", [torch.Tensor.float, lambda x: x.to(torch.half) + 1, lambda x: x.to("cpu") + 1, torch.Tensor.cpu]
    )
    def test_a_conversion_or_a_move_of_the_input_checks_its_dtype(self, convert):
        class Converts(nn.Module):
            def forward(self, x):
                return convert(x)

        program = torch.export.export(Converts(), (torch.zeros(2),)).module()
        with pytest.raises(RuntimeError, match="dtype mismatch"):
            program(torch.ones(2).double())

    def test_a_dimension_more_is_not_guarded(self):
        class Rows(nn.Module):
            def forward(self, x):
                return x.sum(-1) if x.dim() == 3 else x

        program = torch.export.export(Rows(), (torch.zeros(2, 3),)).module()
        more = torch.zeros(2, 3, 4)
        assert Rows()(more).shape == (2, 3) and program(more).shape == (2, 3, 4)

    def test_the_operators_follow_another_dtype_without_a_guard(self):
        program = torch.export.export(nn.ReLU(), (torch.zeros(2, 3),)).module()
        assert program(torch.zeros(2, 3).double()).dtype == torch.double
        assert program(torch.zeros(2, 3).int()).dtype == torch.int
        linear = torch.export.export(nn.Linear(3, 1), (torch.zeros(2, 3),)).module()
        with pytest.raises(RuntimeError, match="dtype"):
            linear(torch.zeros(2, 3).double())

    @pytest.mark.parametrize("train", [True, False])
    def test_it_can_be_trained_and_its_mode_is_fixed(self, train):
        model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)).train(train)
        program = torch.export.export(model, (torch.ones(2, 4),)).module()
        program(torch.ones(2, 4)).sum().backward()
        assert all(p.grad is not None for p in program.parameters())
        for switch in (program.eval, program.train):
            with pytest.raises(NotImplementedError):
                switch()
        x = torch.ones(2, 4)
        assert all(program(x).equal(program(x)) for _ in range(9)) == (not train)

    @pytest.mark.parametrize("width", [3, 4])
    def test_the_device_of_a_made_tensor_is_a_constant_until_the_program_is_moved(self, width):
        program = torch.export.export(Positions(), (torch.zeros(2, width),))
        x = torch.zeros(2, width, device="meta")
        assert Positions()(x).device.type == "meta"
        with pytest.raises(RuntimeError, match="device"):
            program.module()(x)
        moved = torch.export.passes.move_to_device_pass(program, "meta")
        assert moved.module()(x).device.type == "meta"

    def test_a_weight_of_two_layers_is_stored_once(self):
        sizes = [stored(torch.export.export(Tied(t), (torch.ones(2, 64),))) for t in (True, False)]
        assert sizes == [4 * 64 * 64, 2 * 4 * 64 * 64]

    def test_counting_and_printing_are_not_in_the_graph_and_a_number_is_a_constant(self, capsys):
        class Counts(nn.Module):
            scale = 3

            def forward(self, x):
                print("called")
                return x * self.scale

        model = Counts()
        program = torch.export.export(model, (torch.ones(2),)).module()
        capsys.readouterr()
        model.scale = 5
        assert program(torch.ones(2)).tolist() == [3, 3]
        assert model(torch.ones(2)).tolist() == [5, 5]
        assert capsys.readouterr().out == "called\n"  # by the model, not by the program

    def test_a_count_in_a_buffer_goes_on_and_one_in_a_number_does_not(self):
        class Counts(nn.Module):
            def __init__(self):
                super().__init__()
                self.number = 0
                self.register_buffer("calls", torch.zeros(()))

            def forward(self, x):
                self.number += 1
                self.calls += 1
                return x * 0 + self.number, x * 0 + self.calls

        program = torch.export.export(Counts(), (torch.ones(1),)).module()
        (number, calls), (again, later) = program(torch.ones(1)), program(torch.ones(1))
        assert number == again and later == calls + 1

    @pytest.mark.parametrize("saves", [False, True])
    def test_a_program_shares_the_weights_after_it_is_saved_and_its_file_does_not(self, saves):
        layer, x = nn.Linear(1, 1, bias=False), torch.ones(1, 1)
        nn.init.constant_(layer.weight, 1.0)
        program = torch.export.export(layer, (x,))
        file = saved(program) if saves else None
        nn.init.constant_(layer.weight, 2.0)
        assert program.module()(x).item() == 2.0
        assert file is None or torch.export.load(file).module()(x).item() == 1.0

    def test_an_integer_can_be_dynamic_and_a_float_has_to_be_a_tensor(self):
        class Scale(nn.Module):
            def forward(self, x, k):
                return x * k

        x, dynamic = torch.tensor([1, 2]), {"x": None, "k": torch.export.Dim.DYNAMIC}
        program = torch.export.export(Scale(), (x, 3), dynamic_shapes=dynamic).module()
        assert program(x, 4).tolist() == [4, 8] and program(x, 5).tolist() == [5, 10]
        with pytest.raises(AssertionError, match="Guard failed"):
            torch.export.export(Scale(), (x, 3)).module()(x, 4)
        with pytest.raises(torch._dynamo.exc.UserError, match="float"):
            torch.export.export(Scale(), (x, 3.0), dynamic_shapes=dynamic)
        program = torch.export.export(Scale(), (x, torch.tensor(3))).module()
        assert program(x, torch.tensor(4)).tolist() == [4, 8]
