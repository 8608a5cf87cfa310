"""What docs/mid/checkpoints/state-dict-vs-full-model.md claims, proven beyond the example shown."""

import io
import pickle

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

edits = load_snippet("mid/checkpoints/state_dict_vs_full_model_edits_broken.py")


class Vocabulary:
    """What a module may keep, of a class of one's own."""


class Tokens(nn.Module):
    extra: object = None

    def get_extra_state(self):
        return self.extra

    def set_extra_state(self, state): ...


class TestStateDictVsFullModel:
    def test_a_whole_model_breaks_at_paths_and_a_state_dict_at_names_and_shapes(self):
        def outcomes(edit):
            return edits.outcome(edit, whole=True), edits.outcome(edit, whole=False)

        assert outcomes("nothing") == ("same output", "same output")
        assert outcomes("class renamed") == ("load: AttributeError", "same output")
        assert outcomes("file moved") == ("load: ModuleNotFoundError", "same output")
        for edit in ("attribute renamed", "layer added"):
            assert outcomes(edit) == ("call: AttributeError", "load: RuntimeError")

    def test_a_setting_is_kept_by_the_whole_model_only_and_an_edited_forward_is_kept_by_neither(self):
        assert edits.outcome("setting edited", whole=True) == "same output"
        assert edits.outcome("setting edited", whole=False) == "OTHER OUTPUT"
        assert edits.outcome("forward edited", whole=True) == edits.outcome("forward edited", whole=False)
        assert edits.outcome("forward edited", whole=True) == "OTHER OUTPUT"

    def test_a_changed_shape_raises_for_a_state_dict_and_not_for_a_whole_model(self, monkeypatch):
        monkeypatch.setitem(edits.EDITS, "shape", ("nets", {"nn.Linear(4, 3)": "nn.Linear(4, 5)"}))
        assert edits.outcome("shape", whole=True) == "same output"
        assert edits.outcome("shape", whole=False) == "load: RuntimeError"

    @pytest.mark.parametrize("whole", [True, False])
    def test_the_file_is_written_before_the_edit_and_read_after_it(self, whole):
        net = edits.make_class("nets", edits.SOURCE)()
        file = edits.save(net if whole else net.state_dict())
        file.seek(0)
        assert ("nets.Net" in torch.serialization.get_unsafe_globals_in_checkpoint(file)) is whole
        edits.make_class("models", edits.SOURCE)
        with pytest.raises(ModuleNotFoundError):
            __import__("nets")
        __import__("models")

    def test_a_part_is_loaded_without_strict_unless_a_shape_is_wrong(self):
        old, new = (nn.ModuleDict({"body": nn.Linear(4, 3), head: nn.Linear(3, 2)}) for head in ("old", "new"))
        with pytest.raises(RuntimeError, match="Missing key"):
            new.load_state_dict(old.state_dict())
        names = new.load_state_dict(old.state_dict(), strict=False)
        assert names.missing_keys == ["new.weight", "new.bias"] and names.unexpected_keys == ["old.weight", "old.bias"]
        assert torch.equal(new["body"].weight, old["body"].weight)
        with pytest.raises(RuntimeError, match="size mismatch"):
            nn.ModuleDict({"body": nn.Linear(4, 5)}).load_state_dict(old.state_dict(), strict=False)

    def test_init_does_not_run_for_a_whole_model(self):
        net = edits.make_class("nets", edits.SOURCE)()
        file = edits.save(net)
        edits.make_class("nets", edits.SOURCE.replace("super().__init__()", "raise OSError"))
        file.seek(0)
        assert torch.equal(torch.load(file, weights_only=False).body.weight, net.body.weight)

    def test_mode_and_requires_grad_and_settings_are_saved_and_grad_is_not(self):
        net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.3)).eval()
        net[0].weight.requires_grad_(False)
        net(torch.ones(1, 2)).sum().backward()
        file = edits.save(net)
        file.seek(0)
        loaded = torch.load(file, weights_only=False)
        assert not loaded.training and loaded[1].p == 0.3
        assert not loaded[0].weight.requires_grad and loaded[0].bias.requires_grad
        assert net[0].bias.grad is not None and loaded[0].bias.grad is None

    def test_a_lambda_as_a_hook_of_a_module_makes_the_save_raise_and_one_of_a_tensor_is_dropped(self):
        net = nn.Linear(2, 2)
        net.weight.register_hook(lambda gradient: gradient)
        file = edits.save(net)
        file.seek(0)
        assert not torch.load(file, weights_only=False).weight._backward_hooks and net.weight._backward_hooks
        net.register_forward_hook(lambda *args: None)
        edits.save(net.state_dict())
        with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
            edits.save(net)

    @pytest.mark.parametrize(
        "parametrize", [nn.utils.parametrizations.weight_norm, nn.utils.parametrizations.orthogonal]
    )
    def test_a_parametrized_module_is_saved_as_a_state_dict_only(self, parametrize):
        models = [nn.Sequential(parametrize(nn.Linear(3, 3))) for _ in range(2)]
        with pytest.raises(RuntimeError, match="only supported through state_dict"):
            torch.save(models[0], io.BytesIO())
        file = io.BytesIO()
        torch.save(models[0].state_dict(), file)
        file.seek(0)
        models[1].load_state_dict(torch.load(file))
        assert all(key == "0.bias" or key.startswith("0.parametrizations.weight.") for key in models[1].state_dict())
        assert torch.equal(models[0][0].weight, models[1][0].weight)

    def test_a_stand_in_runs_no_method_of_the_lost_class_and_a_hook_of_its_file_needs_one_too(self):
        source = edits.SOURCE + "    def __setstate__(self, state): raise OSError\ndef hook(*args): raise OSError\n"
        stub = type("Stub", (nn.Module,), {})
        for hooked in (False, True):
            net = edits.make_class("nets", source)()
            if hooked:
                net.register_forward_hook(edits.sys.modules["nets"].hook)
            file = edits.save(net)
            edits.sys.modules.pop("nets")
            file.seek(0)
            allowed = [nn.Linear, (stub, "nets.Net")]
            if hooked:
                with (
                    torch.serialization.safe_globals(allowed),
                    pytest.raises(pickle.UnpicklingError, match="nets.hook"),
                ):
                    torch.load(file)
                file.seek(0)
                allowed.append((print, "nets.hook"))
            with torch.serialization.safe_globals(allowed):
                loaded = torch.load(file)
            assert torch.equal(loaded.state_dict()["body.weight"], net.body.weight)

    def test_the_default_refuses_a_whole_model_and_accepts_one_whose_classes_are_allowed(self):
        file = edits.save(nn.Sequential(nn.Linear(2, 2)))
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            torch.load(file)
        file.seek(0)
        with torch.serialization.safe_globals([nn.Linear, nn.Sequential]):
            assert isinstance(torch.load(file), nn.Sequential)

    def test_a_pre_hook_renames_keys_at_any_prefix_and_leaves_the_callers_dict_alone(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(4, 2)
                self.register_load_state_dict_pre_hook(self.rename)

            @staticmethod
            def rename(module, state, prefix, *args):
                for old in [key for key in state if key.startswith(prefix + "fc.")]:
                    state[prefix + "body." + old.removeprefix(prefix + "fc.")] = state.pop(old)

        for prefix, model in (("", Net()), ("0.", nn.Sequential(Net())), ("0.0.", nn.Sequential(nn.Sequential(Net())))):
            weights = {prefix + "fc.weight": torch.ones(2, 4), prefix + "fc.bias": torch.ones(2)}
            names = list(weights)
            model.load_state_dict(weights)
            assert list(weights) == names
            assert all(bool((p == 1).all()) for p in model.parameters())

    @pytest.mark.parametrize("extra", [{"a": 0}, Vocabulary()])
    def test_a_state_dict_with_an_object_of_ones_own_class_is_refused_by_default(self, extra):
        module = Tokens()
        module.extra = extra
        file = edits.save(module.state_dict())
        file.seek(0)
        if isinstance(extra, dict):
            assert torch.load(file)["_extra_state"] == extra
        else:
            with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
                torch.load(file)

    def test_each_class_of_the_file_has_to_be_allowed(self):
        file = io.BytesIO()
        torch.save(nn.Sequential(nn.Linear(2, 2)), file)
        for allowed, loads in (([nn.Sequential], False), ([nn.Sequential, nn.Linear], True)):
            file.seek(0)
            with torch.serialization.safe_globals(allowed):
                if loads:
                    assert isinstance(torch.load(file), nn.Sequential)
                else:
                    with pytest.raises(pickle.UnpicklingError, match="Linear"):
                        torch.load(file)
