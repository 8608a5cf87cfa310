"""What docs/junior/modules/tensor-vs-parameter.md claims, proven beyond the example shown."""

import copy

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

tensor_vs_parameter = load_snippet("junior/modules/tensor_vs_parameter.py")
tensor_vs_parameter_lost_broken = load_snippet("junior/modules/tensor_vs_parameter_lost_broken.py")
tensor_vs_parameter_update_broken = load_snippet("junior/modules/tensor_vs_parameter_update_broken.py")


class TestTensorVsParameter:
    def test_only_the_parameter_is_trained_and_only_the_plain_tensor_stays_behind(self):
        model = tensor_vs_parameter.FourKinds()
        assert list(dict(model.named_parameters())) == ["parameter"]
        assert list(dict(model.named_buffers())) == ["buffer", "temporary"]
        assert list(model.state_dict()) == ["parameter", "buffer"]
        model.to("meta")
        names = ("plain", "parameter", "buffer", "temporary")
        assert [getattr(model, name).is_meta for name in names] == [False, True, True, True]
        assert [getattr(model, name).requires_grad for name in names] == [False, True, False, False]

    def test_nn_buffer_registers_by_assignment(self):
        model = nn.Module()
        model.saved, model.temporary = nn.Buffer(torch.ones(2)), nn.Buffer(torch.ones(2), persistent=False)
        assert len(list(model.buffers())) == 2 and list(model.state_dict()) == ["saved"]

    def test_a_dtype_reaches_floating_point_buffers_only(self):
        norm = nn.BatchNorm1d(2).half()
        assert norm.running_mean.dtype == torch.float16 and norm.num_batches_tracked.dtype == torch.int64

    @pytest.mark.filterwarnings("ignore:Casting complex values to real")
    @pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
    def test_to_a_real_dtype_drops_the_imaginary_part_of_a_complex_buffer(self, dtype):
        def model():
            made = nn.Module()
            made.register_buffer("turn", torch.full((2,), 3 + 4j, dtype=torch.complex64))
            return made

        assert model().to(dtype).turn.tolist() == [3.0, 3.0] and model().to(dtype).turn.dtype == dtype
        for kept in (model().half(), model().double(), model().float()):
            assert kept.turn.tolist() == [3 + 4j, 3 + 4j]

    @pytest.mark.parametrize("persistent", [True, False])
    def test_a_non_persistent_buffer_stays_on_meta_after_loading(self, persistent):
        def build():
            inner = nn.Linear(2, 2)
            inner.register_buffer("mask", torch.ones(3, 3).tril(), persistent=persistent)
            return nn.Sequential(inner)

        state = build().state_dict()
        with torch.device("meta"):
            model = build()
        assert not any(model.load_state_dict(state, assign=True))
        assert not model[0].weight.is_meta and model[0].mask.is_meta is not persistent

    @pytest.mark.parametrize(
        ("make", "registered"),
        [
            (lambda p: p, True),
            (lambda p: p.float(), True),
            (lambda p: p.to("cpu"), True),
            (lambda p: p.to("meta"), False),
            (lambda p: p.half(), False),
            (lambda p: p * 1, False),
            (lambda p: p.T, False),
            (lambda p: p.clone(), False),
            (lambda p: p.detach().requires_grad_(), False),
        ],
    )
    def test_an_operation_on_a_parameter_returns_a_tensor_that_is_not_registered(self, make, registered):
        model = nn.Module()
        model.weight = make(nn.Parameter(torch.ones(2, 2)))
        assert ("weight" in dict(model.named_parameters())) is registered
        model.weight = nn.Parameter(torch.ones(2, 2, dtype=torch.float64) * 0.1)
        assert "weight" in model.state_dict()

    @pytest.mark.parametrize("value", [torch.ones(2), torch.ones(2, requires_grad=True), 1.0])
    def test_a_parameter_cannot_be_replaced_by_anything_else(self, value):
        model = tensor_vs_parameter.FourKinds()
        with pytest.raises(TypeError, match="cannot assign"):
            model.parameter = value

    @pytest.mark.parametrize("detach", [True, False])
    def test_a_kept_tensor_with_its_graph_cannot_be_copied(self, detach):
        model = nn.Linear(2, 2)
        output = model(torch.ones(1, 2))
        model.kept = output.detach() if detach else output
        if detach:
            assert torch.equal(copy.deepcopy(model).kept, output)
        else:
            with pytest.raises(RuntimeError, match="deepcopy"):
                copy.deepcopy(model)

    def test_unfreezing_reaches_a_frozen_parameter_but_no_buffer(self):
        model = tensor_vs_parameter.FourKinds()
        model.frozen = nn.Parameter(torch.zeros(2), requires_grad=False)
        assert "frozen" in dict(model.named_parameters()) and "frozen" in model.state_dict()
        model.requires_grad_(True)
        assert model.frozen.requires_grad and not model.buffer.requires_grad

    def test_assigning_to_a_buffer_keeps_it_a_buffer(self):
        model = tensor_vs_parameter.FourKinds()
        model.buffer = torch.full((5,), 3.0)
        assert model.state_dict()["buffer"].tolist() == [3.0] * 5

    @pytest.mark.parametrize("detach", [True, False])
    def test_the_running_mean_is_an_average_that_may_carry_a_graph(self, detach):
        center = tensor_vs_parameter_update_broken.Center(3, detach)
        x = torch.randn(6, 3, requires_grad=True)
        output = center(x)
        torch.testing.assert_close(center.mean, 0.1 * x.mean(dim=0))
        torch.testing.assert_close(output, x - center.mean)
        center(x)
        torch.testing.assert_close(center.mean, 0.19 * x.mean(dim=0))
        assert center.mean.requires_grad is not detach

    def test_in_eval_mode_the_running_mean_stays(self):
        center, x = tensor_vs_parameter_update_broken.Center(3, detach=True).eval(), torch.randn(6, 3) + 4
        assert torch.equal(center(x), x) and not center.mean.any()

    def test_a_buffer_with_a_graph_breaks_the_second_backward(self):
        for detach in (True, False):
            model = nn.Sequential(nn.Linear(3, 3), tensor_vs_parameter_update_broken.Center(3, detach))
            model(torch.randn(4, 3)).square().sum().backward()
            loss = model(torch.randn(4, 3)).square().sum()
            if detach:
                loss.backward()
            else:
                with pytest.raises(RuntimeError, match="backward through the graph a second time"):
                    loss.backward()

    @pytest.mark.parametrize("rows", [2, 9])
    def test_a_buffer_computed_from_data_carries_no_graph(self, rows):
        model = nn.Sequential(tensor_vs_parameter_update_broken.Center(3, detach=False), nn.Linear(3, 3))
        for _ in range(3):
            model(torch.randn(rows, 3)).square().sum().backward()
        assert not model[0].mean.requires_grad

    @pytest.mark.parametrize("persistent", [True, False])
    def test_a_persistent_mask_fixes_the_length(self, persistent):
        short, long = nn.Module(), nn.Module()
        for model, length in ((short, 4), (long, 6)):
            model.register_buffer("mask", torch.ones(length, length).tril(), persistent=persistent)
        if persistent:
            with pytest.raises(RuntimeError, match="size mismatch"):
                long.load_state_dict(short.state_dict(), strict=False)
        else:
            long.load_state_dict(short.state_dict())
            assert long.double().mask.shape == (6, 6) and long.mask.dtype == torch.float64

    @pytest.mark.parametrize("value", [300.0, -7.0])
    @pytest.mark.parametrize("register", [True, False])
    def test_plain_statistics_are_lost_and_strict_loading_accepts_it(self, register, value):
        model, restored = (tensor_vs_parameter_lost_broken.Center(register) for _ in range(2))
        model.mean = torch.tensor([value])
        result = restored.load_state_dict(model.state_dict(), strict=True)
        assert not result.missing_keys and not result.unexpected_keys
        x = torch.randn(4, 1)
        assert torch.equal(model(x), x - value)
        assert torch.equal(restored(x), x - value if register else x)
        assert list(model.state_dict()) == ["mean"] * register

    @pytest.mark.parametrize("wrong", [True, False])
    def test_weights_trained_behind_a_lost_mean_predict_nonsense_after_loading(self, wrong):
        torch.manual_seed(0)
        x = 300 + torch.randn(500, 1)
        y = (x[:, 0] > 300).long()
        model, restored = (
            nn.Sequential(tensor_vs_parameter_lost_broken.Center(not wrong), nn.Linear(1, 2)) for _ in range(2)
        )
        model[0].mean = x.mean(0)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        for _ in range(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        restored.load_state_dict(model.state_dict())
        right, loaded = ((m(x).argmax(1) == y).float().mean().item() for m in (model, restored))
        assert right > 0.95 and (loaded < 0.6 if wrong else loaded == right)

    @pytest.mark.parametrize("kind", ["parameter", "buffer"])
    def test_none_declares_a_name_without_a_tensor(self, kind):
        model = nn.Module()
        getattr(model, f"register_{kind}")("bias", None)
        assert model.bias is None and not list(model.state_dict())
        assert not list(model.parameters()) and not list(model.buffers())
        linear = nn.Linear(2, 2, bias=False)
        assert linear.bias is None and "bias" in linear._parameters and list(linear.state_dict()) == ["weight"]
