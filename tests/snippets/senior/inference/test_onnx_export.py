"""Every claim of docs/senior/inference/onnx-export.md, proven beyond the example shown."""

import warnings

import pytest
import torch
from torch import nn

pytestmark = [pytest.mark.onnx, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


def exported(model, example, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.onnx.export(model, example, verbose=False, **options).model_proto


def session(proto):
    import onnxruntime

    return onnxruntime.InferenceSession(proto.SerializeToString())


class Tail(nn.Module):
    def forward(self, x):
        return x[:, -4:].sum(dim=1) if x.shape[1] > 6 else x.sum(dim=1)


@pytest.fixture(scope="module")
def relu():
    """With a declared range, and an opset that does not exist."""
    return exported(
        nn.ReLU(), (torch.ones(4),), dynamic_shapes=({0: torch.export.Dim("n", min=3, max=6)},), opset_version=99
    )


class TestOnnxExport:
    def test_dimensions_are_those_of_the_example_unless_named_and_an_opset_is_the_one_asked_for(self):
        model, example = nn.Linear(3, 2).eval(), (torch.randn(4, 3),)
        for options, rows, opset in (({}, 4, 21), ({"dynamic_shapes": ({0: "n"},)}, "n", 17)):
            proto = exported(model, example, opset_version=opset, **options)
            assert session(proto).get_inputs()[0].shape == [rows, 3]
            assert proto.opset_import[0].version == opset

    def test_a_size_of_one_in_the_example_is_fixed_by_export_and_shares_a_name_in_the_file(self):
        class Plus(nn.Module):
            def forward(self, x, y):
                return x + y

        example, shapes = (torch.ones(1, 4), torch.ones(3, 4)), ({0: "b"}, {0: "c"})
        run = session(exported(Plus().eval(), example, dynamic_shapes=shapes))
        assert [one.shape for one in run.get_inputs()] == [["b", 4], ["b", 4]]
        auto = ({0: torch.export.Dim.AUTO},)
        program = torch.export.export(nn.ReLU(), example[:1], dynamic_shapes=auto).module()
        with pytest.raises(AssertionError, match="Guard failed"):
            program(torch.ones(3, 4))

    def test_a_branch_on_a_shape_is_frozen_in_the_file_and_guarded_in_torch(self):
        model, example = Tail().eval(), (torch.randn(2, 3),)
        run = session(exported(model, example, dynamic_shapes=({1: "tokens"},)))
        program = torch.export.export(model, example, dynamic_shapes=({1: torch.export.Dim.AUTO},))
        for tokens, same in ((3, True), (6, True), (9, False)):
            x = torch.arange(2.0 * tokens).view(2, tokens)
            (out,) = run.run(None, {run.get_inputs()[0].name: x.numpy()})
            assert torch.equal(torch.from_numpy(out), model(x)) == same
        with pytest.raises(AssertionError, match="Guard failed"):
            program.module()(torch.ones(2, 9))

    def test_in_training_mode_dropout_is_a_node_and_the_exporter_warns(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
        with pytest.warns(UserWarning, match="training mode"):
            proto = torch.onnx.export(model, (torch.randn(2, 3),), verbose=False).model_proto
        assert "Dropout" in [node.op_type for node in proto.graph.node]
        assert "Dropout" not in [node.op_type for node in exported(model.eval(), (torch.randn(2, 3),)).graph.node]

    def test_a_range_that_was_declared_is_not_in_the_file(self, relu):
        run = session(relu)
        assert run.run(None, {run.get_inputs()[0].name: torch.ones(9).numpy()})[0].shape == (9,)

    def test_an_opset_that_cannot_be_converted_to_leaves_the_lowest_one(self, relu):
        assert relu.opset_import[0].version == 18  # 99 was asked for

    def test_the_runtime_checks_the_dtype_and_a_missing_provider_only_warns(self, relu):
        import onnxruntime

        run = session(relu)
        with pytest.raises(Exception, match="double"):
            run.run(None, {run.get_inputs()[0].name: torch.ones(2).double().numpy()})
        assert run.get_providers() == ["CPUExecutionProvider"]
        with pytest.warns(UserWarning, match="not in available provider names"):
            run = onnxruntime.InferenceSession(relu.SerializeToString(), providers=["NoSuchExecutionProvider"])
        assert run.get_providers() == ["CPUExecutionProvider"]

    def test_a_data_dependent_branch_raises(self):
        class Sign(nn.Module):
            def forward(self, x):
                return x if x.sum() > 0 else -x

        with pytest.raises(Exception, match="(?i)data-dependent|export"):
            exported(Sign().eval(), (torch.ones(3),))

    def test_cond_puts_both_branches_into_the_graph(self):
        class Sign(nn.Module):
            def forward(self, x):
                return torch.cond(x.sum() > 0, lambda y: y.clone(), lambda y: -y, (x,))

        run = session(exported(Sign().eval(), (torch.ones(3),)))
        for sign in (1.0, -1.0):
            (out,) = run.run(None, {run.get_inputs()[0].name: torch.full((3,), sign).numpy()})
            assert out.tolist() == [1.0, 1.0, 1.0]

    def test_dynamic_axes_is_converted_and_warns(self):
        with pytest.warns(UserWarning, match="dynamic_axes"):
            program = torch.onnx.export(
                nn.Linear(3, 2).eval(),
                (torch.randn(2, 3),),
                input_names=["x"],
                dynamic_axes={"x": {0: "n"}},
                verbose=False,
            )
        assert session(program.model_proto).get_inputs()[0].shape == ["n", 3]

    def test_a_python_number_is_a_constant_unless_it_is_dynamic(self):
        class Scale(nn.Module):
            def forward(self, x, k, n):
                return x * k + n

        dynamic = {"x": None, "k": torch.export.Dim.DYNAMIC, "n": None}
        run = session(exported(Scale().eval(), (torch.ones(2), 3, 4), dynamic_shapes=dynamic))
        assert [one.name for one in run.get_inputs()] == ["x", "k"]
        (out,) = run.run(None, {"x": torch.ones(2).numpy(), "k": torch.tensor(7).numpy()})
        assert out.tolist() == [11, 11]

    def test_weights_go_into_a_file_beside_the_graph(self, tmp_path):
        program = torch.onnx.export(nn.Linear(64, 64).eval(), (torch.randn(2, 64),), verbose=False)
        program.save(tmp_path / "model.onnx", external_data=True)
        assert (tmp_path / "model.onnx.data").stat().st_size >= 64 * 64 * 4
