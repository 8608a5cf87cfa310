"""What docs/junior/tensors/move-to-gpu.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn


class TestMoveToGpu:
    @pytest.mark.parametrize("seed", [1, 2])
    def test_the_loop_trains_in_place_on_whatever_device_there_is(self, seed):
        torch.manual_seed(seed)
        device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
        model = nn.Linear(2, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x in torch.randn(60, 32, 2):
            x, y = x.to(device), (3 * x[:, :1] - 1).to(device)
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        torch.testing.assert_close(model.weight.cpu(), torch.tensor([[3.0, 0.0]]), rtol=0, atol=0.05)

    @pytest.mark.parametrize("target", ["meta", torch.float64])
    def test_a_module_moves_in_place_and_a_tensor_does_not(self, target):
        model, x = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), torch.ones(2)
        assert model.to(target) is model and x.to(target) is not x
        assert (x.device.type, x.dtype) == ("cpu", torch.float32)
        floating = [t for t in model.state_dict().values() if t.is_floating_point()]
        assert all(t.device.type == target or t.dtype == target for t in floating) and len(floating) == 6

    def test_a_tensor_that_is_already_there_is_returned_itself(self):
        x = torch.ones(2)
        assert x.to("cpu") is x

    def test_everyone_who_holds_the_model_sees_the_move(self):
        model, x = nn.Linear(2, 2), torch.ones(2)
        same_model, same_x = model, x
        model, x = model.to("meta"), x.to("meta")
        assert same_model.weight.is_meta and not same_x.is_meta

    @pytest.mark.parametrize("target", ["meta", torch.float64])
    def test_a_kept_buffer_does_not_see_the_move(self, target):
        layer = nn.BatchNorm1d(2)
        kept, holder = layer.running_mean, [layer]
        layer.to(target)
        assert layer.running_mean is not kept and kept.device.type == "cpu" and kept.dtype == torch.float32
        assert holder[0].running_mean is layer.running_mean

    @pytest.mark.parametrize("forgotten", ["nothing", "model", "x"])
    def test_a_forgotten_model_or_input_raises_in_the_forward_pass(self, forgotten):
        model, x = nn.Linear(3, 1), torch.ones(4, 3)
        model = model if forgotten == "model" else model.to("meta")
        x = x if forgotten == "x" else x.to("meta")
        if forgotten == "nothing":
            assert model(x).is_meta
        else:
            with pytest.raises(RuntimeError, match="Tensor on device (cpu|meta) is not on the expected device"):
                model(x)

    def test_a_forgotten_target_raises_in_the_loss_only(self):
        output = nn.Linear(3, 1).to("meta")(torch.ones(4, 3, device="meta"))
        for loss in (F.mse_loss, F.l1_loss, F.binary_cross_entropy_with_logits):
            with pytest.raises(RuntimeError, match="device"):
                loss(output, torch.ones(4, 1))

    def test_class_weights_meet_the_output_in_the_loss(self):
        logits, targets = torch.ones(4, 3, device="meta"), torch.zeros(4, dtype=torch.int64, device="meta")
        criterion = nn.CrossEntropyLoss(weight=torch.ones(3))
        with pytest.raises(RuntimeError, match="device"):
            criterion(logits, targets)
        assert criterion.to("meta")(logits, targets).is_meta

    @pytest.mark.parametrize("operation", [torch.add, torch.mul, torch.pow, torch.maximum])
    def test_only_a_scalar_from_the_cpu_may_join_and_not_the_other_way_round(self, operation):
        on_device = torch.ones(3, device="meta")
        assert operation(on_device, torch.tensor(2.0)).is_meta and operation(torch.tensor(2.0), on_device).is_meta
        with pytest.raises(RuntimeError, match="device"):
            operation(on_device, torch.tensor([2.0]))
        with pytest.raises(RuntimeError, match="device"):
            operation(torch.ones(3), torch.tensor(2.0, device="meta"))

    def test_elementwise_operations_take_a_cpu_scalar_and_others_do_not(self):
        on_device, scalar = torch.ones(3, device="meta"), torch.tensor(2.0)
        for result in (
            torch.where(on_device > 0, on_device, scalar),
            torch.lerp(on_device, on_device, scalar),
            torch.clamp(on_device, scalar),
        ):
            assert result.is_meta
        for refused in (
            lambda: torch.stack([on_device[0], scalar]),
            lambda: F.prelu(on_device, scalar),
            lambda: torch.cat([on_device, scalar.reshape(1)]),
        ):
            with pytest.raises(RuntimeError, match="device"):
                refused()

    def test_an_index_may_stay_on_the_cpu_and_copy_crosses_devices(self):
        on_device = torch.ones(3, device="meta")
        assert on_device[torch.tensor([0, 2])].shape == (2,) and on_device[torch.tensor([True, False, True])].is_meta
        assert on_device.copy_(torch.ones(3)) is on_device
        other = torch.zeros(2, dtype=torch.float64)
        assert other.copy_(torch.ones(2, dtype=torch.float32)).tolist() == [1, 1]

    @pytest.mark.parametrize("optimizer_type", [torch.optim.SGD, torch.optim.AdamW])
    def test_an_optimizer_built_before_the_move_still_trains_the_model(self, optimizer_type):
        model = nn.Linear(2, 1)
        optimizer = optimizer_type(model.parameters(), lr=0.1)
        model.to(torch.float64)
        before = model.weight.detach().clone()
        model(torch.ones(1, 2, dtype=torch.float64)).sum().backward()
        optimizer.step()
        assert not torch.equal(model.weight, before)

    @pytest.mark.parametrize(
        ("optimizer_type", "options", "name"),
        [(torch.optim.SGD, {"momentum": 0.9}, "momentum_buffer"), (torch.optim.AdamW, {}, "exp_avg")],
    )
    def test_its_state_stays_behind_until_it_is_loaded(self, optimizer_type, options, name):
        model = nn.Linear(2, 1)
        optimizer = optimizer_type(model.parameters(), lr=0.1, **options)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        model.to(torch.float64)
        assert optimizer.state[model.weight][name].dtype == torch.float32
        optimizer.load_state_dict(optimizer.state_dict())
        assert optimizer.state[model.weight][name].dtype == torch.float64

    def test_meta_replaces_the_parameter_objects(self):
        model = nn.Linear(2, 1)
        weight = model.weight
        assert model.to(torch.float64).weight is weight
        assert model.to("meta").weight is not weight

    def test_a_plain_tensor_and_a_tensor_made_in_forward_stay_on_the_cpu(self):
        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.plain = torch.ones(3)
                self.register_buffer("registered", torch.ones(3))

            def forward(self, x):
                return x + torch.zeros(3)

        model, x = Scale().to("meta"), torch.ones(3, device="meta")
        assert not model.plain.is_meta and model.registered.is_meta
        with pytest.raises(RuntimeError, match="device"):
            model(x)
        assert (x + torch.zeros(3, device=x.device)).is_meta

    def test_a_moved_weight_is_no_leaf_and_the_gradient_goes_to_the_original(self):
        original = torch.ones(3, requires_grad=True)
        assert original.to("cpu") is original and not original.to("meta").is_leaf
        moved = original.to(torch.float64)
        moved.sum().backward()
        with pytest.warns(UserWarning, match="not a leaf"):
            assert moved.grad is None
        assert original.grad.tolist() == [1, 1, 1]
        assert torch.ones(3, requires_grad=True, device="meta").is_leaf
        for result in (moved, original.to("meta")):
            with pytest.raises(ValueError, match="can't optimize a non-leaf Tensor"):
                torch.optim.SGD([result], lr=0.1)

    @pytest.mark.parametrize("bias", [True, False])
    def test_on_meta_the_bias_is_compared_and_the_product_is_not(self, bias):
        layer = nn.Linear(3, 2, bias=bias)
        if bias:
            with pytest.raises(RuntimeError, match="device"):
                layer(torch.ones(4, 3, device="meta"))
        else:
            assert layer(torch.ones(4, 3, device="meta")).is_meta

    @pytest.mark.parametrize("loss", [F.mse_loss, F.cross_entropy, "indexed by hand"])
    def test_a_forgotten_target_raises_in_losses_of_torch_and_not_as_an_index(self, loss):
        log_p = torch.zeros(4, 3, device="meta").log_softmax(1)
        if loss == "indexed by hand":
            target = torch.tensor([0, 1, 2, 0])
            assert (-log_p[torch.arange(4), target]).mean().is_meta
        else:
            with pytest.raises(RuntimeError, match="device"):
                loss(log_p, torch.full((4, 3), 1 / 3))
