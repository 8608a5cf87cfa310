"""Every claim that the pages of docs/junior/saving make, proven beyond the example shown."""

import copy
import io
import os
import pathlib
import pickle
import warnings

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present

from warmup.testing import load_snippet

round_trip = load_snippet("junior/saving/save_and_load_pair.py")
unsafe = load_snippet("junior/saving/save_and_load_broken.py")
portable = load_snippet("junior/saving/save_and_load_portable_broken.py")
state_dict = load_snippet("junior/saving/state_dict_vs_parameters_all.py")
copied = load_snippet("junior/saving/state_dict_vs_parameters_broken.py")
location = load_snippet("junior/saving/map_location_forms.py")
meta = load_snippet("junior/saving/map_location_meta_broken.py")


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
        assert unsafe.load(model).startswith("UnpicklingError: Weights only load failed")
        assert unsafe.load(model) == unsafe.load(model, weights_only=True)
        assert unsafe.load(model.state_dict()) == "OrderedDict"
        assert unsafe.load(model, weights_only=False) == type(model).__name__

    def test_code_in_a_file_runs_only_in_an_unsafe_load(self, capsys):
        assert "Unsupported global: GLOBAL print" in unsafe.load(unsafe.RunsCode())
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


class TestStateDictVsParameters:
    def test_what_is_where(self):
        rows = state_dict.table(state_dict.Tagger())
        assert {name for name, (_, in_parameters, _) in rows.items() if in_parameters} == {
            "embedding.weight",
            "frozen.weight",
            "norm.weight",
            "norm.bias",
        }
        assert {name for name, (_, _, in_state) in rows.items() if not in_state} == {"cache"}
        assert {name for name, (kind, _, _) in rows.items() if kind == "buffer"} == {
            "cache",
            "norm.running_mean",
            "norm.running_var",
            "norm.num_batches_tracked",
        }
        assert [name for name, (kind, _, _) in rows.items() if kind == "parameter, frozen"] == ["frozen.weight"]

    def test_the_table_agrees_with_any_model(self):
        model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Linear(2, 2).requires_grad_(False))
        rows = state_dict.table(model)
        assert [name for name, row in rows.items() if row[1]] == [name for name, _ in model.named_parameters()]
        assert {name for name, row in rows.items() if row[2]} == set(model.state_dict())

    def test_the_table_has_both_names_of_a_shared_buffer(self):
        model, buffer = nn.Module(), torch.zeros(2)
        model.register_buffer("one", buffer)
        model.register_buffer("other", buffer)
        assert set(state_dict.table(model)) == {"one", "other"} == set(model.state_dict())

    @pytest.mark.parametrize(
        ("change", "live"),
        [
            (lambda model: model.load_state_dict(nn.Linear(2, 2).state_dict()), True),
            (lambda model: model.double(), False),
            (lambda model: model.load_state_dict(nn.Linear(2, 2).state_dict(), assign=True), False),
        ],
    )
    def test_a_state_dict_shares_memory_until_the_model_gets_other_memory(self, change, live):
        model = nn.Linear(2, 2)
        state = model.state_dict()
        change(model)
        with torch.no_grad():
            model.weight.fill_(7)
        assert bool((state["weight"] == 7).all()) is live

    def test_keep_vars_gives_the_parameters_themselves(self):
        model = nn.Linear(2, 2)
        assert model.state_dict(keep_vars=True)["weight"] is model.weight
        assert not model.state_dict()["weight"].requires_grad

    def test_the_statistics_of_the_last_model_are_not_those_of_the_average_and_update_bn_recomputes_them(self):
        models = [nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3, momentum=None)) for _ in range(2)]
        x = 20 + torch.randn(64, 4)
        average = torch.optim.swa_utils.AveragedModel(models[0])
        for model in models:
            model(x)
            average.update_parameters(model)
        inner = average.module
        mean = inner[0](x).mean(dim=0)
        inner[1].load_state_dict({**inner[1].state_dict(), "running_mean": models[1][1].running_mean})
        assert not torch.allclose(inner[1].running_mean, mean, rtol=0.01)
        torch.optim.swa_utils.update_bn([x], average)
        torch.testing.assert_close(inner[1].running_mean, mean, rtol=1e-4, atol=1e-4)

    def test_a_state_dict_as_it_is_raises_in_the_optimizer(self):
        for optimizer_class in (torch.optim.SGD, torch.optim.AdamW):
            with pytest.raises(TypeError, match="str"):
                optimizer_class(nn.Linear(2, 1).state_dict(), lr=1)

    def test_a_state_dict_is_the_live_memory_without_gradient(self):
        model = nn.BatchNorm1d(3)
        state, snapshot = model.state_dict(), copy.deepcopy(model.state_dict())
        model(torch.randn(8, 3)).sum().backward()
        torch.optim.SGD(model.parameters(), lr=1).step()
        for name, tensor in model.state_dict().items():
            assert torch.equal(state[name], tensor) and not state[name].requires_grad
        assert not torch.equal(snapshot["bias"], state["bias"])
        assert not torch.equal(snapshot["running_mean"], state["running_mean"])

    def test_loading_copies_into_the_tensors_that_exist(self):
        model, state = nn.Linear(2, 2), nn.Linear(2, 2).state_dict()
        weight, place = model.weight, model.weight.data_ptr()
        model.load_state_dict(state)
        assert model.weight is weight and weight.data_ptr() == place != state["weight"].data_ptr()

    def test_a_parameter_given_twice_is_updated_twice(self):
        moves = []
        for count in (1, 2):
            parameter = nn.Parameter(torch.zeros(1))
            with warnings.catch_warnings(record=True):
                warnings.simplefilter("always")
                optimizer = torch.optim.SGD([parameter] * count, lr=1)
            parameter.grad = torch.ones(1)
            optimizer.step()
            moves.append(parameter.item())
        assert moves == [-1, -2]

    def test_a_tied_weight_is_written_once_and_expected_twice(self):
        tied = nn.Sequential(nn.Linear(100, 100, bias=False), nn.Linear(100, 100, bias=False))
        sizes = []
        for tie in (False, True):
            if tie:
                tied[1].weight = tied[0].weight
            file = io.BytesIO()
            torch.save(tied.state_dict(), file)
            sizes.append(file.tell())
        assert sizes[1] < 0.6 * sizes[0]
        assert len(list(tied.parameters())) == 1 and len(tied.state_dict()) == 2
        with pytest.raises(RuntimeError, match="Missing key"):
            tied.load_state_dict({"0.weight": torch.ones(100, 100)})

    def test_counting_over_the_state_dict_counts_too_much(self):
        model = state_dict.Tagger()
        right = sum(parameter.numel() for parameter in model.parameters())
        assert right == 5 * 3 + 3 * 3 + 3 + 3
        assert sum(tensor.numel() for tensor in model.state_dict().values()) == right + 5 * 3 + 3 + 3 + 1

    def test_copying_parameters_leaves_the_running_statistics_behind(self):
        source, target = copied.make_model(), copied.make_model()
        x = 20 + torch.randn(64, 4)
        source(x)
        with torch.no_grad():
            for new, old in zip(target.parameters(), source.parameters(), strict=True):
                new.copy_(old)
            assert torch.equal(source(x), target(x))  # train mode: batch statistics
            assert not torch.allclose(source.eval()(x), target.eval()(x))
        assert copied.accuracy(source, x, source(x).argmax(dim=1)) == 1 and not source.training

    @pytest.mark.parametrize("optimizer_class", [torch.optim.SGD, torch.optim.AdamW])
    def test_an_optimizer_over_a_state_dict_trains_nothing_and_says_nothing(self, optimizer_class):
        model = nn.Linear(2, 1)
        before = copy.deepcopy(model.state_dict())
        optimizer = optimizer_class(model.state_dict().values(), lr=1)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())

    def test_a_named_optimizer_stores_names_and_still_goes_by_position(self):
        a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        optimizer = torch.optim.Adam([("a", a), ("b", b)])
        a.grad, b.grad = torch.full((2,), 3.0), torch.full((2,), 5.0)
        optimizer.step()
        state = optimizer.state_dict()
        assert state["param_groups"][0]["param_names"] == ["a", "b"]
        swapped = torch.optim.Adam([("b", b), ("a", a)])
        swapped.load_state_dict(state)
        assert torch.equal(swapped.state[b]["exp_avg"], optimizer.state[a]["exp_avg"])

    def test_extra_state_is_in_the_state_dict_and_need_not_be_a_tensor(self):
        class Counter(nn.Module):
            def get_extra_state(self):
                return {"seen": 3}

            def set_extra_state(self, state):
                self.state = state

        state, other = Counter().state_dict(), Counter()
        assert dict(state) == {"_extra_state": {"seen": 3}}
        other.load_state_dict(state)
        assert other.state == {"seen": 3}

    def test_assign_shares_the_memory_of_the_given_tensors(self):
        for assign in (False, True):
            model, state = nn.Linear(2, 2), nn.Linear(2, 2).state_dict()
            model.load_state_dict(state, assign=assign)
            assert (model.weight.data_ptr() == state["weight"].data_ptr()) is assign

    @pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.AdamW])
    def test_loading_an_optimizer_replaces_its_learning_rate(self, kind):
        parameters = list(nn.Linear(2, 2).parameters())
        new = kind(parameters, lr=0.001)
        new.load_state_dict(kind(parameters, lr=0.1, weight_decay=0.3).state_dict())
        assert new.param_groups[0]["lr"] == 0.1 and new.param_groups[0]["weight_decay"] == 0.3

    def test_the_optimizers_state_goes_by_position(self):
        a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        optimizer = torch.optim.Adam([a, b])
        a.grad, b.grad = torch.full((2,), 3.0), torch.full((2,), 5.0)
        optimizer.step()
        swapped = torch.optim.Adam([b, a])
        swapped.load_state_dict(optimizer.state_dict())
        assert torch.equal(swapped.state[b]["exp_avg"], optimizer.state[a]["exp_avg"])


class TestMapLocation:
    @pytest.fixture
    def path(self, tmp_path, monkeypatch):
        """Three tensors, tagged as on two GPUs and the CPU, and a machine without a GPU."""
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
        state = {"a": torch.ones(2), "b": torch.ones(3, 3), "c": torch.tensor(5)}
        gpus = {state["a"].data_ptr(): "cuda:1", state["b"].data_ptr(): "cuda:0"}
        registry = torch.serialization._package_registry
        monkeypatch.setattr(torch.serialization, "_package_registry", list(registry))
        torch.serialization.register_package(0, lambda s: gpus.get(s.data_ptr()), lambda s, tag: None)
        torch.save(state, tmp_path / "file.pt")
        monkeypatch.setattr(torch.serialization, "_package_registry", registry)
        return tmp_path / "file.pt"

    def test_without_map_location_loading_raises(self, path):
        with pytest.raises(RuntimeError, match=r"CUDA device but torch.cuda.is_available\(\) is False"):
            torch.load(path)
        assert location.load(path, None).startswith("RuntimeError: Attempting to deserialize")

    @pytest.mark.parametrize("device", ["cpu", torch.device("cpu"), "meta"])
    def test_a_device_takes_every_storage(self, path, device):
        loaded = torch.load(path, map_location=device)
        assert {tensor.device.type for tensor in loaded.values()} == {torch.device(device).type}
        assert loaded["b"].shape == (3, 3) and loaded["c"].dtype == torch.int64

    def test_a_dict_renames_only_what_it_lists(self, path):
        for incomplete in ({"cuda:0": "cpu"}, {"cuda:1": "cpu"}, {"cpu": "meta"}):
            assert "RuntimeError" in location.load(path, incomplete)
        assert location.load(path, {"cuda:0": "cpu", "cuda:1": "meta"}) == "a on meta, b on cpu, c on cpu"

    def test_a_callable_gets_a_cpu_storage_and_its_tag_and_none_means_the_default(self, path):
        seen = []

        def keep(storage, tag):
            seen.append((storage.device.type, tag))
            return storage

        assert location.load(path, keep) == "a on cpu, b on cpu, c on cpu"
        assert sorted(seen) == [("cpu", "cpu"), ("cpu", "cuda:0"), ("cpu", "cuda:1")]
        assert "RuntimeError" in location.load(path, lambda storage, tag: storage if tag == "cuda:0" else None)

    def test_saved_on_counts_storages_by_device(self, path, tmp_path):
        assert location.saved_on(path) == {"cuda:1": 1, "cuda:0": 1, "cpu": 1}
        torch.save(nn.Linear(2, 2).state_dict(), tmp_path / "cpu.pt")
        assert location.saved_on(tmp_path / "cpu.pt") == {"cpu": 2}

    def test_the_default_device_has_no_say(self, path):
        with torch.device("cpu"):
            assert "RuntimeError" in location.load(path, None)
        torch.save(torch.ones(2), path)
        with torch.device("meta"):
            assert torch.load(path).device.type == "cpu"

    def test_loading_into_a_model_keeps_its_device_and_dtype_unless_assigned(self):
        weights = nn.Linear(2, 2).state_dict()
        for assign, dtype in ((False, torch.float64), (True, torch.float32)):
            model = nn.Linear(2, 2).double()
            model.load_state_dict(weights, assign=assign)
            assert model.weight.dtype == dtype and model.weight.requires_grad
            assert (model.weight.data_ptr() == weights["weight"].data_ptr()) is assign

    @pytest.mark.parametrize(
        ("model_device", "weights_device", "assign", "report", "ends_on"),
        [
            ("meta", "cpu", False, "UserWarning: ... which is a no-op", "meta"),
            ("meta", "cpu", True, "nothing", "cpu"),
            ("cpu", "meta", False, "RuntimeError: ... Cannot copy out of meta", "cpu"),
            ("cpu", "meta", True, "nothing", "meta"),
            ("cpu", "cpu", False, "nothing", "cpu"),
        ],
    )
    def test_only_assign_puts_weights_into_a_meta_model(self, model_device, weights_device, assign, report, ends_on):
        line = meta.load(model_device, weights_device, assign)
        assert line.startswith(report) and line.endswith(f"weights on {ends_on}")

    def test_meta_then_mmap_then_assign_is_the_saved_model(self, tmp_path):
        saved = nn.Linear(4, 3)
        torch.save(saved.state_dict(), tmp_path / "model.pt")
        with torch.device("meta"):
            model = nn.Linear(4, 3)
        model.load_state_dict(torch.load(tmp_path / "model.pt", mmap=True, map_location="cpu"), assign=True)
        x = torch.randn(2, 4)
        assert torch.equal(model(x), saved(x))

    def test_mmap_alone_does_not_help_against_a_cuda_tag(self, path):
        with pytest.raises(RuntimeError, match="CUDA device"):
            torch.load(path, mmap=True)
        assert torch.load(path, mmap=True, map_location="cpu")["b"].shape == (3, 3)

    @pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="reads /proc")
    def test_meta_mmap_and_saved_on_do_not_read_the_data(self, tmp_path):
        size = 64 * 2**20
        torch.save({"a": torch.ones(size // 4)}, tmp_path / "big.pt")

        def resident():
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def growth(load):
            before, kept = resident(), load(tmp_path / "big.pt")
            return resident() - before, kept

        assert growth(lambda path: torch.load(path, map_location="meta"))[0] < size / 4
        assert growth(lambda path: torch.load(path, map_location="cpu", mmap=True))[0] < size / 4
        assert growth(location.saved_on)[0] < size / 4
        assert growth(lambda path: torch.load(path, map_location="cpu"))[0] > size / 2

    def test_a_buffer_that_is_not_persistent_stays_on_meta(self):
        class Masked(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(2, 2)
                self.register_buffer("mask", torch.ones(2, 2).tril(), persistent=False)

        with torch.device("meta"):
            model = Masked()
        model.load_state_dict(Masked().state_dict(), assign=True)
        assert model.mask.is_meta and not model.linear.weight.is_meta

    def test_the_random_state_must_stay_on_the_cpu(self):
        with pytest.raises(TypeError, match="ByteTensor"):
            torch.set_rng_state(torch.get_rng_state().to("meta"))

    def test_an_optimizer_moves_its_averages_to_the_device_of_the_parameter(self):
        parameter = nn.Parameter(torch.ones(3))
        optimizer = torch.optim.Adam([parameter])
        parameter.grad = torch.ones(3)
        optimizer.step()
        elsewhere = nn.Parameter(torch.ones(3, device="meta"))
        other = torch.optim.Adam([elsewhere])
        other.load_state_dict(optimizer.state_dict())
        assert other.state[elsewhere]["exp_avg"].device.type == "meta"

    def test_a_dict_holds_strings(self, path):
        tags = ("cuda:0", "cuda:1")
        loaded = torch.load(path, map_location=dict.fromkeys(tags, "meta"))
        assert sum(tensor.is_meta for tensor in loaded.values()) == 2
        with pytest.raises(TypeError):
            torch.load(path, map_location={tag: torch.device("meta") for tag in tags})

    def test_mmap_needs_a_path_and_the_zip_format(self, tmp_path):
        torch.save({"a": torch.ones(2)}, tmp_path / "new.pt")
        torch.save({"a": torch.ones(2)}, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
        assert location.saved_on(tmp_path / "new.pt") == {"cpu": 1}
        with pytest.raises(RuntimeError, match="_use_new_zipfile_serialization"):
            location.saved_on(tmp_path / "old.pt")
        with pytest.raises(ValueError, match="path"):
            torch.load(io.BytesIO((tmp_path / "new.pt").read_bytes()), mmap=True)
        assert torch.load(tmp_path / "old.pt", map_location="meta")["a"].is_meta

    def test_saved_on_refuses_a_pickled_model(self, tmp_path):
        torch.save(nn.Linear(2, 2), tmp_path / "model.pt")
        with pytest.raises(pickle.UnpicklingError):
            location.saved_on(tmp_path / "model.pt")

    @pytest.mark.parametrize("optimizer_class", [torch.optim.SGD, torch.optim.AdamW])
    def test_after_a_partial_assigning_load_only_the_other_weights_train(self, optimizer_class):
        model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
        optimizer = optimizer_class(model.parameters(), lr=1)
        model.load_state_dict(nn.Sequential(nn.Linear(2, 2)).state_dict(), assign=True, strict=False)
        before = copy.deepcopy(model.state_dict())
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        stayed = {name for name, tensor in model.state_dict().items() if torch.equal(before[name], tensor)}
        assert stayed == {"0.weight", "0.bias"}

    @pytest.mark.parametrize("assign", [False, True])
    def test_a_grad_scaler_notices_an_optimizer_without_gradients(self, assign):
        model = nn.Linear(2, 1)
        optimizer, scaler = torch.optim.SGD(model.parameters(), lr=1), torch.amp.GradScaler("cpu")
        model.load_state_dict(nn.Linear(2, 1).state_dict(), assign=assign)
        scaler.scale(model(torch.ones(1, 2)).sum()).backward()
        if assign:
            with pytest.raises(AssertionError, match="No inf checks were recorded"):
                scaler.step(optimizer)
        else:
            scaler.step(optimizer)

    def test_an_assigning_load_makes_new_parameters_of_the_weights_and_not_of_the_buffers(self):
        model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
        old = model.state_dict(keep_vars=True)
        model.load_state_dict({name: value.detach().clone() for name, value in old.items()}, assign=True)
        new = model.state_dict(keep_vars=True)
        assert all(new[name] is not old[name] for name in old)
        assert {name for name in new if not isinstance(new[name], nn.Parameter)} == {
            name for name, _ in model.named_buffers()
        }

    def test_an_optimizer_built_before_an_assigning_load_moves_nothing(self):
        for assign in (False, True):
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=1)
            model.load_state_dict(nn.Linear(2, 1).state_dict(), assign=assign)
            before = model.weight.clone()
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()
            assert torch.equal(model.weight, before) is assign
