"""Programs that run in the reader's own browser: nothing before the click, checked files, and no network afterwards."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

import wasm_site
from warmup.dev.serving import served
from warmup.testing import PREFIX
from warmup.wasm import files, pins, trial

PAGE = "junior/autograd/thing/"


def test_what_npm_and_pip_deliver_has_the_hashes_of_wasm_json():
    wanted = pins.read()
    packages = tuple(pin for pin in wanted.packages if pin.url.startswith(pins.PYPI))
    paths, problems = files.fetch(pins.Pins(wanted.runtime, packages, ()), wasm_site.FETCHED)
    assert problems == [] and [path.name for path in paths] == [
        "pyodide-314.0.2.tgz", "sympy-1.14.0-py3-none-any.whl", "mpmath-1.3.0-py3-none-any.whl",
        "typing_extensions-4.15.0-py3-none-any.whl",
    ]  # fmt: skip


def test_nothing_is_asked_for_before_the_click_which_says_what_it_costs(visit, site):
    one = visit()
    one.page.wait_for_load_state("networkidle")
    assert one.downloads == []
    size = sum(path.stat().st_size for path in (site / "assets/pyodide").iterdir() if path.name != "files.json")
    bar = one.page.locator(".tw-run__bar").first.inner_text()
    assert f"Run ({round(size / 1e6)} MB download)" in bar and "runs on this device only" in bar
    assert one.cell.run() == "equal"
    assert sorted(one.downloads) == sorted(path.name for path in (site / "assets/pyodide").iterdir())
    assert "download" not in one.page.locator(".tw-run__bar").first.inner_text()


def test_it_runs_with_its_wheel_and_is_judged(visit):
    one = visit()
    assert one.cell.run() == "equal"
    assert one.cell.text == "1 from a wheel\n" and one.cell.said.startswith("Equals the recorded output.")
    assert one.cell.run_edited("print(2, 'from a wheel')") == "numbers"
    assert one.cell.run_edited("print('mine')") == "different"
    assert one.cell.said.startswith("Edited. Differs") and "+mine" in one.cell.output.locator("details").text_content()
    one.cell.press("Reset")
    begun = time.monotonic()
    assert one.cell.run() == "equal" and time.monotonic() - begun < 2


@pytest.mark.parametrize(
    ("source", "word", "said", "printed"),
    [
        ("x = 1\nassert x == 2", "failed", "Ended with exit code 1.", 'thing.py", line 2, in <module>\n    assert x'),
        ("import warnings\nwarnings.warn('w')", "failed", "Ended with exit code 1.", "UserWarning: w"),
        ("print('before'\n", "failed", "Ended with exit code 1.", "SyntaxError"),
        ("input()", "failed", "Ended with exit code 1.", "EOFError"),
        ("import sys; sys.exit(3)", "failed", "Ended with exit code 3.", ""),
        ("import sys; print('</b> \U0001f525'); print('e', file=sys.stderr)", "different", "", "</b> \U0001f525\ne\n"),
        ("import os; os._exit(4)", "refused", "Python ended", ""),
        ("while True: print('x' * 99)", "failed", "Printed more than 256 KiB", "xxx"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_said_and_the_next_run_works(visit, source, word, said, printed):
    one = visit()
    one.cell.run()
    assert one.cell.run_edited(source) == word
    assert said in one.cell.said and printed in one.cell.text and len(one.cell.text) <= 256 * 1024
    assert "inside.py" not in one.cell.text
    one.cell.press("Reset")
    assert one.cell.run() == "equal"


def test_each_run_begins_anew(visit):
    one = visit()
    one.cell.run()
    one.cell.run_edited("import sys, warnings\nleft = 1\nwarnings.simplefilter('ignore')\nsys.argv.append('x')")
    source = "import sys, warnings\nprint('left' in globals(), len(sys.argv), __name__)\nwarnings.warn('w')"
    assert one.cell.run_edited(source) == "failed"
    assert one.cell.text.startswith("False 1 __main__\n") and "UserWarning: w" in one.cell.text
    assert one.cell.run_edited("import warmup") == "failed" and "No module named 'warmup'" in one.cell.text


def test_lines_arrive_when_they_are_printed(visit):
    one = visit()
    one.cell.run()
    one.cell.edit("import time\nfor i in range(4):\n    print(time.time())\n    time.sleep(0.5)")
    one.page.evaluate(
        """() => { globalThis.seen = []
        new MutationObserver(() => seen.push(Date.now() / 1000)).observe(
          document.querySelector('.tw-run pre code'), { childList: true }) }"""
    )
    one.cell.run()
    printed = [float(line) for line in one.cell.text.split()]
    seen = one.page.evaluate("seen")[-4:]
    delays = sorted(got - sent for got, sent in zip(seen, printed, strict=True))
    assert delays[1] < 0.2 and delays[-1] < 1


def test_stop_ends_a_loop_at_once_and_python_starts_again(visit):
    one = visit()
    one.cell.run()
    one.cell.edit("print('begun')\nwhile True: pass")
    one.cell.press("Run")
    one.page.get_by_text("begun", exact=True).wait_for()
    begun = time.monotonic()
    one.cell.press("Stop")
    assert one.cell.finish() == "stopped" and time.monotonic() - begun < 1
    while one.pythons and time.monotonic() - begun < 10:
        one.page.wait_for_timeout(20)
    assert one.pythons == 0
    one.cell.press("Reset")
    before = len(one.downloads)
    assert one.cell.run() == "equal" and len(one.downloads) == before


def test_stop_while_it_is_loaded(visit):
    one = visit()
    one.cell.press("Run")
    one.page.wait_for_function("document.querySelector('.tw-run [role=status]').textContent")
    one.cell.press("Stop")
    assert one.cell.finish() == "stopped"
    assert one.cell.run() == "equal"


def test_two_programs_of_a_page_run_one_after_the_other(visit):
    one = visit("junior/autograd/other/")
    buttons = one.page.get_by_role("button", name=re.compile("^Run "))
    buttons.nth(0).click()
    buttons.nth(0).click()  # by now the second program's: the first one's has become Stop
    one.page.wait_for_function("document.querySelectorAll('.tw-run[data-word]').length == 2", timeout=60_000)
    words = [box.get_attribute("data-word") for box in one.page.locator(".tw-run[data-word]").all()]
    assert words == ["stopped", "numbers"]


def test_afterwards_it_needs_no_network(visit, site):
    one = visit()
    one.cell.run()
    before = len(one.downloads)
    one.page.reload()
    one.page.wait_for_function("document.querySelector('.tw-run__bar button').textContent == 'Run'")
    one.context.set_offline(True)
    assert one.cell.run() == "equal" and len(one.downloads) == before


def changed(site: Path, folder: Path, name: str) -> Path:
    copy = wasm_site.copied(site, folder)
    file = copy / "assets/pyodide" / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    return copy


@pytest.mark.parametrize("name", [wasm_site.WHEEL, "pyodide.asm.wasm", "worker.js", files.LOCK, files.MANIFEST])
def test_a_file_with_one_other_byte_is_refused(visit, site, tmp_path, name):
    with served(changed(site, tmp_path, name).parent, PREFIX) as address:
        one = visit(address=address)
        assert one.cell.run() == "refused"
        assert f"{name} is not the file that this page asks for" in one.cell.said
        assert one.pythons == 0


def test_a_file_that_is_missing_is_said_and_its_return_mends_it(visit, site, tmp_path):
    copy = wasm_site.copied(site, tmp_path)
    file = copy / "assets/pyodide" / wasm_site.WHEEL
    file.rename(tmp_path / "away")
    with served(copy.parent, PREFIX) as address:
        one = visit(address=address)
        assert one.cell.run() == "refused"
        assert f"{wasm_site.WHEEL} could not be downloaded" in one.cell.said
        shutil.copyfile(tmp_path / "away", file)
        assert one.cell.run() == "equal"


def test_a_new_release_downloads_only_what_is_new(visit, site, tmp_path):
    copy = wasm_site.copied(site, tmp_path)
    with served(copy.parent, PREFIX) as address:
        one = visit(address=address)
        one.cell.run()
        folder = copy / "assets/pyodide"
        worker = folder / "worker.js"
        worker.write_text(worker.read_text() + "// newer\n")
        manifest = json.loads((folder / files.MANIFEST).read_text())
        manifest["worker.js"]["integrity"] = wasm_site.sri(worker.read_bytes())
        (folder / files.MANIFEST).write_text(json.dumps(manifest))
        page = copy / PAGE / "index.html"
        old = wasm_site.sri((site / "assets/pyodide" / files.MANIFEST).read_bytes())
        page.write_text(page.read_text().replace(old, wasm_site.sri((folder / files.MANIFEST).read_bytes())))
        one.asked.clear()
        one.page.reload()
        assert one.cell.run() == "equal"
        assert sorted(one.downloads) == [files.MANIFEST, "worker.js"]
        kept = one.page.evaluate(
            "caches.keys().then(([name]) => caches.open(name)).then(one => one.keys()).then(all => all.length)"
        )
        assert kept == len(manifest) + 1


def test_only_programs_on_the_list_have_a_button(site, built):
    listed = json.loads((built / "project/build/wasm/programs.json").read_text())["programs"]
    assert "junior/autograd/thing.py" in listed and "junior/autograd/elsewhere.py" not in listed
    text = (site / "junior/autograd/other/index.html").read_text()
    assert re.findall(r'data-program="([^"]*)"', text) == [
        f"junior/autograd/{name}.py" for name in ("other", "digits", "thing")
    ]
    assert "elsewhere.py" in text and "endless.py" in text


def test_a_program_that_does_not_end_is_ended_and_the_next_ones_are_tried(shared, built):
    said = (shared / "wasm/once/made").read_text()
    assert re.search(r"failed +\d+\.\d\d s junior/autograd/endless\nIt took too long\.\n", said)
    assert re.search(r"different .* junior/autograd/elsewhere\n", said) and "+emscripten" in said
    assert re.search(r"measured .* junior/autograd/digits\n", said)
    assert re.search(r"equal .* practice/write/add/judge\n", said)
    assert re.search(r"equal .* practice/trainers/stands-still/check\n", said)
    assert re.search(r"failed .* practice/write/never/judge\n3 is wanted", said)
    assert said.endswith("12 of 17 programs get a button.\n")


def test_an_exercise_is_judged_if_its_judge_accepted_the_solution_there(visit, site):
    assert "data-program" not in (site / "practice/write/never/index.html").read_text()
    one = visit("practice/write/add/")
    field = one.cell.block.locator("textarea")
    assert "raise NotImplementedError" in field.input_value()
    for source, word, printed in (
        ("def solve(a, b):\n    return '\U0001f525'", "failed", "3 is wanted \U0001f525\n"),
        ("def solve(a, b):\n    return a + b", "passed", "right\n"),
    ):
        field.fill(source)
        one.cell.press("Judge")
        assert one.cell.finish() == word and one.cell.text == printed
    assert "Done, at judgment 2." in one.page.locator(".tw-try").inner_text()
    one.page.context.set_offline(True)
    one.cell.press("Judge")
    assert one.cell.finish() == "passed"


def test_a_broken_script_runs_and_is_checked(visit):
    one = visit("practice/trainers/stands-still/")
    assert one.cell.run() == "equal"
    assert one.cell.block.locator(".tw-run__bar button:visible").all_inner_texts() == ["Run", "Check", "Edit"]
    one.cell.press("Check")
    assert one.cell.finish() == "failed" and one.cell.text == "still there  It does not move.\n"
    one.cell.edit(one.cell.block.locator("pre code").text_content().replace("+= 0", "+= 1"))
    one.cell.press("Check")
    assert one.cell.finish() == "passed" and one.cell.text == "gone         It does not move.\n"
    assert "Done" in one.page.locator(".tw-try").inner_text()


def test_python_does_not_go_on_without_a_package(built, tmp_path):
    copy = shutil.copytree(built / "project/build/wasm", tmp_path / "wasm")
    (copy / "files" / wasm_site.WHEEL).unlink()
    (copy / "list.json").write_text(json.dumps([{"program": "a.py", "source": "print(1)", "seconds": 60}]))
    command = ["node", str(trial.NODE), str(copy / "files"), str(copy / "list.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode and done.stdout == "" and "Not loaded: warmup-sample" in done.stderr


def test_a_page_without_a_program_is_as_it_would_be_without(site):
    for page in ("index.html", "junior/index.html", "about/live/index.html"):
        assert not re.search("tw-wasm|assets/(wasm|programs|pyodide)", (site / page).read_text())


def test_the_site_has_nothing_of_a_kernel(site):
    own = [*(site / "assets/wasm").iterdir(), *(site / "assets/programs").iterdir()]
    own += [site / "assets/pyodide" / name for name in ("worker.js", "python.js", files.TOOLS)]
    for file in own:
        assert not re.search("jupyter|kernel|token|websocket", file.read_text(), re.I), file
    assert not (site / "assets/live").exists()
    shown = [path for path in site.rglob("*") if path.suffix in (".html", ".css", ".js", ".mjs")]
    text = "\n".join(path.read_text() for path in shown)
    assert not re.search("assets/live|torch-warmup-live|/api/kernels", text)


def test_exports_do_not_show_that_programs_run(site):
    for file in [*site.rglob("*.md"), *site.rglob("*.json")]:
        assert not re.search("data-(program|record|judge|integrity|judged)", file.read_text()), file


def test_it_works_from_the_keyboard(visit):
    one = visit()
    one.page.get_by_role("button", name=re.compile("^Run .* thing.py")).focus()
    one.page.keyboard.press("Enter")
    assert one.cell.finish() == "equal"
    assert one.page.evaluate("document.activeElement.ariaLabel") == "Run thing.py"
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("Enter")
    one.page.keyboard.press("Control+a")
    one.page.keyboard.type("print(7)")
    one.page.keyboard.press("Control+Enter")
    one.page.wait_for_function("document.querySelector('.tw-run pre code').textContent == '7\\n'", timeout=30_000)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_axe_finds_no_violation_and_nothing_scrolls_sideways(visit, width, scheme):
    one = visit(width=width, scheme=scheme)
    for act in (lambda: None, one.cell.run, lambda: one.cell.run_edited("raise ValueError('long ' * 40)")):
        act()
        results = Axe().run(one.page)
        assert results.violations_count == 0, results.generate_report()
        assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
