"""What docs/senior/system-design/production-training-loop.md claims, proven beyond the example shown."""

import multiprocessing
import os
import signal
import time

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader

from warmup.testing import load_snippet

budget = load_snippet("senior/system-design/production_training_loop.py")
loop = load_snippet("senior/system-design/production_training_loop_resume.py")
nan = load_snippet("senior/system-design/production_training_loop_nan.py")
STEPS, EVERY = 9, 4


def ends(folder):
    return torch.load(folder / "run.pt")["model"], (folder / "log.txt").read_text()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    torch.set_num_threads(1)
    loop.Run(folder)
    assert loop.in_process(folder, STEPS, EVERY) == 0
    return ends(folder)


def same(folder, whole):
    weights, log = ends(folder)
    return all(torch.equal(weights[k], whole[0][k]) for k in whole[0]) and log == whole[1]


def signal_at(place, step, number=signal.SIGTERM):
    def at(where, now):
        if (where, now) == (place, step):
            os.kill(os.getpid(), number)

    return at


class TestBudget:
    @pytest.mark.parametrize("grace", [30, 120])
    def test_the_largest_model_uses_the_grace_period_up(self, grace):
        per_parameter = budget.BYTES / budget.COPY + budget.BYTES / budget.WRITE
        largest = (grace - budget.STEP_S - budget.EXIT_S) / per_parameter
        assert largest == pytest.approx({30: 2.0e9, 120: 9.2e9}[grace], rel=0.01)
        assert (largest > 7e9) is (grace == 120)  # two minutes are enough for 7B, 30 seconds are not

    def test_if_the_loop_saves_twice_the_largest_model_is_half_as_large(self):
        per_parameter = 2 * (budget.BYTES / budget.COPY + budget.BYTES / budget.WRITE)
        assert (30 - budget.STEP_S - budget.EXIT_S) / per_parameter == pytest.approx(1.0e9, rel=0.01)

    def test_adamw_in_float32_saves_12_bytes_per_parameter(self):
        model = nn.Linear(50, 40)
        optimizer = torch.optim.AdamW(model.parameters())
        model(torch.ones(1, 50)).sum().backward()
        optimizer.step()
        tensors = [*model.state_dict().values()]
        tensors += [t for state in optimizer.state_dict()["state"].values() for t in state.values() if t.dim()]
        assert sum(t.nbytes for t in tensors) == budget.BYTES * sum(p.numel() for p in model.parameters())


class TestResume:
    @pytest.mark.parametrize("place", ["forward", "backward", "update", "between two steps"])
    @pytest.mark.parametrize("step", [2, 6])
    def test_with_the_flag_it_ends_the_same_wherever_sigterm_comes(self, tmp_path, whole, place, step):
        assert loop.in_process(tmp_path, STEPS, EVERY, False, signal_at(place, step)) == loop.AGAIN
        assert torch.load(tmp_path / "run.pt")["step"] == step
        assert loop.in_process(tmp_path, STEPS, EVERY) == 0
        assert same(tmp_path, whole)

    @pytest.mark.parametrize("place", ["forward", "backward", "update", "between two steps"])
    def test_a_save_in_the_handler_is_right_only_between_two_steps(self, tmp_path, whole, place):
        loop.in_process(tmp_path, STEPS, EVERY, True, signal_at(place, 6))
        assert loop.in_process(tmp_path, STEPS, EVERY) == 0
        assert same(tmp_path, whole) is (place == "between two steps")

    @pytest.mark.parametrize("delay", [0.0, 0.013])
    def test_killed_from_outside_at_any_moment_it_ends_the_same(self, tmp_path, whole, delay):
        def slow(place, step):
            time.sleep(0.004)

        process = multiprocessing.get_context("fork").Process(
            target=loop.train, args=(tmp_path, STEPS, EVERY, False, slow)
        )
        process.start()
        while not (tmp_path / "log.txt").exists() or not (tmp_path / "log.txt").read_text():
            time.sleep(0.001)
        time.sleep(delay)
        process.terminate()
        process.join()
        assert process.exitcode in (0, loop.AGAIN)
        assert loop.in_process(tmp_path, STEPS, EVERY) == 0
        assert same(tmp_path, whole)

    @pytest.mark.parametrize(("step", "begin"), [(6, 4), (3, 0)])
    def test_sigkill_costs_the_steps_since_the_last_checkpoint_and_the_log_is_cut(self, tmp_path, whole, step, begin):
        assert loop.in_process(tmp_path, STEPS, EVERY, False, signal_at("update", step, signal.SIGKILL)) == -9
        assert (tmp_path / "run.pt").exists() is (begin > 0)
        assert len((tmp_path / "log.txt").read_text().splitlines()) == step - 1
        assert loop.Run(tmp_path).step == begin
        assert len((tmp_path / "log.txt").read_text().splitlines()) == begin
        assert loop.in_process(tmp_path, STEPS, EVERY) == 0
        assert same(tmp_path, whole)

    @pytest.mark.parametrize(("step", "writes"), [(EVERY, [EVERY, EVERY]), (EVERY + 1, [EVERY, EVERY + 1])])
    def test_sigterm_in_a_step_that_ends_with_a_save_writes_the_same_state_twice(
        self, tmp_path, monkeypatch, step, writes
    ):
        write, rows = loop.write_atomically, tmp_path / "writes.txt"

        def counted(state, path):
            with open(rows, "a") as file:
                print(state["step"], file=file)
            write(state, path)

        monkeypatch.setattr(loop, "write_atomically", counted)
        assert loop.in_process(tmp_path, STEPS, EVERY, False, signal_at("update", step)) == loop.AGAIN
        assert [int(row) for row in rows.read_text().split()] == writes

    def test_killed_while_writing_the_old_file_stays_and_loads(self, tmp_path, whole):
        def at(place, step):
            if (place, step) == ("between two steps", 6):
                setattr(loop.os, "fsync", lambda _: os.kill(os.getpid(), signal.SIGKILL))  # noqa: B010
                os.kill(os.getpid(), signal.SIGTERM)

        assert loop.in_process(tmp_path, STEPS, EVERY, False, at) == -9
        assert (tmp_path / "run.tmp").exists()
        assert torch.load(tmp_path / "run.pt")["step"] == 4
        assert loop.in_process(tmp_path, STEPS, EVERY) == 0
        assert same(tmp_path, whole)

    def test_a_save_that_raises_leaves_the_old_file(self, tmp_path, monkeypatch):
        run = loop.Run(tmp_path)
        run.save()
        before = run.file.read_bytes()

        def full(_):
            raise OSError("no space left")

        monkeypatch.setattr(loop.os, "fsync", full)
        run.step = 5
        with pytest.raises(OSError, match="no space"):
            run.save()
        assert run.file.read_bytes() == before

    @pytest.mark.parametrize("part", ["random", "optimizer"])
    def test_without_a_part_of_the_state_nothing_raises_and_the_end_is_not_the_same(self, tmp_path, whole, part):
        loop.in_process(tmp_path, STEPS, EVERY, False, signal_at("update", 4))
        state, model = torch.load(tmp_path / "run.pt"), loop.Run(tmp_path).model
        fresh = torch.optim.AdamW(model.parameters(), lr=0.01).state_dict()
        lost = {"random": torch.Generator().manual_seed(5).get_state(), "optimizer": fresh}[part]
        torch.save(state | {part: lost}, tmp_path / "run.pt")
        assert loop.in_process(tmp_path, STEPS, EVERY) == 0
        assert not same(tmp_path, whole)

    @pytest.mark.parametrize(("first", "count", "raises"), [(3, 2, False), (3, 3, True), (1, 3, True)])
    def test_three_bad_steps_in_a_row_stop_it_and_fewer_are_skipped(self, tmp_path, monkeypatch, first, count, raises):
        good = loop.batch

        def batch(step):
            x, y = good(step)
            return (x, y * float("nan")) if first <= step < first + count else (x, y)

        monkeypatch.setattr(loop, "batch", batch)
        before = signal.getsignal(signal.SIGTERM)
        try:
            if raises:
                with pytest.raises(FloatingPointError):
                    loop.train(tmp_path, STEPS, EVERY)
            else:
                loop.train(tmp_path, STEPS, EVERY)
                assert all(w.isfinite().all() for w in ends(tmp_path)[0].values())
        finally:
            signal.signal(signal.SIGTERM, before)

    @pytest.mark.parametrize("restarts", [1, 2])
    def test_with_nan_in_the_checkpoint_each_restart_stops_again(self, tmp_path, restarts):
        loop.in_process(tmp_path, STEPS, EVERY, False, signal_at("update", 4))
        state = torch.load(tmp_path / "run.pt")
        state["model"]["0.bias"][0] = float("nan")
        torch.save(state, tmp_path / "run.pt")
        assert [loop.in_process(tmp_path, STEPS, EVERY) for _ in range(restarts)] == [1] * restarts
        assert torch.load(tmp_path / "run.pt")["step"] == 4


class TestNan:
    @pytest.mark.parametrize(("empty", "patience"), [(4, 3), (2, 2)])
    def test_only_the_guard_on_the_gradient_keeps_the_weights_finite(self, monkeypatch, empty, patience):
        monkeypatch.setattr(nan, "EMPTY", empty)
        rows = {guard: nan.train(guard, 10, patience) for guard in ("nothing", "loss", "gradient norm")}
        assert [finite for _, finite in rows.values()] == [False, False, True]
        assert rows["loss"][0].split("]")[1].strip() == f"stopped at {empty + patience}"
        assert rows["gradient norm"][0].startswith(f"[{empty}]")

    @pytest.mark.parametrize("bad", [float("nan"), float("inf")])
    def test_the_guard_does_not_keep_a_nan_out_of_batchnorms_running_statistics(self, bad):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
        optimizer, skipped = torch.optim.AdamW(model.parameters(), lr=0.01), []
        for step in range(20):
            x = torch.randn(16, 4)
            if step == 4:
                x[0, 0] = bad
            optimizer.zero_grad()
            loss = (model(x) - 1).square().mean()
            loss.backward()
            if nn.utils.clip_grad_norm_(model.parameters(), 1.0).isfinite():
                optimizer.step()
            else:
                skipped.append(step)
        assert skipped == [4] and loss.isfinite()
        assert all(p.isfinite().all() for p in model.parameters())
        assert model.eval()(torch.randn(2, 4)).isnan().all()

    def test_clipping_spreads_a_nan_of_one_gradient_to_all(self):
        parameters = [nn.Parameter(torch.ones(3)) for _ in range(3)]
        for p in parameters:
            p.grad = torch.ones(3)
        parameters[1].grad[0] = float("nan")
        norm = nn.utils.clip_grad_norm_(parameters, 1.0)
        assert norm.isnan() and all(p.grad.isnan().all() for p in parameters)


def ignore(worker):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


@pytest.mark.parametrize("protected", [False, True])
def test_sigterm_to_a_worker_ends_the_loader_unless_the_worker_ignores_it(protected):
    loader = DataLoader(range(200), batch_size=2, num_workers=1, worker_init_fn=ignore if protected else None)
    batches = iter(loader)
    next(batches)
    os.kill(batches._workers[0].pid, signal.SIGTERM)
    if protected:
        assert len(list(batches)) == 99
    else:
        with pytest.raises((RuntimeError, EOFError, ConnectionError)):
            list(batches)
