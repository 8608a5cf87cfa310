"""What docs/senior/inference/inference-optimization.md claims, beyond the example shown."""

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

    @pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad])
    def test_an_encoder_layer_has_a_fast_path_without_gradients(self, monkeypatch, mode):
        layer, calls = nn.TransformerEncoderLayer(16, 2, batch_first=True).eval(), []
        fused = torch._transformer_encoder_layer_fwd
        monkeypatch.setattr(torch, "_transformer_encoder_layer_fwd", lambda *a: calls.append(1) or fused(*a))
        x = torch.ones(2, 3, 16)
        layer(x)
        assert not calls
        with mode():
            layer(x)
        assert calls == [1]
