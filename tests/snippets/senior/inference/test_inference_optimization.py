"""What docs/senior/inference/inference-optimization.md claims, beyond the example shown."""

import random

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

main = load_snippet("senior/inference/inference_optimization.py")


def gain(model, **change):
    return max(main.limits(*model).values()) / max(main.limits(*model, **change).values())


def limit(model, **change):
    times = main.limits(*model, **change)
    return max(times, key=times.get)


class TestInferenceOptimization:
    @pytest.mark.parametrize(
        ("model", "name"),
        [((70e9, 4096, 1600), "math"), ((70e9, 1, 1600), "memory"), ((5e6, 16, 100), "host")],
    )
    def test_a_long_prompt_a_next_token_and_a_small_model_have_three_limits(self, model, name):
        assert limit(model) == name

    @pytest.mark.parametrize("kernels", [500, 800])
    def test_four_bit_weights_gain_less_than_four_until_the_host_is_out_of_the_way(self, kernels):
        model = (8e9, 1, kernels)
        assert 1 < gain(model, bits=4) < 2 and limit(model, bits=4) == "host"
        assert gain(model, graph=True) == 1
        assert gain(model, bits=4, graph=True) == pytest.approx(4)

    @pytest.mark.parametrize("parameters", [8e9, 70e9])
    def test_a_lever_on_another_limit_gains_nothing(self, parameters):
        assert gain((parameters, 1, 640), math=2) == 1
        assert gain((parameters, 4096, 640), bits=4) == 1
        assert gain((22e6, 32, 150), bits=4) == gain((22e6, 32, 150), math=2) == 1

    @pytest.mark.parametrize("tokens", [8, 64])
    def test_more_tokens_in_a_pass_add_math_and_no_reads(self, tokens):
        one, many = main.limits(8e9, 1, 640), main.limits(8e9, tokens, 640)
        assert many["memory"] == one["memory"]
        assert many["math"] == pytest.approx(tokens * one["math"])

    @pytest.mark.parametrize("share", [0.5, 0.1])
    def test_a_smaller_model_helps_the_host_only_with_fewer_kernels(self, share):
        whole, small = main.limits(22e6, 32, 150), main.limits(22e6 * share, 32, 150)
        assert small["host"] == whole["host"] and small["memory"] < whole["memory"]
        assert main.limits(22e6 * share, 32, 150 * share)["host"] == pytest.approx(share * whole["host"])

    @pytest.mark.parametrize(("name", "parameters", "bandwidth"), [("half", 4e9, 1), ("faster memory", 8e9, 1.43)])
    def test_five_times_for_the_next_token_needs_fewer_reads_or_faster_ones(
        self, monkeypatch, name, parameters, bandwidth
    ):
        before = max(main.limits(8e9, 1, 640).values())
        assert before / max(main.limits(8e9, 1, 640, bits=4, graph=True).values()) < 5
        monkeypatch.setattr(main, "BANDWIDTH", bandwidth * main.BANDWIDTH)
        assert before / max(main.limits(parameters, 1, 640, bits=4, graph=True).values()) > 5

    def test_slower_kernels_or_times_that_add_up_change_the_gains(self, monkeypatch):
        before, after = main.limits(8e9, 1, 640), main.limits(8e9, 1, 640, graph=True)
        assert sum(before.values()) / sum(after.values()) == pytest.approx(1.7, abs=0.05)
        monkeypatch.setattr(main, "BANDWIDTH", 0.6 * main.BANDWIDTH)
        assert gain((8e9, 1, 640), bits=4) == pytest.approx(2.5, abs=0.05)
        assert gain((22e6, 32, 150), graph=True) < 35  # not 37.5

    @pytest.mark.parametrize(("batch", "faster"), [(1, 1.5), (512, 1)])
    def test_a_gain_for_one_request_can_be_gone_in_a_large_batch(self, batch, faster):
        assert gain((8e9, batch, 640), bits=4) == pytest.approx(faster, abs=0.01)

    @pytest.mark.parametrize(("between", "waits"), [(100, False), (22, True)])
    def test_a_faster_model_also_shortens_its_queue_so_it_can_gain_more_than_its_own_time(self, between, waits):
        def average(service):
            draw, wait, total = random.Random(0), 0.0, 0.0
            for _ in range(3000):
                total += wait + service
                wait = max(0.0, wait + service - draw.expovariate(1 / between))
            return total / 3000

        assert (average(20) - average(10) > 2 * 20) == waits  # 20 ms of model, then 10

    @pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad])
    @pytest.mark.parametrize(("first", "train"), [(True, False), (False, False), (True, True)])
    def test_an_encoder_layer_with_the_batch_first_has_a_fast_path_without_gradients(
        self, monkeypatch, mode, first, train
    ):
        layer, calls = nn.TransformerEncoderLayer(16, 2, batch_first=first).train(train), []
        fused = torch._transformer_encoder_layer_fwd
        monkeypatch.setattr(torch, "_transformer_encoder_layer_fwd", lambda *a: calls.append(1) or fused(*a))
        x = torch.ones(2, 3, 16)
        layer(x)
        assert not calls
        with mode():
            layer(x)
        assert calls == ([1] if first and not train else [])
