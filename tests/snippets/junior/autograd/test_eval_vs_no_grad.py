"""What docs/junior/autograd/eval-vs-no-grad.md claims, proven beyond the example shown."""

import copy
import functools

import pytest
import torch
import torch.utils.checkpoint
from torch import nn

from warmup.testing import load_snippet

eval_vs_no_grad = load_snippet("junior/autograd/eval_vs_no_grad_modes.py")
eval_vs_no_grad_broken = load_snippet("junior/autograd/eval_vs_no_grad_broken.py")
eval_vs_no_grad_input = load_snippet("junior/autograd/eval_vs_no_grad_input.py")


class TestEvalVsNoGrad:
    MODELS = {
        "both": lambda: nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.Dropout(0.5)),
        "dropout": lambda: nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.3), nn.Linear(64, 1)),
        "norm": lambda: nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8)),
        "neither": lambda: nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8)),
    }

    @pytest.mark.parametrize("name", MODELS)
    @pytest.mark.parametrize("training", [True, False])
    @pytest.mark.parametrize("grad", [True, False])
    def test_the_mode_decides_the_numbers_and_no_grad_decides_the_graph(self, name, training, grad):
        model = self.MODELS[name]().train(training)
        with torch.set_grad_enabled(grad):
            random, requires_grad, moved = eval_vs_no_grad.observe(model, torch.randn(32, 4))
        assert random == (training and name in ("both", "dropout"))
        assert requires_grad == grad
        assert moved == (training and name in ("both", "norm"))

    def test_no_grad_changes_no_digit_in_either_mode(self):
        model, x = self.MODELS["both"](), torch.randn(32, 4)
        for training in (True, False):
            copies = [copy.deepcopy(model).train(training) for _ in range(2)]
            torch.manual_seed(1)
            expected = copies[0](x)
            torch.manual_seed(1)
            with torch.no_grad():
                assert torch.equal(copies[1](x), expected)

    def test_eval_touches_only_the_flags_and_reaches_every_submodule(self):
        model = nn.Sequential(self.MODELS["both"](), nn.Sequential(nn.Dropout(0.1)))
        model[0][0].weight.requires_grad_(False)
        before = [(p.requires_grad, p.clone()) for p in model.parameters()]
        assert model.eval() is model
        assert not any(module.training for module in model.modules()) and torch.is_grad_enabled()
        for p, (flag, value) in zip(model.parameters(), before, strict=True):
            assert p.requires_grad == flag and torch.equal(p, value)
        assert all(module.training for module in model.train().modules())

    def test_gradients_reach_every_parameter_in_eval_mode(self):
        model = self.MODELS["both"]().eval()
        model(torch.randn(8, 4)).sum().backward()
        assert all(p.grad is not None for p in model.parameters())

    @pytest.mark.parametrize("features", [4, 5])
    def test_after_an_error_grad_mode_is_back_and_eval_mode_stays(self, features):
        model = self.MODELS["both"]()
        try:
            output = eval_vs_no_grad_broken.predict(model, torch.randn(3, features))
            assert not output.requires_grad
        except RuntimeError:
            assert features == 5
        assert torch.is_grad_enabled()
        assert all(module.training == (features == 4) for module in model.modules())
        model(torch.randn(8, 4)).sum().backward()
        assert model[0].weight.grad is not None

    def test_predict_repeats_and_wakes_a_layer_that_was_in_eval_mode_on_purpose(self):
        model, x = self.MODELS["both"](), torch.randn(3, 4)
        model[1].eval()
        assert torch.equal(eval_vs_no_grad_broken.predict(model, x), eval_vs_no_grad_broken.predict(model, x))
        assert model[1].training

    @pytest.mark.parametrize("activation", ["relu", "gelu"])
    def test_an_encoder_layer_takes_the_fast_path_in_eval_mode_if_there_is_nothing_to_record(
        self, monkeypatch, activation
    ):
        fused, calls = torch._transformer_encoder_layer_fwd, []
        monkeypatch.setattr(torch, "_transformer_encoder_layer_fwd", lambda *args: calls.append(1) or fused(*args))
        layer = nn.TransformerEncoderLayer(16, 2, 32, activation=activation, batch_first=True)
        taken = set()
        for training in (True, False):
            for grad in (True, False):
                for weights in (True, False):
                    for data in (True, False):
                        calls.clear()
                        x = torch.randn(2, 5, 16, requires_grad=data)
                        with torch.set_grad_enabled(grad):
                            layer.train(training).requires_grad_(weights)(x)
                        if calls:
                            taken.add((training, grad, weights, data))
        in_no_grad = {(False, False, weights, data) for weights in (True, False) for data in (True, False)}
        assert taken == in_no_grad | {(False, True, False, False)}

    @pytest.mark.parametrize("how", ["prediction", "train"])
    def test_dropout_comes_back_with_the_next_prediction_that_succeeds_or_with_train(self, how):
        model = self.MODELS["dropout"]()
        with pytest.raises(RuntimeError):
            eval_vs_no_grad_broken.predict(model, torch.randn(3, 5))
        assert not model[1].training
        model.train() if how == "train" else eval_vs_no_grad_broken.predict(model, torch.randn(3, 4))
        assert model[1].training

    def test_dropout_alone_in_train_mode_samples_and_moves_no_statistics(self):
        model = self.MODELS["both"]().eval()
        x = torch.randn(8, 4)
        for only_dropout in (True, False):
            model.train(not only_dropout)
            model[2].train()
            with torch.no_grad():
                random, _, moved = eval_vs_no_grad.observe(model, x)
            assert random and moved == (not only_dropout)

    DROPOUT = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout)

    def differs(self, model, x, grad=False):
        with torch.set_grad_enabled(grad):
            return not torch.equal(model(x), model(x))

    def test_every_dropout_module_is_in_the_list(self):
        torch.manual_seed(0)
        x = torch.randn(2, 8, 4, 4)
        for kind in self.DROPOUT:
            shape = x[0] if kind is nn.Dropout1d else x.unsqueeze(2) if kind is nn.Dropout3d else x
            assert self.differs(kind(0.5), shape) and not self.differs(kind(0.5).eval(), shape)
            assert isinstance(kind(), nn.Dropout) == (kind is nn.Dropout)
        found = {kind for kind in vars(nn).values() if isinstance(kind, type) and "Dropout" in kind.__name__}
        assert found == set(self.DROPOUT)

    @pytest.mark.parametrize("kind", ["layer", "encoder"])
    def test_the_fused_path_skips_dropout_in_train_mode_until_the_layer_itself_is_in_train_mode(self, kind):
        torch.manual_seed(0)
        model = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.5, batch_first=True)
        if kind == "encoder":
            model = nn.TransformerEncoder(model, 2, enable_nested_tensor=False)
        model.eval()
        for module in model.modules():
            if isinstance(module, nn.Dropout):
                module.train()
        x = torch.randn(2, 3, 16)
        assert not self.differs(model, x) and self.differs(model, x, grad=True)
        for module in model.modules():
            if isinstance(module, nn.TransformerEncoderLayer):
                module.train()
        assert self.differs(model, x)

    @pytest.mark.parametrize("layer", ["lstm", "attention"])
    def test_lstm_and_attention_apply_dropout_without_a_dropout_module(self, layer):
        torch.manual_seed(0)
        model, x = nn.LSTM(4, 4, num_layers=2, dropout=0.5), torch.randn(3, 2, 4)
        if layer == "attention":
            model = nn.MultiheadAttention(4, 2, dropout=0.5)
        assert not any(isinstance(module, self.DROPOUT) for module in model.modules())
        for training in (True, False):
            model.train(training)
            inputs = (x, x, x) if layer == "attention" else (x,)
            assert torch.equal(model(*inputs)[0], model(*inputs)[0]) == (not training)

    @pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
    @pytest.mark.parametrize("nested", [True, False])
    def test_the_fast_path_of_an_encoder_zeros_padding_and_agrees_elsewhere(self, nested):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=nested).eval()
        x, pad = torch.randn(2, 5, 16), torch.arange(5) >= torch.tensor([[5], [3]])
        recorded = model(x, src_key_padding_mask=pad)
        with torch.no_grad():
            fast = model(x, src_key_padding_mask=pad)
        assert torch.allclose(fast[~pad], recorded[~pad], atol=1e-5)
        assert bool((fast[pad] == 0).all()) == nested and not (recorded[pad] == 0).any()

    @pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
    @pytest.mark.parametrize("at_the_end", [True, False])
    def test_only_padding_at_the_ends_is_overwritten_and_a_final_norm_adds_its_bias(self, at_the_end):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        model = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(16)).eval()
        nn.init.constant_(model.norm.bias, 0.5)
        x, pad = torch.randn(2, 5, 16), torch.arange(5) >= torch.tensor([[5], [3]])
        pad = pad if at_the_end else pad.flip(1)
        recorded = model(x, src_key_padding_mask=pad)
        with torch.no_grad():
            fast = model(x, src_key_padding_mask=pad)
        assert torch.allclose(fast[~pad], recorded[~pad], atol=1e-5)
        assert bool((fast[pad] == 0.5).all()) == at_the_end
        assert torch.allclose(fast[pad], recorded[pad], atol=1e-5) == (not at_the_end)

    @pytest.mark.parametrize("activation", ["relu", "gelu"])
    def test_the_fused_path_calls_the_operation_that_approximates_gelu_on_a_gpu(self, activation):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(64, 4, dropout=0.0, activation=activation, batch_first=True).eval()
        x = torch.randn(8, 16, 64)
        with torch.no_grad(), torch.profiler.profile() as profile:
            fast = layer(x)
        assert "aten::_addmm_activation" in {event.key for event in profile.key_averages()}
        recorded = layer(x)
        assert torch.allclose(fast, recorded, atol=1e-5)
        if activation == "gelu":
            layer.activation = functools.partial(nn.functional.gelu, approximate="tanh")
            assert 1e-5 < (layer(x) - recorded).abs().max() < 1e-2

    @pytest.mark.parametrize("in_the_head", [0.5, 0.0])
    def test_two_predictions_differ_by_dropout_in_the_head_while_the_encoder_layer_has_none(self, in_the_head):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.5, batch_first=True)
        model = nn.Sequential(layer, nn.Dropout(in_the_head)).eval()
        for module in model.modules():
            if isinstance(module, self.DROPOUT):
                module.train()
        x = torch.randn(2, 3, 16)
        assert not self.differs(layer, x) and self.differs(model, x) == (in_the_head > 0)

    @pytest.mark.parametrize("covered", [True, False])
    def test_a_sample_that_is_all_padding_is_nan_on_the_fast_path_of_a_layer_only(self, covered):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True).eval()
        x, pad = torch.randn(2, 5, 16), torch.arange(5) >= torch.tensor([[5], [0 if covered else 3]])
        recorded = layer(x, src_key_padding_mask=pad)
        with torch.no_grad():
            fast = layer(x, src_key_padding_mask=pad)
        assert not recorded.isnan().any() and fast[1].isnan().any() == covered
        assert torch.allclose(fast[~pad], recorded[~pad], atol=1e-5)

    @pytest.mark.parametrize("left", [1, 3])
    @pytest.mark.parametrize("norm_first", [False, True])
    def test_left_padding_under_a_causal_mask_is_nan_on_the_fast_path_of_a_layer(self, left, norm_first):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, norm_first=norm_first).eval()
        x, pad = torch.randn(2, 5, 16), torch.arange(5) < torch.tensor([[left], [0]])
        causal = torch.ones(5, 5, dtype=torch.bool).triu(1)
        recorded = layer(x, src_mask=causal, src_key_padding_mask=pad)
        with torch.no_grad():
            fast = layer(x, src_mask=causal, src_key_padding_mask=pad)
        assert not recorded.isnan().any() and torch.equal(fast.isnan().all(dim=-1), pad)
        assert torch.allclose(fast[~pad], recorded[~pad], atol=1e-5)

    @pytest.mark.parametrize("covered", [True, False])
    def test_attention_alone_takes_a_fast_path_that_is_nan_for_a_sample_that_is_all_padding(self, covered):
        torch.manual_seed(0)
        attention = nn.MultiheadAttention(16, 2, batch_first=True).eval()
        x, pad = torch.randn(2, 5, 16), torch.arange(5) >= torch.tensor([[5], [0 if covered else 3]])
        recorded, _ = attention(x, x, x, key_padding_mask=pad, need_weights=False)
        with torch.no_grad():
            fast, _ = attention(x, x, x, key_padding_mask=pad, need_weights=False)
        assert not recorded.isnan().any() and fast[1].isnan().any() == covered
        assert torch.allclose(fast[0], recorded[0], atol=1e-5)

    def test_layers_other_than_dropout_and_batch_norm_read_the_flag(self):
        torch.manual_seed(0)
        x = torch.randn(8, 4)
        # So wide that its power iteration has not converged: then train mode changes the norm at each call.
        normed = nn.utils.parametrizations.spectral_norm(nn.Linear(64, 64))
        for model, inputs in ((nn.RReLU(), x), (normed, torch.randn(8, 64))):
            assert self.differs(model.train(), inputs) and not self.differs(model.eval(), inputs)
        assert not self.differs(nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4)).train(), x)

    def test_an_input_gradient_repeats_in_eval_mode_only(self):
        model, x = self.MODELS["dropout"](), torch.randn(2, 4)
        gradients = [eval_vs_no_grad_input.input_gradient(model, x, 0) for _ in range(2)]
        assert not torch.equal(*gradients)
        model.eval()
        gradients = [eval_vs_no_grad_input.input_gradient(model, x, 0) for _ in range(2)]
        assert torch.equal(*gradients) and gradients[0].shape == x.shape and not x.requires_grad
        assert all(p.grad is None for p in model.parameters())

    def test_an_input_gradient_is_the_slope_of_the_chosen_logit(self):
        model, x = nn.Linear(4, 3), torch.randn(2, 4)
        for label in range(3):
            expected = model.weight[label].detach().expand(2, 4)
            torch.testing.assert_close(eval_vs_no_grad_input.input_gradient(model, x, label), expected)

    def test_update_bn_works_in_train_mode_without_a_graph(self):
        model = self.MODELS["norm"]().eval()
        seen = []
        model[1].register_forward_hook(lambda module, _, output: seen.append((module.training, output.requires_grad)))
        torch.optim.swa_utils.update_bn([torch.randn(8, 4) + 5], model)
        assert seen == [(True, False)] and not model.training
        assert model[1].running_mean.any()

    def test_a_functional_dropout_without_the_flag_stays_active_and_shows_in_no_list(self):
        class Model(nn.Module):
            def forward(self, x):
                return nn.functional.dropout(x)

        model = Model().eval()
        assert [name for name, module in model.named_modules() if module.training] == []
        assert (model(torch.ones(1000)) == 0).any()
