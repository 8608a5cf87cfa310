"""What docs/junior/saving/save-and-load.md claims, proven beyond the example shown."""

import io
import os
import pathlib
import pickle

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present

from warmup.testing import load_snippet

round_trip = load_snippet("junior/saving/save_and_load_pair.py")
unsafe = load_snippet("junior/saving/save_and_load_broken.py")
portable = load_snippet("junior/saving/save_and_load_portable_broken.py")


class TestSaveAndLoad:
    @pytest.mark.parametrize("config", [{"heads": 1, "dropout": 0.1}, {"heads": 4, "dropout": 0.5}])
    def test_load_gives_the_model_that_was_saved_in_eval_mode(self, tmp_path, config):
        trained = round_trip.Encoder(**config)
        round_trip.save(trained, config, tmp_path / "model.pt")
        assert trained.training
        restored = round_trip.load(tmp_path / "model.pt")
        assert not any(module.training for module in restored.modules())
        assert restored.layer.self_attn.num_heads == config["heads"]
        assert restored.layer.dropout.p == config["dropout"]
        x = torch.randn(3, 6, 8)
        assert torch.equal(restored(x), trained.eval()(x))

    def test_load_raises_where_the_weights_do_not_fit_the_configuration(self, tmp_path):
        torch.save(
            {"config": {"heads": 2, "dropout": 0.1}, "model": nn.Linear(2, 2).state_dict()}, tmp_path / "model.pt"
        )
        with pytest.raises(RuntimeError, match="Missing key"):
            round_trip.load(tmp_path / "model.pt")

    def test_load_builds_nothing_but_what_is_safe(self, tmp_path, capsys):
        torch.save({"config": {"heads": 2, "dropout": 0.1}, "model": unsafe.RunsCode()}, tmp_path / "model.pt")
        with pytest.raises(pickle.UnpicklingError):
            round_trip.load(tmp_path / "model.pt")
        assert capsys.readouterr().out == ""

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (nn.Sequential(nn.Linear(4, 4), nn.ReLU()), nn.Sequential(nn.Linear(4, 4), nn.GELU())),
            (nn.LayerNorm(4, eps=1e-5), nn.LayerNorm(4, eps=0.5)),
            (nn.MultiheadAttention(8, 2), nn.MultiheadAttention(8, 4)),
        ],
    )
    def test_strict_loading_sees_only_names_and_shapes(self, one, other):
        other.load_state_dict(one.state_dict(), strict=True)
        width = 8 if isinstance(one, nn.MultiheadAttention) else 4
        x = torch.randn(3, 5, width)
        outputs = [model(x, x, x)[0] if width == 8 else model(x) for model in (one, other)]
        assert not torch.allclose(*outputs, atol=1e-4)

    def test_a_config_that_leaves_out_an_argument_does_not_build(self, tmp_path):
        torch.save({"config": {"heads": 2}, "model": round_trip.Encoder(2, 0.1).state_dict()}, tmp_path / "model.pt")
        with pytest.raises(TypeError, match="dropout"):
            round_trip.load(tmp_path / "model.pt")

    @pytest.mark.parametrize(("saved", "loaded"), [(torch.float64, torch.float32), (torch.float32, torch.bfloat16)])
    def test_strict_loading_does_not_see_the_dtype_and_converts(self, saved, loaded):
        model, weights = nn.Linear(2, 2, dtype=loaded), nn.Linear(2, 2, dtype=saved).state_dict()
        model.load_state_dict(weights)
        assert model.weight.dtype == loaded and torch.equal(model.weight, weights["weight"].to(loaded))

    def test_one_element_loads_into_a_scalar_and_not_the_other_way_round(self):
        class Scale(nn.Module):
            def __init__(self, shape):
                super().__init__()
                self.scale = nn.Parameter(torch.randn(shape))

        scalar, vector = Scale(()), Scale((1,))
        scalar.load_state_dict(vector.state_dict())
        assert scalar.scale.shape == () and scalar.scale.item() == vector.scale.item()
        with pytest.raises(RuntimeError, match="size mismatch"):
            vector.load_state_dict(scalar.state_dict())

        for shape in ((3,), (0,), (1, 1)):
            with pytest.raises(RuntimeError, match="size mismatch"):
                scalar.load_state_dict({"scale": torch.ones(shape)})

    @pytest.mark.parametrize("features", [3, 7])
    def test_a_lazy_layer_takes_the_shapes_of_the_file(self, features):
        layer = nn.LazyLinear(2)
        layer.load_state_dict(nn.Linear(features, 2).state_dict())
        assert layer.weight.shape == (2, features)

    @pytest.mark.parametrize("value", [2, "gelu", 0.5, None, True, [1, 2], {"a": (1, 2)}])
    def test_a_plain_config_loads(self, tmp_path, value):
        torch.save({"config": {"argument": value}}, tmp_path / "model.pt")
        assert torch.load(tmp_path / "model.pt", weights_only=True) == {"config": {"argument": value}}

    @pytest.mark.parametrize("value", [np.int64(2), nn.ReLU, nn.functional.relu, pathlib.PurePosixPath("x")])
    def test_a_config_of_numpy_numbers_classes_or_functions_does_not_load(self, tmp_path, value):
        config = {"heads": 2, "dropout": 0.1, "argument": value}
        round_trip.save(round_trip.Encoder(2, 0.1), config, tmp_path / "model.pt")
        with pytest.raises(pickle.UnpicklingError):
            round_trip.load(tmp_path / "model.pt")

    def test_every_class_of_a_pickled_model_must_be_allowed(self):
        file = io.BytesIO()
        torch.save(nn.Sequential(nn.Linear(2, 2), nn.ReLU()), file)
        for classes in ([nn.Sequential], [nn.Sequential, nn.Linear, nn.ReLU]):
            file.seek(0)
            with torch.serialization.safe_globals(classes):
                if len(classes) == 3:
                    assert isinstance(torch.load(file), nn.Sequential)
                else:
                    with pytest.raises(pickle.UnpicklingError):
                        torch.load(file)

    @pytest.mark.parametrize("layer", [nn.TransformerEncoderLayer(4, 2, 8), nn.TransformerDecoderLayer(4, 2, 8)])
    def test_functions_of_a_pickled_model_must_be_allowed_too(self, layer):
        file = io.BytesIO()
        torch.save(layer, file)
        file.seek(0)
        assert "torch.nn.functional.relu" in torch.serialization.get_unsafe_globals_in_checkpoint(file)
        classes = list({type(module) for module in layer.modules()})
        for allowed in (classes, [*classes, torch.nn.functional.relu]):
            file.seek(0)
            with torch.serialization.safe_globals(allowed):
                if allowed is classes:
                    with pytest.raises(pickle.UnpicklingError, match="functional.relu"):
                        torch.load(file)
                else:
                    assert type(torch.load(file)) is type(layer)

    def test_outputs_in_eval_mode_do_not_see_another_dropout_and_do_see_other_heads(self):
        x, weights = torch.randn(1, 5, 8), round_trip.Encoder(2, 0.1).state_dict()
        outputs = []
        for heads, dropout in ((2, 0.1), (2, 0.5), (4, 0.1)):
            model = round_trip.Encoder(heads, dropout)
            model.load_state_dict(weights)
            outputs.append(model.eval()(x))
        assert torch.equal(outputs[0], outputs[1]) and not torch.allclose(outputs[0], outputs[2])

    def test_another_number_of_threads_gives_other_bits(self):
        threads, x = torch.get_num_threads(), torch.randn(10, 100_003)
        sums = []
        try:
            for count in (1, 1, 2):
                torch.set_num_threads(count)
                sums.append([row.sum().item() for row in x])
        finally:
            torch.set_num_threads(threads)
        assert sums[0] == sums[1] != sums[2]

    @pytest.mark.parametrize("strict", [True, False])
    def test_a_load_that_raises_has_copied_what_fits(self, strict):
        model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 3), nn.Linear(3, 3))
        other = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 4), nn.Linear(3, 3))
        before = model[1].weight.clone()
        with pytest.raises(RuntimeError, match="size mismatch"):
            model.load_state_dict(other.state_dict(), strict=strict)
        assert torch.equal(model[0].weight, other[0].weight) and torch.equal(model[2].weight, other[2].weight)
        assert torch.equal(model[1].weight, before)

    @pytest.mark.parametrize("classes", [2, 7])
    def test_without_the_old_head_the_rest_loads_and_only_the_new_head_is_missing(self, classes):
        old = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 5))
        new = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, classes))
        weights = {name: tensor for name, tensor in old.state_dict().items() if not name.startswith("2.")}
        missing, unexpected = new.load_state_dict(weights, strict=False)
        assert missing == ["2.weight", "2.bias"] and not unexpected
        assert torch.equal(new[0].weight, old[0].weight)

    def test_loading_weights_leaves_the_mode_alone(self):
        for training in (True, False):
            model = nn.Dropout().train(training)
            model.load_state_dict(nn.Dropout().train(not training).state_dict())
            assert model.training is training

    @pytest.mark.parametrize("model", [nn.Linear(3, 3), nn.Sequential(nn.Conv2d(1, 1, 1)), round_trip.Encoder(2, 0.1)])
    def test_a_pickled_model_does_not_load_by_default_and_its_state_dict_does(self, model):
        for default in (None, True):
            assert unsafe.load(model, default) == "UnpicklingError: Weights only load failed"
            assert unsafe.load(model.state_dict(), default) == "OrderedDict"
        assert unsafe.load(model, weights_only=False) == type(model).__name__

    def test_code_in_a_file_runs_only_in_an_unsafe_load(self, capsys):
        assert unsafe.load(unsafe.RunsCode(), weights_only=True).startswith("UnpicklingError")
        assert capsys.readouterr().out == ""
        unsafe.load(unsafe.RunsCode(), weights_only=False)
        assert "code from the file is running" in capsys.readouterr().out

    def test_a_class_can_be_allowed_by_name(self):
        file = io.BytesIO()
        torch.save(nn.Identity(), file)
        with torch.serialization.safe_globals([nn.Identity, set]):
            file.seek(0)
            assert isinstance(torch.load(file), nn.Identity)
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError):
            torch.load(file)

    def test_strict_false_forgives_names_and_not_shapes(self):
        weights = nn.Linear(4, 2).state_dict()
        assert portable.load_report(nn.Linear(4, 2), weights, strict=False) == "no error, 2 of 2 tensors changed"
        for strict in (True, False):
            assert "size mismatch" in portable.load_report(nn.Linear(5, 2), weights, strict)
        wrapped = nn.Sequential(nn.Linear(4, 2))
        assert "Missing key" in portable.load_report(wrapped, weights, strict=True)
        assert portable.load_report(wrapped, weights, strict=False) == "no error, 0 of 2 tensors changed"
        bias_only = {"bias": torch.ones(2)}
        assert portable.load_report(nn.Linear(4, 2), bias_only, strict=False) == "no error, 1 of 2 tensors changed"

    def test_load_state_dict_returns_the_names_that_did_not_meet(self):
        body, model = nn.Sequential(nn.Linear(2, 2)), nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 3))
        missing, unexpected = model.load_state_dict({**body.state_dict(), "old": torch.ones(1)}, strict=False)
        assert missing == ["1.weight", "1.bias"] and unexpected == ["old"]

    @pytest.mark.parametrize("prefix", ["module.", "_orig_mod."])
    def test_a_wrappers_prefix_can_be_taken_off(self, prefix):
        weights = nn.Linear(2, 2).state_dict()
        prefixed = {prefix + name: tensor for name, tensor in weights.items()}
        consume_prefix_in_state_dict_if_present(prefixed, prefix)
        assert list(prefixed) == list(weights)

    def test_the_prefix_of_one_compiled_layer_is_inside_the_names(self):
        model = nn.Sequential(torch.compile(nn.Linear(2, 2)), nn.Linear(2, 2))
        state = model.state_dict()
        assert list(state)[0] == "0._orig_mod.weight"
        consume_prefix_in_state_dict_if_present(state, "_orig_mod.")
        assert list(state)[0] == "0._orig_mod.weight"
        plain = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
        plain.load_state_dict({name.replace("_orig_mod.", ""): value for name, value in state.items()})
        assert torch.equal(plain[0].weight, model[0].weight)

    def test_a_complete_load_after_one_that_raised_leaves_no_mixture(self):
        model, good = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 3)), nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 3))
        with pytest.raises(RuntimeError):
            model.load_state_dict(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 4)).state_dict())
        model.load_state_dict(good.state_dict())
        assert all(torch.equal(a, b) for a, b in zip(model.parameters(), good.parameters(), strict=True))

    def test_with_the_old_head_still_in_it_the_load_raises_even_if_not_strict(self):
        old, new = (nn.Sequential(nn.Linear(4, 3), nn.Linear(3, classes)) for classes in (5, 2))
        with pytest.raises(RuntimeError, match="size mismatch"):
            new.load_state_dict(old.state_dict(), strict=False)

    @pytest.mark.parametrize("interrupted", [True, False])
    def test_after_a_write_to_a_temporary_name_the_real_name_is_always_complete(self, tmp_path, interrupted):
        path = tmp_path / "model.pt"
        torch.save({"step": 1}, path)
        new = tmp_path / "model.pt.new"
        torch.save({"step": 2}, new)
        if interrupted:
            new.write_bytes(new.read_bytes()[:100])
        else:
            os.replace(new, path)
        assert torch.load(path) == {"step": 1 if interrupted else 2}

    def test_compile_in_place_adds_no_prefix(self):
        model = nn.Linear(2, 2)
        wrapped = [*torch.compile(model).state_dict()]
        model.compile()
        assert ([*model.state_dict()], wrapped) == (["weight", "bias"], ["_orig_mod.weight", "_orig_mod.bias"])

    @pytest.mark.parametrize("value", [pathlib.Path("x"), np.float64(1), np.zeros(2)])
    def test_a_path_and_numpy_values_raise(self, value):
        file = io.BytesIO()
        torch.save({"config": value}, file)
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError):
            torch.load(file)
