"""What docs/junior/saving/map-location.md claims, proven beyond the example shown."""

import io
import os
import pathlib
import pickle

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

location = load_snippet("junior/saving/map_location_forms.py")
meta = load_snippet("junior/saving/map_location_meta_broken.py")


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

    def test_a_tag_of_a_gpu_that_is_not_there_raises_and_names_the_number_of_gpus(self, tmp_path, monkeypatch):
        monkeypatch.setattr(torch.serialization, "location_tag", lambda storage: "cuda:3")
        torch.save(torch.ones(2), tmp_path / "file.pt")
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
        monkeypatch.setattr(torch.cuda._utils, "_get_device_index", lambda *args, **options: 3)
        with pytest.raises(RuntimeError, match=r"CUDA device 3 but torch.cuda.device_count\(\) is 1"):
            torch.load(tmp_path / "file.pt")

    def test_a_pickled_model_raises_before_its_tags_matter(self, tmp_path, monkeypatch):
        monkeypatch.setattr(torch.serialization, "location_tag", lambda storage: "cuda:0")
        torch.save(nn.Linear(2, 2), tmp_path / "model.pt")
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
            torch.load(tmp_path / "model.pt")

    def test_the_loaded_tensors_have_the_place_of_map_location_and_the_model_keeps_its_own(self, tmp_path):
        torch.save(nn.Linear(2, 2).double().state_dict(), tmp_path / "file.pt")
        for place in ("cpu", "meta"):
            model = nn.Linear(2, 2)
            state = torch.load(tmp_path / "file.pt", map_location=place)
            assert {value.device.type for value in state.values()} == {place}
            if place == "cpu":
                model.load_state_dict(state)
            assert model.weight.device.type == "cpu" and model.weight.dtype == torch.float32

    def test_a_dict_holds_strings(self, path):
        tags = ("cuda:0", "cuda:1")
        loaded = torch.load(path, map_location=dict.fromkeys(tags, "meta"))
        assert sum(tensor.is_meta for tensor in loaded.values()) == 2
        with pytest.raises(TypeError):
            torch.load(path, map_location={tag: torch.device("meta") for tag in tags})

    def test_a_rank_alone_is_no_map_location(self):
        file = io.BytesIO()
        torch.save(torch.ones(2), file)
        file.seek(0)
        with pytest.raises(TypeError, match="not callable"):
            torch.load(file, map_location=0)
