"""What docs/senior/distributed/inconsistent-checkpoints.md claims, proven beyond the example shown."""

import logging
import warnings
import zipfile

import pytest
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.multiprocessing as mp
from torch.distributed.tensor import Shard, distribute_tensor

from warmup import testing
from warmup.testing import load_snippet

checkpoints = load_snippet("senior/distributed/inconsistent_checkpoints.py")
overwrite = load_snippet("senior/distributed/inconsistent_checkpoints_overwrite.py")

ROWS = torch.arange(12.0).reshape(6, 2)


def save_rows(rank, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{folder}/init", rank=rank, world_size=2)
    mesh = dist.init_device_mesh("cpu", (2,))
    dcp.save({"rows": distribute_tensor(ROWS, mesh, [Shard(0)])}, checkpoint_id=folder / "rows")
    same_key = {"step": 5 + rank, "plain": torch.tensor([5.0 + rank])}
    dcp.save({**same_key, f"own.{rank}": 5 + rank}, checkpoint_id=folder / "steps")
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def of_two_ranks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    mp.start_processes(save_rows, (folder,), 2, start_method="fork")
    return folder / "rows"


@pytest.fixture(scope="module", autouse=True)
def group(of_two_ranks):
    with testing.one_rank():
        logging.disable()
        yield
        logging.disable(logging.NOTSET)


@pytest.fixture
def step_2(tmp_path):
    for step in (1, 2):
        checkpoints.save(tmp_path / f"step-{step}", float(step))
    return tmp_path / "step-2"


class TestInconsistentCheckpoints:
    @pytest.mark.parametrize(
        ("damage", "loaded"),
        [
            ("nothing", "a=[2.0, 2.0] b=[2.0, 2.0]"),
            ("file is missing", "FileNotFoundError"),
            ("file is cut short", "RuntimeError"),
            (".metadata is missing", "AssertionError"),
            ("a bit is flipped", "a=[8.0, 2.0] b=[2.0, 2.0]"),
            ("file of step 1", "a=[1.0, 1.0] b=[2.0, 2.0]"),
        ],
    )
    def test_what_is_missing_raises_and_what_is_wrong_loads_and_the_manifest_names_both(self, damage, loaded, step_2):
        checkpoints.DAMAGES[damage](step_2)
        assert checkpoints.load(step_2) == loaded
        harmed = {"nothing": [], ".metadata is missing": [".metadata"]}.get(damage, ["__0_0.distcp"])
        assert checkpoints.damaged(step_2) == harmed

    def test_every_damage_of_the_table_is_tested(self):
        assert len(checkpoints.DAMAGES) == 6

    def test_a_manifest_names_a_file_too_many_and_its_absence_raises(self, step_2):
        (step_2 / "__1_0.distcp").write_bytes(b"left over")
        assert checkpoints.damaged(step_2) == ["__1_0.distcp"]
        (step_2 / checkpoints.MANIFEST).unlink()
        with pytest.raises(FileNotFoundError):
            checkpoints.damaged(step_2)

    def test_a_manifest_of_wrong_values_passes(self, step_2, tmp_path):
        checkpoints.save(tmp_path / "step-3", float("nan"))
        assert checkpoints.damaged(tmp_path / "step-3") == []

    def test_nothing_temporary_stays_where_the_manifest_was_written(self, step_2):
        assert sorted(p.name for p in step_2.parent.iterdir()) == ["step-1", "step-2"]
        assert sorted(p.name for p in step_2.iterdir()) == [
            ".metadata",
            "__0_0.distcp",
            "__0_1.distcp",
            checkpoints.MANIFEST,
        ]

    def test_the_exception_is_no_exception_and_holds_the_cause_of_each_rank(self, step_2):
        assert not issubclass(dcp.CheckpointException, Exception)
        (step_2 / "__0_0.distcp").unlink()
        with pytest.raises(dcp.CheckpointException) as caught:
            dcp.load({"a": torch.zeros(2)}, checkpoint_id=step_2)
        assert isinstance(caught.value.failures[0][0], FileNotFoundError)

    @pytest.mark.parametrize("state", [{"a": torch.zeros(3)}, {"c": torch.zeros(2)}])
    def test_another_shape_or_key_raises(self, state, step_2):
        with pytest.raises(dcp.CheckpointException, match="Size mismatch|Missing key"):
            dcp.load(state, checkpoint_id=step_2)

    def test_two_ranks_saved_and_one_loads(self, of_two_ranks):
        assert sorted(p.name for p in of_two_ranks.glob("*.distcp")) == ["__0_0.distcp", "__1_0.distcp"]
        state = {"rows": torch.zeros(6, 2)}
        dcp.load(state, checkpoint_id=of_two_ranks)
        assert torch.equal(state["rows"], ROWS)

    def test_of_a_number_or_plain_tensor_that_two_ranks_save_under_one_key_one_copy_is_kept(self, of_two_ranks):
        state = {"step": 0, "plain": torch.zeros(1), "own.0": 0, "own.1": 0}
        dcp.load(state, checkpoint_id=of_two_ranks.parent / "steps")
        assert state["step"] in (5, 6) and state["plain"].item() in (5.0, 6.0)
        assert (state["own.0"], state["own.1"]) == (5, 6)

    @pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int64])
    def test_another_dtype_is_converted_and_more_keys_in_the_file_are_skipped(self, dtype, step_2):
        state = {"a": torch.zeros(2, dtype=dtype)}
        dcp.load(state, checkpoint_id=step_2)
        assert list(state) == ["a"] and state["a"].dtype == dtype and state["a"].tolist() == [2, 2]

    @pytest.mark.parametrize("cut", [1, 22, 1000])
    def test_a_file_that_lost_its_end_raises_whatever_its_length(self, cut, step_2):
        path = step_2 / "__0_0.distcp"
        path.write_bytes(path.read_bytes()[:-cut])
        with pytest.raises(dcp.CheckpointException):
            dcp.load({"a": torch.zeros(2)}, checkpoint_id=step_2)

    def test_a_crash_over_the_old_folder_mixes_steps_and_in_a_new_one_does_not_load(self, tmp_path, capsys):
        for second in ("same", "new"):
            overwrite.save(tmp_path / "same", 1.0, dcp.FileSystemWriter)
            overwrite.save(tmp_path / second, 2.0, overwrite.Crashing)
            assert "save of 2.0: OSError" in capsys.readouterr().out
            loaded = checkpoints.load(tmp_path / second)
            assert loaded == {"same": "a=[2.0, 2.0] b=[1.0, 1.0]", "new": "AssertionError"}[second]

    def test_overwriting_warns_by_default_and_raises_if_it_is_off(self, step_2):
        state = {"a": torch.zeros(2)}
        with pytest.warns(UserWarning, match="Detected an existing checkpoint"):
            dcp.save(state, checkpoint_id=step_2)
        with pytest.raises(dcp.CheckpointException, match="already exists"):
            dcp.save(state, storage_writer=dcp.FileSystemWriter(step_2, overwrite=False))

    def test_tensors_are_filled_in_place_and_numbers_are_replaced_in_the_dict(self, tmp_path):
        dcp.save({"step": 7, "weight": torch.ones(2)}, checkpoint_id=tmp_path)
        step, weight = 0, torch.zeros(2)
        state = {"step": step, "weight": weight}
        dcp.load(state, checkpoint_id=tmp_path)
        assert state["step"] == 7 and step == 0
        assert state["weight"] is weight and weight.tolist() == [1.0, 1.0]

    def test_an_asynchronous_save_holds_the_values_of_its_call(self, tmp_path):
        weight = torch.ones(1000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            future = dcp.async_save({"weight": weight}, checkpoint_id=tmp_path)
            weight.zero_()
            future.result()
        state = {"weight": torch.zeros(1000)}
        dcp.load(state, checkpoint_id=tmp_path)
        assert state["weight"].sum() == 1000

    @pytest.mark.parametrize("size", [4, 1000])
    def test_torch_load_checks_no_checksum_and_the_zip_module_does(self, size, tmp_path):
        path, weight = tmp_path / "model.pt", torch.full((size,), 2.0)
        torch.save({"weight": weight}, path)
        assert zipfile.ZipFile(path).testzip() is None
        content = bytearray(path.read_bytes())
        content[content.index(weight.numpy().tobytes()) + 3] ^= 1
        path.write_bytes(content)
        assert torch.load(path)["weight"].tolist() == [8.0] + [2.0] * (size - 1)
        assert zipfile.ZipFile(path).testzip() == "model/data/0"
        path.write_bytes(content[:-100])
        with pytest.raises((RuntimeError, OSError)):
            torch.load(path)
