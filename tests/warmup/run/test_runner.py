"""The runner: what it reports, and that a snippet cannot tell it from plain Python."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from warmup.content.header import Header
from warmup.run import needs
from warmup.run import runner as runner_module
from warmup.run.runner import Runner, TorchMissing
from warmup.run.server import ENVIRONMENT

SCRIPTS = Path(runner_module.__file__).parents[2]


def test_a_snippet_that_ends_well_is_ok(runner, snippet):
    result = runner.run(snippet("import torch\nprint(torch.ones(2).sum().item())"))
    assert (result.status, result.code, result.stdout, result.stderr, result.message) == (
        "ok",
        0,
        "2.0\n",
        "",
        "",
    )
    assert result.torch
    assert result.device == f"a CPU with {os.cpu_count()} cores"


def test_a_failing_snippet_gives_its_traceback_and_nothing_of_ours(runner, snippet):
    path = snippet("import torch\ntorch.ones(2) @ torch.ones(3)\n")
    result = runner.run(path)
    assert (result.status, result.code) == ("failed", 1)
    assert result.stderr.startswith("Traceback (most recent call last):\n")
    assert str(path) in result.stderr
    assert "warmup" not in result.stderr
    assert "exited with code 1 (RuntimeError" in result.message


def test_a_snippet_that_is_not_python_fails_with_its_line(runner, snippet):
    result = runner.run(snippet("x = 1\ndef f(:\n"))
    assert (result.status, result.code) == ("failed", 1)
    assert "line 2" in result.stderr
    assert "SyntaxError" in result.message


@pytest.mark.parametrize(("argument", "code"), [("", 0), ("0", 0), ("3", 3), ("'sorry'", 1)])
def test_exit_codes_are_honored(runner, snippet, argument, code):
    result = runner.run(snippet(f"import sys\nsys.exit({argument})"))
    assert result.code == code
    assert result.stderr == ("sorry\n" if "sorry" in argument else "")


def test_stdout_and_stderr_are_kept_apart_and_in_order(runner, snippet):
    result = runner.run(
        snippet("""
        import os, sys
        print("1")
        print("a", file=sys.stderr)
        os.write(1, b"2\\n")
        os.system("echo 3")
        sys.stderr.write("b")
        print("4", end="")
        """)
    )
    assert (result.stdout, result.stderr) == ("1\n2\n3\n4", "a\nb")


def test_output_is_handed_on_when_it_is_printed(runner, snippet):
    seen = []
    path = snippet("import sys, time\nprint('one', flush=True)\ntime.sleep(0.3)\nprint('two', file=sys.stderr)\n")
    result = runner.run(path, on_output=lambda stream, data: seen.append((stream, data, time.monotonic())))
    assert [(stream, data) for stream, data, _ in seen if data] == [("stdout", b"one\n"), ("stderr", b"two\n")]
    assert seen[1][2] - seen[0][2] > 0.2 and result.stdout == "one\n"


def test_what_is_handed_on_keeps_the_limit(snippet):
    seen = []
    with Runner(output_limit=1000) as small:
        result = small.run(snippet("while True: print('x' * 99)"), on_output=lambda _, data: seen.append(data))
    assert result.status == "output-limit" and b"".join(seen).decode() == result.stdout and len(result.stdout) == 1000


def test_a_header_may_come_from_elsewhere(runner, snippet):
    path = snippet("while True: pass\n")
    assert runner.run(path, declared=Header(timeout=0.5)).status == "timeout"


def test_bytes_that_are_not_utf8_do_not_break_the_run(runner, snippet):
    result = runner.run(snippet("import os\nos.write(1, b'\\xff!')"))
    assert (result.status, result.stdout) == ("ok", "\ufffd!")


def test_warnings_are_errors(runner, snippet):
    result = runner.run(snippet("import warnings\nwarnings.warn('old', UserWarning)\nprint('on')"))
    assert (result.status, result.stdout) == ("failed", "")
    assert "UserWarning: old" in result.message


def test_warnings_that_torch_itself_causes_are_not_errors(runner, snippet):
    path = snippet("import torch\nprint(torch.func.jvp(torch.sin, (torch.zeros(1),), (torch.ones(1),))[1])")
    assert runner.run(path).stdout == "tensor([1.])\n"


def test_default_start_method_works_in_snippets_dataloader_workers(runner, snippet):
    result = runner.run(
        snippet("""
        import torch
        from torch.utils.data import DataLoader, TensorDataset

        data = TensorDataset(torch.arange(8))
        for persistent in (False, True):
            loader = DataLoader(data, batch_size=4, num_workers=2, persistent_workers=persistent)
            print([batch[0].tolist() for batch in loader])
        """)
    )
    assert (result.status, result.stderr) == ("ok", "")
    assert result.stdout == "[[0, 1, 2, 3], [4, 5, 6, 7]]\n" * 2


def test_mp_spawn_functions_in_main_work(runner, snippet):
    result = runner.run(
        snippet("""
        import os
        import torch
        import torch.distributed as dist
        import torch.multiprocessing as mp

        def work(rank, store):
            dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
            x = torch.tensor([rank + 1.0])
            dist.all_reduce(x)
            if rank == 0:
                print(x)
            dist.destroy_process_group()

        if __name__ == "__main__":
            mp.spawn(work, (os.path.abspath("store"),), nprocs=2)
        """),
        timeout=120,
    )
    assert (result.status, result.stdout) == ("ok", "tensor([3.])\n"), result.stderr


def test_same_output_as_plain_python(runner, snippet, tmp_path):
    path = snippet("""
    import atexit, multiprocessing, os, sys, threading
    import torch

    class Bye:
        def __del__(self):
            print("deleted")

    def name(queue):
        queue.put(multiprocessing.current_process().name)

    bye = Bye()
    atexit.register(lambda: print("exit handler", __name__))
    main_is_done = threading.Event()
    threading.Thread(target=lambda: (main_is_done.wait(), print("thread"))).start()
    print(__name__, __file__, __spec__, sys.argv, sys.path[0], os.listdir())
    print(multiprocessing.current_process().name, multiprocessing.parent_process())
    print(multiprocessing.get_start_method(), multiprocessing.current_process().daemon)
    queue = multiprocessing.SimpleQueue()
    process = multiprocessing.Process(target=name, args=(queue,))
    process.start()
    print(queue.get())
    process.join()
    print(torch.get_num_threads(), os.environ["OMP_NUM_THREADS"], {"a", "b", "c", "d"})
    print(torch.manual_seed(0).initial_seed(), torch.randn(3), sys.stdin.read() == "")
    print(Bye.__module__, sys.modules["__main__"].bye is bye, "é")
    main_is_done.set()
    """)
    ours = runner.run(path, timeout=120)
    empty = tmp_path / "empty"
    empty.mkdir()
    plain = subprocess.run(
        [sys.executable, str(path)],
        cwd=empty,
        env={**os.environ, **ENVIRONMENT, "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert (ours.status, ours.stderr) == ("ok", "")
    assert ours.stdout == plain.stdout
    assert "deleted" in ours.stdout


def test_a_snippet_sees_nothing_of_this_repository(runner, snippet):
    assert "No module named 'warmup'" in runner.run(snippet("import warmup")).message


def test_a_snippet_may_import_its_neighbor(runner, snippet):
    snippet("def two(): return 2", "neighbor")
    assert runner.run(snippet("from neighbor import two\nprint(two())")).stdout == "2\n"


def test_a_snippet_leaves_no_files(runner, snippet, tmp_path):
    result = runner.run(snippet("import os\nopen('litter', 'w').close()\nprint(os.getcwd())"))
    assert not Path(result.stdout.strip()).exists()
    assert [path.name for path in tmp_path.iterdir()] == ["x.py"]


def test_snippets_do_not_see_each_other(runner, snippet):
    path = snippet("import builtins, torch\nprint(hasattr(builtins, 'mark'))\nbuiltins.mark = 1\n")
    assert [runner.run(path).stdout for _ in range(2)] == ["False\n", "False\n"]


def test_run_many_runs_all_and_survives_bad_ones(runner, snippet, tmp_path):
    good = [snippet(f"print({i})", f"good{i}") for i in range(6)]
    bad = [snippet("# /// script\n# x = 1\n# ///\n", "header"), tmp_path / "missing.py"]
    results = {result.path: result for result in runner.run_many([*good, *bad], workers=2)}
    assert [results[path].stdout for path in good] == [f"{i}\n" for i in range(6)]
    assert "header.py:2: The script block has an unknown key, 'x'" in results[bad[0]].message
    assert "cannot be read" in results[bad[1]].message
    assert {results[path].status for path in bad} == {"failed"}


def test_no_gpu_skips_with_the_reason(runner, snippet, monkeypatch):
    monkeypatch.setattr(needs, "has_gpu", lambda: False)
    path = snippet('# /// script\n# [tool.warmup]\n# needs = "cuda"\n# ///\nprint(1)\n')
    result = runner.run(path)
    assert (result.status, result.stdout) == ("skipped", "")
    assert "needs cuda, and this machine has no NVIDIA GPU" in result.message


def test_no_torch_says_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(TorchMissing, match=r"make test.*pip install -r requirements-test\.txt"), Runner():
        pass


def test_the_tools_import_without_torch():
    code = "import sys; sys.modules['torch'] = None; import warmup.run.runner, warmup.run.child, warmup.run.record"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(SCRIPTS)})


def test_the_environment_of_the_caller_stays_as_it_is(runner, snippet, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    before = dict(os.environ)
    assert runner.run(snippet("import os\nprint(os.environ['OMP_NUM_THREADS'])")).stdout == "1\n"
    assert dict(os.environ) == before


def test_a_killed_fork_server_is_reported_and_replaced(by_itself, snippet):
    path = snippet("import os, time\nprint(os.getppid(), flush=True)\ntime.sleep(60)")
    next_one = snippet("import os\nprint(os.environ['OMP_NUM_THREADS'])", "next")
    done = by_itself(f"""
        import os, signal
        from warmup.run.runner import Runner
        os.environ["OMP_NUM_THREADS"] = "7"
        def kill(_, printed):
            if printed:
                os.kill(int(printed), signal.SIGKILL)
        with Runner(imports=[]) as runner:
            result = runner.run({str(path)!r}, on_output=kill)
            again = runner.run({str(next_one)!r})
        print(result.status, result.signal, again.status, again.stdout)
    """)
    assert done.stdout.split() == ["signal", "SIGKILL", "ok", "1"], done.stderr


def test_the_server_imports_what_the_runner_names_and_does_without_what_is_not_installed(by_itself, snippet):
    path = snippet("import sys\nprint('tabnanny' in sys.modules, 'torch' in sys.modules)")
    with_torch = snippet("import torch\nprint(torch.get_num_threads())", "with_torch")
    done = by_itself(f"""
        from warmup.run.runner import Runner
        with Runner(imports=["not_installed", "tabnanny"]) as runner:
            for path in ({str(path)!r}, {str(with_torch)!r}):
                result = runner.run(path)
                print(result.stdout.strip(), repr(result.torch), result.device)
    """)
    without, with_it = done.stdout.splitlines()
    device = f"a CPU with {os.cpu_count()} cores"
    assert without == f"True False '' {device}", done.stderr
    assert with_it == f"1 {torch.__version__!r} {device}"


def test_the_server_has_torch_already(runner, snippet):
    assert runner.run(snippet("import sys\nprint('torch' in sys.modules)")).stdout == "True\n"
