"""What docs/senior/system-design/experiment-tracking.md claims, proven beyond the example shown."""

import hashlib
import inspect
import json

import pytest
import torch

from warmup.testing import load_snippet

budget = load_snippet("senior/system-design/experiment_tracking.py")
keys = load_snippet("senior/system-design/experiment_tracking_keys.py")
registry = load_snippet("senior/system-design/experiment_tracking_registry.py")


class TestBudget:
    def test_what_identifies_a_run_is_below_a_tenth_of_a_terabyte(self):
        small = [size for name, size in budget.plan.items() if "config" in name or "metrics" in name]
        assert len(small) == 2 and sum(small) < 0.1e12
        assert round(sum(budget.plan.values()) / 1e12) == 14
        assert round(sum(budget.everything.values()) / 1e12) == 27_248

    def test_the_last_checkpoint_of_each_run_of_a_year_is_125_tb(self):
        assert pytest.approx(124.8) == budget.RUNS * budget.FULL / 1e12

    def test_weights_and_adams_moments_are_12_bytes_per_parameter_in_float32(self):
        model = torch.nn.Linear(30, 20)
        optimizer = torch.optim.Adam(model.parameters())
        model(torch.ones(1, 30)).sum().backward()
        optimizer.step()
        state = sum(v.nbytes for s in optimizer.state.values() for v in s.values() if v.numel() > 1)
        weights = sum(p.nbytes for p in model.parameters())
        assert (weights + state) / sum(p.numel() for p in model.parameters()) == 12


class TestKeys:
    @pytest.mark.parametrize("seed", [1, 2])
    def test_names_do_not_change_when_data_order_or_a_default_does_and_weights_do(self, seed):
        data = torch.randn(80, 5, generator=torch.Generator().manual_seed(seed))
        edited = data.clone()
        edited[10, 2] += 0.01
        config = {"lr": 0.05, "seed": seed}
        base, options = keys.train(config, data, torch.optim.AdamW)
        for rows, make in ((edited, torch.optim.AdamW), (data.flip(0), torch.optim.AdamW), (data, keys.new_default)):
            weights, found = keys.train(config, rows, make)
            assert keys.tensor_digest(weights) != keys.tensor_digest(base)
            before = keys.tensor_digest({"rows": data}), json.dumps(options, sort_keys=True)
            assert (keys.tensor_digest({"rows": rows}), json.dumps(found, sort_keys=True)) != before
        again, _ = keys.train(dict(reversed(config.items())), data, torch.optim.AdamW)
        assert keys.tensor_digest(again) == keys.tensor_digest(base)

    def test_a_comment_changes_the_key_and_not_the_weights(self):
        source = inspect.getsource(keys.train)
        assert keys.digest(source) != keys.digest(source + "    # better\n")

    def test_one_and_one_point_zero_are_equal_and_their_json_is_not(self):
        assert {"lr": 1} == {"lr": 1.0}
        assert json.dumps({"lr": 1}) != json.dumps({"lr": 1.0})

    def test_a_helper_can_change_without_changing_the_source_of_its_caller(self):
        first, second = {}, {}
        for space, factor in ((first, 2), (second, 3)):
            exec(f"def helper(x):\n    return {factor} * x\ndef main(x):\n    return helper(x)", space)
        assert first["main"].__code__.co_code == second["main"].__code__.co_code
        assert first["main"](1) != second["main"](1)

    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
    def test_the_digest_of_tensors_sees_names_dtypes_shapes_and_values_and_not_layout(self, dtype):
        x = torch.arange(6).view(2, 3).to(dtype)
        base = keys.tensor_digest({"x": x})
        assert base == keys.tensor_digest({"x": x.T.contiguous().T})
        changed = x.clone()
        changed[0, 0] = 1
        others = [{"y": x}, {"x": x.view(3, 2)}, {"x": changed}, {"x": x.to(torch.float64)}]
        assert base not in [keys.tensor_digest(other) for other in others]

    def test_a_part_cannot_run_into_the_next(self):
        assert keys.digest("ab", "c") != keys.digest("a", "bc")

    def test_the_name_of_a_file_is_in_its_bytes_and_its_folder_is_not(self, tmp_path):
        (tmp_path / "other").mkdir()
        found = []
        for name in ("m.pt", "n.pt", "other/m.pt"):
            torch.save({"w": torch.arange(5)}, tmp_path / name)
            found.append((tmp_path / name).read_bytes())
        assert found[0] != found[1] and found[0] == found[2]
        loaded = [keys.tensor_digest(torch.load(tmp_path / name)) for name in ("m.pt", "n.pt")]
        assert loaded[0] == loaded[1]


class TestRegistry:
    @pytest.mark.parametrize(("row_first", "expected"), [(True, (["a"], 0)), (False, ([], 1))])
    def test_a_crash_leaves_a_broken_row_or_an_unused_file(self, tmp_path, row_first, expected):
        with pytest.raises(KeyboardInterrupt):
            registry.Registry(tmp_path, row_first, crash=True).finish("a", b"w")
        later = registry.Registry(tmp_path)  # another process opens it
        assert later.check() == expected
        if row_first:
            with pytest.raises(FileNotFoundError):
                later.promote("production", "a")
        else:
            later.finish("a", b"w")
            assert later.check() == ([], 0) and later.load("a") == b"w"

    def test_a_second_run_with_the_same_key_raises_and_the_first_stays(self, tmp_path):
        runs = registry.Registry(tmp_path)
        runs.finish("a", b"one")
        with pytest.raises(registry.sqlite3.IntegrityError):
            runs.finish("a", b"two")
        assert runs.load("a") == b"one"

    def test_equal_artifacts_are_one_file(self, tmp_path):
        runs = registry.Registry(tmp_path)
        runs.finish("a", b"same")
        runs.finish("b", b"same")
        assert len(list(tmp_path.iterdir())) == 2  # the database and one artifact

    def test_a_changed_artifact_is_noticed_when_it_is_loaded(self, tmp_path):
        runs = registry.Registry(tmp_path)
        runs.finish("a", b"good")
        (tmp_path / hashlib.sha256(b"good").hexdigest()).write_bytes(b"evil")
        with pytest.raises(ValueError, match="changed"):
            runs.promote("production", "a")

    def test_promotions_and_rollbacks_move_one_pointer(self, tmp_path):
        runs = registry.Registry(tmp_path)
        for key in "abc":
            runs.finish(key, key.encode())
            runs.promote("production", key)
        files = sorted(path.name for path in tmp_path.iterdir())
        assert runs.roll_back("production") == "b" == runs.current("production")
        assert sorted(path.name for path in tmp_path.iterdir()) == files
        assert runs.roll_back("production") == "a" == runs.current("production")
        with pytest.raises(ValueError, match="no earlier"):
            runs.roll_back("production")

    def test_two_that_store_the_same_bytes_at_the_same_time_leave_one_file(self, tmp_path, monkeypatch):
        first, second = registry.Registry(tmp_path), registry.Registry(tmp_path)
        replace = registry.os.replace

        def interrupted(source, target):
            monkeypatch.setattr(registry.os, "replace", replace)
            second._store(b"same")
            replace(source, target)

        monkeypatch.setattr(registry.os, "replace", interrupted)
        first.finish("a", b"same")
        assert first.load("a") == b"same" and first.check() == ([], 0)
