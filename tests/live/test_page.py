"""A program in its page: run, edited, stopped and reset, with a verdict beside what it prints."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from live_server import KERNELS, alive, ask, bearer, exchange, until
from warmup.live import kernel, kernels
from warmup.run.result import Result

PAGE = "junior/autograd/zero-grad/"
FIRST = 180_000  # milliseconds that a busy machine may need for Python and torch, or for a flood of messages


class Cell:
    """The first program of a page."""

    def __init__(self, page):
        self.page = page
        self.block = page.locator(".highlight[data-program]").first
        self.output = page.locator(".tw-run").first

    def press(self, name: str):
        self.block.get_by_role("button", name=re.compile(f"^{name} ")).click()

    def finish(self) -> str:
        """Wait for the end of a run; its verdict in a word."""
        self.page.wait_for_selector(".tw-run[data-word]", timeout=FIRST)
        return self.output.get_attribute("data-word")

    def run(self) -> str:
        self.press("Run")
        return self.finish()

    def edit(self, source: str) -> None:
        if self.block.locator("textarea").count() == 0:
            self.press("Edit")
        self.block.locator("textarea").fill(source)

    def run_edited(self, source: str) -> str:
        self.edit(source)
        return self.run()

    @property
    def text(self) -> str:
        return self.output.locator("pre").first.text_content()

    @property
    def said(self) -> str:
        return self.output.get_by_role("status").text_content()


@pytest.fixture
def cell(open_live) -> Cell:
    """A program that has run once, so that Python and torch are there and it can be edited."""
    one = Cell(open_live(PAGE))
    assert one.run() == "equal"
    return one


def test_it_prints_what_is_recorded_and_says_so(cell):
    recorded = cell.page.locator(".tw-output:not(.tw-run) pre").first.text_content()
    assert cell.text.rstrip() == recorded.rstrip()
    assert re.fullmatch(r"Equals the recorded output\. torch 2\S+, \d+\.\d\d s", cell.said)


def test_the_key_leaves_the_address_and_only_the_tab_keeps_the_token(cell, live):
    assert cell.page.url == f"{live.address}/{PAGE}"
    kept = cell.page.evaluate("[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)]")
    assert [live.token in one for one in kept] == [False, False, True]


@pytest.mark.parametrize("key", ["", "unknown", "used"])
def test_without_a_key_that_works_the_page_says_what_to_do(open_live, live, key):
    if key == "used":
        key = live.key()
        assert exchange(live, key).status == 200
    cell = Cell(open_live(PAGE, key=key))
    assert cell.run() == "refused"
    assert cell.said.endswith("In the terminal of `make live`, press Enter and open the new address.")
    assert "#" not in cell.page.url


def test_a_second_tab_gets_the_token_of_the_first_until_that_is_closed(cell, open_live):
    context = cell.page.context
    other = Cell(open_live(PAGE, key="", context=context))
    assert other.run() == "equal"
    for page in context.pages:
        page.close()
    assert Cell(open_live(PAGE, key="", context=context)).run() == "refused"


def test_more_tabs_than_there_are_kernels_for_are_told_so(cell, live):
    others = []
    while (response := ask(live, KERNELS, "POST", "{}", **bearer(live))).status == 201:
        others.append(json.loads(response.text)["id"])
        assert len(others) < 20
    assert response.status == 503 and len(others) == kernels.MOST - 1
    cell.page.evaluate("sessionStorage.removeItem('torch-warmup-live-kernel')")
    cell.page.reload()
    assert cell.run() == "refused" and cell.said.startswith("Eight tabs run programs already.")


DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for stream in range(3):
            os.close(stream)
        time.sleep(1000)
    os._exit(0)
os.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who started a process whose parent is gone")
@pytest.mark.parametrize("source", [DAEMON, DAEMON.replace("os.close(stream)", "pass")], ids=["silent", "with pipes"])
def test_a_daemon_is_stopped_with_its_program(cell, live, source):
    before = live.descendants()
    assert cell.run_edited(source) == "failed"
    assert cell.said.startswith("Left processes running, which were stopped. torch ")
    until(lambda: live.descendants() <= before)


@pytest.mark.skipif(sys.platform != "linux", reason="as above")
def test_a_daemon_is_stopped_with_its_tab(cell, live, tmp_path):
    pid = tmp_path / "pid"
    mark = f"open({str(pid)!r}, 'w').write(str(os.getpid()))\n        time.sleep(1000)"
    cell.edit(DAEMON.replace("time.sleep(1000)", mark) + "time.sleep(1000)")
    cell.press("Run")
    until(lambda: pid.exists() and pid.read_text())
    cell.page.close()
    until(lambda: not alive({int(pid.read_text())}), 30)


LIMITS = {
    "processes": (
        "import os, time\nfor _ in range(70):\n    if not os.fork():\n        time.sleep(60)\ntime.sleep(60)",
        "Had more than 64 processes at once and was stopped.",
    ),
    "file": (
        "with open('a', 'wb') as file:\n    file.truncate(4 * 2**30 + 1)",
        "Wrote more than 4 GiB into one file and was stopped.",
    ),
}


@pytest.mark.parametrize(("source", "said"), LIMITS.values(), ids=LIMITS.keys())
def test_a_program_that_reaches_a_limit_is_told_which(cell, live, source, said):
    before = live.descendants()
    assert cell.run_edited(source) == "failed"
    assert said in cell.said
    until(lambda: live.descendants() <= before)


def test_the_limit_of_memory_has_a_sentence_too():
    told = kernel._sentence(Result(Path("a.py"), "memory-limit", signal="SIGKILL"))
    assert re.fullmatch(r"Took more than \d+\.\d GiB of memory and was stopped\.", told)


def test_a_temporary_folder_is_removed_with_its_run(cell):
    assert cell.run_edited("import tempfile\nprint(tempfile.mkdtemp(), tempfile.gettempdir())") == "different"
    made, folder = cell.text.split()
    assert made.startswith(folder) and not Path(folder).exists()


@pytest.mark.parametrize("name", ["drawing.svg", "report.json"])
def test_a_pipe_in_place_of_a_file_holds_nothing_up(cell, name):
    assert cell.run_edited(f"import os\nos.mkfifo('../{name}')\nprint(7)\nos._exit(0)") == "different"
    assert cell.text == "7\n"


HOSTILE = """import pathlib
pathlib.Path("../drawing.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>{}')
"""


@pytest.mark.parametrize(
    "inside",
    [
        ("<script>document.title = 7</script>", ""),
        ("", '<img src="x" onerror="1">'),
    ],
)
def test_a_drawing_is_shapes_and_letters_or_is_not_shown(cell, inside):
    assert cell.run_edited(HOSTILE.format(*inside)) == "different"
    assert "The drawing is not shown" in cell.text
    assert cell.output.locator("figure").count() == 0 and cell.page.title() != "7"


def test_an_edit_runs_and_survives_a_reload_and_is_taken_back(cell):
    assert cell.run_edited("print('mine')") == "different"
    assert cell.text == "mine\n" and cell.said.startswith("Edited. Differs from the recorded output.")
    cell.page.reload()
    assert cell.block.locator("textarea").input_value() == "print('mine')"
    cell.press("Reset")
    assert cell.block.locator("textarea").count() == 0 and "import torch" in cell.block.inner_text()
    assert cell.run() == "equal"


def test_an_edit_survives_another_page(cell, live):
    cell.edit("print(1)")
    cell.page.goto(f"{live.address}/junior/")
    cell.page.go_back()
    assert cell.block.locator("textarea").input_value() == "print(1)"


def test_other_numbers_are_told_from_another_output(cell):
    text = cell.text
    assert cell.run_edited(f"print({text.replace('3.0', '4.0')!r}, end='')") == "numbers"
    cell.output.get_by_text("What differs").click()
    assert "-backward() number 1: grad = [3.0, 3.0]" in cell.output.locator("details").text_content()


@pytest.mark.parametrize(
    ("source", "said", "printed"),
    [
        ("x = 1\nassert x == 2", "Ended with exit code 1.", 'zero_grad.py", line 2'),
        ("import warnings\nwarnings.warn('w')", "Ended with exit code 1.", "UserWarning: w"),
        ("print('before'\n", "Ended with exit code 1.", "SyntaxError"),
        ("input()", "Ended with exit code 1.", "EOFError"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "Was ended by SIGSEGV.", ""),
        ("import os\nos._exit(3)", "Ended with exit code 3.", ""),
    ],
)
def test_what_goes_wrong_is_shown_as_python_says_it(cell, source, said, printed):
    assert cell.run_edited(source) == "failed"
    assert said in cell.said and printed in cell.text
    cell.press("Reset")
    assert cell.run() == "equal"


def test_a_program_may_print_any_text(cell):
    text = "</script> \\ ' \" \u2028 \U0001f525 é \\u0041"
    assert cell.run_edited(f"print({text!r})") == "different"
    assert cell.text == text + "\n"


def test_a_flood_is_cut_and_the_page_lives(cell):
    assert cell.run_edited("while True: print('x' * 99)") == "failed"
    assert "Printed more than 256 KiB" in cell.said and 200_000 < len(cell.text) <= 256 * 1024
    cell.press("Reset")
    assert cell.run() == "equal"


ENDLESS = {
    "a loop": "while True: pass",
    "a loop that ignores the signal": "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
    "a long call of C": "import torch\nx = torch.randn(3000, 3000)\nwhile True: x @ x",
    "a process of its own": "import subprocess\nsubprocess.run(['sleep', '1000'])",
}


@pytest.mark.parametrize("source", ENDLESS.values(), ids=ENDLESS.keys())
def test_stop_ends_it_within_a_second_or_so(cell, live, source):
    before = live.descendants()
    cell.edit(source)
    cell.press("Run")
    until(lambda: len(live.descendants()) > len(before))
    time.sleep(0.5)
    begun = time.monotonic()
    cell.press("Stop")
    assert cell.finish() == "stopped" and time.monotonic() - begun < 4  # one second, on a machine that is not busy
    until(lambda: live.descendants() <= before, 2)
    cell.press("Reset")
    assert cell.run() == "equal"


def test_stop_works_while_torch_is_still_loaded(open_live):
    cell = Cell(open_live(PAGE))
    cell.press("Run")
    time.sleep(1.5)
    cell.press("Stop")
    assert cell.finish() in ("stopped", "equal")
    assert cell.run() == "equal"


def test_lines_arrive_when_they_are_printed(cell):
    cell.edit("import time\nfor i in range(4):\n    print(time.time(), flush=True)\n    time.sleep(0.5)")
    cell.page.evaluate(
        """() => { globalThis.seen = []
        new MutationObserver(() => seen.push(Date.now() / 1000)).observe(
          document.querySelector('.tw-run pre code'), { childList: true }) }"""
    )
    cell.press("Run")
    cell.finish()
    printed = [float(line) for line in cell.text.split()]
    seen = cell.page.evaluate("seen")[-4:]
    delays = sorted(got - sent for got, sent in zip(seen, printed, strict=True))
    assert delays[1] < 0.2 and delays[-1] < 1  # the median's better half is not the busy machine's


def test_a_plot_is_drawn(open_live):
    page = open_live("junior/training-loop/overfitting/")
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    block = page.locator(".highlight[data-program]").filter(has=page.get_by_text("plt.show()")).first
    block.get_by_role("button", name=re.compile("^Run ")).click()
    output = page.locator(".tw-run[data-word]")
    output.wait_for(timeout=FIRST)
    assert output.get_attribute("data-word") in ("equal", "numbers")
    assert output.locator("figure svg[role=img]").is_visible()


def test_two_programs_of_a_tab_run_one_after_the_other(cell):
    cell.page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    blocks = cell.page.locator(".highlight[data-program]:visible")
    cell.edit("import time\ntime.sleep(60)")
    cell.press("Run")
    blocks.nth(1).get_by_role("button", name=re.compile("^Run ")).click()
    assert cell.finish() == "stopped"
    cell.page.wait_for_function("document.querySelectorAll('.tw-run[data-word]').length == 2", timeout=FIRST)


def test_two_tabs_have_two_processes(cell, open_live):
    other = Cell(open_live(PAGE, context=cell.page.context))
    cell.edit("while True: pass")
    cell.press("Run")
    assert other.run() == "equal"
    cell.press("Stop")
    assert cell.finish() == "stopped"


def test_the_next_page_of_a_tab_need_not_wait_for_torch(cell, live):
    kernels = live.descendants()
    cell.page.goto(f"{live.address}/junior/autograd/no-grad/")
    cell.page.wait_for_selector(".tw-run__bar")
    begun = time.monotonic()
    other = Cell(cell.page)
    other.run()
    assert time.monotonic() - begun < 5 and live.descendants() == kernels


def test_it_works_from_the_keyboard(open_live):
    page = open_live(PAGE)
    cell = Cell(page)
    cell.block.get_by_role("button", name="Run zero_grad.py").focus()
    page.keyboard.press("Enter")
    assert cell.finish() == "equal"
    assert page.evaluate("document.activeElement.ariaLabel") == "Run zero_grad.py"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    page.keyboard.press("Control+a")
    page.keyboard.type("print(7)")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("document.querySelector('.tw-run pre code').textContent == '7\\n'", timeout=FIRST)
    cell.finish()  # until then the button that stops it is there
    page.keyboard.press("Escape")  # after it, Tab does not indent
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "BUTTON"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_axe_finds_no_violation_and_nothing_scrolls_sideways(open_live, width, scheme):
    cell = Cell(open_live(PAGE, width=width, scheme=scheme))
    cell.run()
    cell.edit("raise ValueError('a line that is longer than a phone is wide, so that it must not widen the page')")
    cell.run()
    results = Axe().run(cell.page)
    assert results.violations_count == 0, results.generate_report()
    assert cell.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
