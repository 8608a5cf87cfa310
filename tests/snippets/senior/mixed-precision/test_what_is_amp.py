"""What docs/senior/mixed-precision/what-is-amp.md claims, proven beyond the example shown."""

import contextlib
import threading
import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

counting = load_snippet("senior/mixed-precision/what_is_amp_casts.py")
broken = load_snippet("senior/mixed-precision/what_is_amp_outer_broken.py")

LOW = [torch.bfloat16, torch.float16]


def autocast(dtype=torch.bfloat16, **options):
    return torch.autocast("cpu", dtype=dtype, **options)


class TestDtypes:
    @pytest.mark.parametrize("dtype", LOW)
    @pytest.mark.parametrize(
        "layer", [nn.Linear(6, 6), nn.Sequential(nn.Unflatten(1, (1, 6)), nn.Conv1d(1, 2, 3), nn.Flatten())]
    )
    def test_outputs_are_16_bit_and_loss_parameters_gradients_and_state_float32(self, layer, dtype):
        optimizer = torch.optim.Adam(layer.parameters())
        with autocast(dtype):
            output = layer(torch.randn(4, 6))
            loss = F.cross_entropy(output, torch.zeros(4, dtype=torch.long))
        loss.backward()
        optimizer.step()
        assert output.dtype == dtype and loss.dtype == torch.float32
        for parameter in layer.parameters():
            assert parameter.dtype == parameter.grad.dtype == torch.float32
            assert optimizer.state[parameter]["exp_avg_sq"].dtype == torch.float32

    def test_the_default_dtype_is_float16_on_cuda_and_bfloat16_on_a_cpu(self):
        assert torch.get_autocast_dtype("cuda") == torch.float16
        assert torch.get_autocast_dtype("cpu") == torch.bfloat16

    @pytest.mark.parametrize("dtype", LOW)
    def test_an_operation_on_no_list_runs_in_the_dtype_of_its_inputs(self, dtype):
        low, full = torch.ones(3, dtype=dtype), torch.ones(3)
        with autocast(dtype):
            for operation in (F.relu, F.gelu, torch.exp, lambda x: x + 1, lambda x: x.softmax(0), torch.sum):
                assert operation(low).dtype == dtype and operation(full).dtype == torch.float32
            assert (low + full).dtype == torch.float32

    def test_a_region_that_is_off_raises_until_its_inputs_are_float32(self):
        layer = nn.Linear(3, 3)
        with autocast():
            low = layer(torch.ones(1, 3))
            with autocast(enabled=False):
                with pytest.raises(RuntimeError, match="dtype"):
                    layer(low)
                assert layer(low.float()).dtype == torch.float32

    def test_in_place_operations_and_float64_are_left_alone(self):
        a = torch.ones(2, 2)
        with autocast():
            assert torch.zeros(2, 2).addmm_(a, a).dtype == torch.float32
            assert torch.mm(a, a, out=torch.empty(2, 2)).dtype == torch.float32
            assert (a.double() @ a.double()).dtype == torch.float64

    def test_a_thread_that_is_started_inside_runs_without_autocast(self):
        seen = []
        layer = nn.Linear(2, 2)
        with autocast():
            thread = threading.Thread(target=lambda: seen.append(layer(torch.ones(1, 2)).dtype))
            thread.start()
            thread.join()
            seen.append(layer(torch.ones(1, 2)).dtype)
        assert seen == [torch.float32, torch.bfloat16]

    def test_autocast_to_float32_warns_and_is_off(self):
        with pytest.warns(UserWarning, match="Disabling autocast"):
            region = autocast(torch.float32)
        with region:
            assert nn.Linear(2, 2)(torch.ones(1, 2)).dtype == torch.float32

    @pytest.mark.parametrize("dtype", LOW)
    def test_model_to_16_bits_makes_gradients_and_state_16_bits_too(self, dtype):
        model = nn.Linear(2, 2).to(dtype)
        optimizer = torch.optim.Adam(model.parameters(), eps=1e-4)
        model(torch.ones(1, 2, dtype=dtype)).sum().backward()
        optimizer.step()
        assert {model.weight.grad.dtype, optimizer.state[model.weight]["exp_avg"].dtype} == {dtype}

    @pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.AdamW])
    def test_a_float16_loop_is_the_loop_with_four_lines_of_a_scaler(self, kind):
        def train(dtype):
            torch.manual_seed(0)
            model, x = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1)), torch.ones(4, 4)
            optimizer = kind(model.parameters(), lr=0.01)
            scaler = torch.amp.GradScaler("cpu", init_scale=256.0, enabled=dtype == torch.float16)
            for _ in range(5):
                optimizer.zero_grad()
                with autocast(dtype, enabled=dtype != torch.float32):
                    loss = F.mse_loss(model(x), x[:, :1])
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
            return loss.item()

        assert train(torch.float16) == pytest.approx(train(torch.float32), rel=0.01)
        assert train(torch.float16) != train(torch.float32)

    def test_custom_fwd_and_bwd_restore_the_state_of_autocast(self):
        seen = []

        class Noted(torch.autograd.Function):
            @staticmethod
            @torch.amp.custom_fwd(device_type="cpu")
            def forward(ctx, x):
                seen.append(torch.is_autocast_enabled("cpu"))
                return x.clone()

            @staticmethod
            @torch.amp.custom_bwd(device_type="cpu")
            def backward(ctx, gradient):
                seen.append(torch.is_autocast_enabled("cpu"))
                return gradient

        with autocast():
            output = Noted.apply(torch.ones(2, requires_grad=True))
        output.sum().backward()
        assert seen == [True, True]


class TestCache:
    @pytest.mark.parametrize("calls", [1, 3])
    def test_weights_are_cast_once_per_region_and_inputs_once_per_call(self, calls):
        layer = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))

        def once():
            with autocast():
                for _ in range(calls):
                    layer(torch.ones(1, 2))

        assert counting.casts(once) == 4 + calls  # the second layer gets bfloat16

    def test_the_numbers_of_the_page(self):
        layer = nn.Linear(4, 4)
        assert counting.casts(lambda: counting.five_calls(layer)) == 7
        assert counting.casts(lambda: counting.five_calls(layer, cache=False)) == 15
        assert counting.casts(lambda: counting.five_regions(layer)) == 15
        assert counting.casts(lambda: counting.five_calls(layer.requires_grad_(False))) == 15

    @pytest.mark.parametrize("nested", [False, True])
    @pytest.mark.parametrize("grad", [False, True])
    def test_a_change_of_the_weights_inside_a_region_has_no_effect_until_it_ends(self, nested, grad):
        layer, x = nn.Linear(3, 3), torch.randn(2, 3)
        with autocast(), torch.set_grad_enabled(grad):
            before = layer(x)
            layer.load_state_dict({name: torch.zeros_like(p) for name, p in layer.state_dict().items()})
            with autocast() if nested else contextlib.nullcontext():
                assert torch.equal(layer(x), before)
        with autocast():
            assert not layer(x).any()

    def test_with_the_cache_off_or_frozen_weights_a_change_has_an_effect(self):
        for options, trained in (({"cache_enabled": False}, True), ({}, False)):
            layer, x = nn.Linear(3, 3).requires_grad_(trained), torch.randn(2, 3)
            with autocast(**options):
                assert layer(x).any()
                with torch.no_grad():
                    layer.weight.zero_()
                    layer.bias.zero_()
                assert not layer(x).any()

    @pytest.mark.parametrize("dtype", LOW)
    @pytest.mark.parametrize("enabled", [True, False])
    def test_a_region_around_the_loop_repeats_the_first_gradient_even_if_it_is_off(self, dtype, enabled):
        def losses(outer):
            torch.manual_seed(0)
            model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1))
            optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
            x, found = torch.ones(1, 4), []
            with outer:
                for _ in range(4):
                    optimizer.zero_grad()
                    with autocast(dtype):
                        loss = (model(x).float() - 5).square().mean()
                    loss.backward()
                    optimizer.step()
                    found.append(loss.item())
            return found

        right, stale = losses(contextlib.nullcontext()), losses(autocast(dtype, enabled=enabled))
        assert right == sorted(right, reverse=True) and len(set(right)) == 4
        assert stale == right[:1] * 4

    @pytest.mark.parametrize(
        ("whole_loop", "losses", "weights"),
        [(False, [1.0, 0.25, 0.0625, 0.0156], [0.5, 0.25, 0.125, 0.0625]), (True, [1.0] * 4, [0.5, 0.0, -0.5, -1.0])],
    )
    def test_in_the_broken_loop_the_weight_passes_zero_and_the_loss_stays(self, capsys, whole_loop, losses, weights):
        broken.train(whole_loop)
        rows = [[float(value) for value in line.split()] for line in capsys.readouterr().out.splitlines()]
        assert [row[1] for row in rows] == losses
        assert [row[2] for row in rows] == weights

    @pytest.mark.parametrize("dtype", LOW)
    @pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.AdamW])
    def test_after_a_step_inside_only_another_pass_in_the_same_region_uses_old_weights(self, kind, dtype):
        x = torch.ones(1, 3)

        def train(inside):
            torch.manual_seed(0)
            model, found = nn.Linear(3, 1), []
            optimizer = kind(model.parameters(), lr=0.1)
            for _ in range(3):
                optimizer.zero_grad()
                with autocast(dtype):
                    before = model(x)
                    loss = before.float().square().mean()
                    if inside:
                        loss.backward()
                        optimizer.step()
                        assert torch.equal(model(x), before)
                if not inside:
                    loss.backward()
                    optimizer.step()
                found.append(loss.item())
            return found

        assert train(inside=True) == train(inside=False) and len(set(train(inside=True))) == 3

    def test_after_a_pass_under_no_grad_the_weights_still_get_gradients(self):
        layer = nn.Linear(3, 3)
        with autocast():
            with torch.no_grad():
                layer(torch.ones(1, 3))
            layer(torch.ones(1, 3)).sum().backward()
        assert layer.weight.grad is not None and layer.bias.grad is not None


def test_the_old_names_warn():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.cpu.amp.autocast()
    assert any("deprecated" in str(each.message) for each in caught)
