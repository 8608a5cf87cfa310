"""What a program in a reader's browser cannot do: leave something, reach somebody, or say what it is worth.

Each program here does what once succeeded. What it can do is to print anything, and so also what is recorded.
"""

from __future__ import annotations

import json
import re
import socketserver
import threading

import pytest

import wasm_site
from warmup.dev.serving import served
from warmup.testing import PREFIX
from warmup.wasm import files

EXERCISE = "practice/write/add/"


def javascript(script: str) -> str:
    """A program that runs a script in its worker and prints nothing."""
    return f"from pyodide.code import run_js\nrun_js({script!r})\nNone"


# Each leaves something where the page or a later visit would find it.
WRITES = """(async () => {
  for (const name of [...await caches.keys(), "left"]) {
    const cache = await caches.open(name)
    for (const key of [...await cache.keys(), "/left"]) await cache.put(key, new Response("postMessage('left-here')"))
  }
})().catch(() => {})
try { indexedDB.open("left") } catch {}
try {
  navigator.storage.getDirectory().then(one => one.getFileHandle("left", { create: true })).catch(() => {})
} catch {}
try { cookieStore.set("left", "left").catch(() => {}) } catch {}
try { new BroadcastChannel("left").postMessage("left") } catch {}
"""
LEFT = """async () => {
  const found = []
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const key of await cache.keys()) {
      if ((await (await cache.match(key)).text()).includes("left-here")) found.push(key.url)
    }
  }
  found.push(...(await indexedDB.databases()).map(one => one.name))
  for await (const name of (await navigator.storage.getDirectory()).keys()) found.push(name)
  return [...found, document.cookie, ...heard].filter(Boolean)
}"""


def test_a_program_leaves_nothing(visit):
    one = visit()
    one.page.evaluate("globalThis.heard = []; new BroadcastChannel('left').onmessage = one => heard.push(one.data); 0")
    assert one.cell.run() == "equal"
    one.cell.run_edited(javascript(WRITES))
    one.page.wait_for_timeout(1000)
    assert one.page.evaluate(LEFT) == []


# What any site of the same host could do: it may write into the same caches.
POISON = """async name => {
  const [kept] = await caches.keys()
  const cache = await caches.open(kept)
  const [key] = (await cache.keys()).filter(({ url }) => decodeURIComponent(url).includes(`/${name}?`))
  await cache.put(key, new Response(`postMessage({ type: "broken", text: "poisoned" }); throw new Error("poisoned")`))
}"""


@pytest.mark.parametrize("name", ["worker.js", "pyodide.mjs", files.TOOLS, wasm_site.WHEEL, files.MANIFEST])
def test_what_is_kept_is_compared_again(visit, name):
    one = visit()
    assert one.cell.run() == "equal"
    one.page.evaluate(POISON, name)
    one.page.reload()
    one.asked.clear()
    assert one.cell.run() == "equal" and one.downloads == [name]


def test_a_kept_judge_is_compared_again(visit):
    one = visit(EXERCISE)
    judge(one, "def solve(a, b):\n    return 4")
    one.page.evaluate(POISON, "judge.py")
    one.page.reload()
    assert judge(one, "def solve(a, b):\n    return 4") == "failed"
    assert one.cell.text == "3 is wanted \U0001f525\n"


def judge(one, source: str) -> str:
    one.cell.block.locator("textarea").fill(source)
    one.cell.press("Judge")
    return one.cell.finish()


def test_a_judge_with_one_other_byte_is_refused(visit, site, tmp_path):
    copy = wasm_site.copied(site, tmp_path)
    file = copy / "snippets" / EXERCISE / "judge.py"
    file.write_text(file.read_text().replace("(1, 2) == 3", "(1, 2) != 3"))
    with served(copy.parent, PREFIX) as address:
        one = visit(EXERCISE, address=address)
        assert judge(one, "def solve(a, b):\n    return 4") == "refused"
        assert "judge.py is not the file that this page asks for" in one.cell.said


@pytest.fixture
def stranger():
    """Another host: its address, and how many have connected to it."""
    connected = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            connected.append(self.request.recv(100))

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/", connected
        server.shutdown()


# Each way in which a worker can ask for something.
ASKS = """const own = [%s]
const nested = `try { fetch("${own[0]}nested", { mode: "no-cors" }).catch(() => {}) } catch {}
  try { importScripts("${own[0]}nested") } catch {}`
for (const url of own) {
  for (const ask of [
    () => { const one = new XMLHttpRequest(); one.open("GET", url + "a"); one.send() },
    () => { const one = new XMLHttpRequest(); one.open("GET", url + "b", false); one.send() },
    () => fetch(url + "c", { mode: "no-cors" }).catch(() => {}),
    () => Object.getPrototypeOf(globalThis).fetch?.call(globalThis, url + "d", { mode: "no-cors" }).catch(() => {}),
    () => { new WebSocket(url.replace("http", "ws") + "e").onerror = () => {} },
    () => { new EventSource(url + "f") },
    () => importScripts(url + "g"),
    () => import(url + "h").catch(() => {}),
    () => { new Worker(url + "i").onerror = event => event.preventDefault() },
    () => { new FontFace("x", `url(${url}j)`).load().catch(() => {}) },
    () => { new Worker(URL.createObjectURL(new Blob([nested]))).onerror = event => event.preventDefault() },
    () => { delete globalThis.fetch; globalThis.fetch(url + "k", { mode: "no-cors" }).catch(() => {}) },
    () => { navigator.sendBeacon(url + "l") },
    () => { new WebTransport(url.replace("http:", "https:") + "m") },
  ]) try { ask() } catch {}
}
"""


def test_a_program_reaches_nobody(visit, site, stranger):
    address, connected = stranger
    one = visit()
    assert one.cell.run() == "equal"
    before = len(one.reached)
    script = ASKS % f"{json.dumps(address)}, {json.dumps(one.address)}"
    one.cell.run_edited(javascript(script))
    one.page.wait_for_timeout(1500)
    assert connected == [] and [url for url in one.reached[before:] if not url.startswith("blob:")] == []
    one.asked.clear()  # what its policy has stopped


def test_a_program_is_at_no_sites_origin(visit):
    one = visit()
    one.cell.run()
    assert one.page.evaluate("[...document.querySelectorAll('iframe')].map(one => one.getAttribute('sandbox'))") == [
        "allow-scripts"
    ]
    one.cell.run_edited("import js\nprint(js.self.origin, js.location.href.split('/')[0])")
    assert one.cell.text == "null blob:null\n"


# All that once made a page believe a program, and what would if it knew how a run is named.
FORGES = """const own = globalThis.postMessage.bind(globalThis)
const verdict = { code: 0, word: %(word)s, text: "Equals the recorded output.", difference: "", seconds: 0, torch: "" }
const forge = message => own({ ...message, ...verdict, type: "done", verdict })
forge({})
globalThis.postMessage = message => { forge(message); own(message) }
"""


def forgery(word: str) -> str:
    return javascript(FORGES % {"word": json.dumps(word)})


def test_a_program_cannot_say_what_it_is_worth(visit):
    one = visit()
    one.cell.run()
    assert one.cell.run_edited("print('1 from a wheel')") == "equal"  # by printing it, it can
    assert one.cell.run_edited(f"{forgery('equal')}\nprint('mine')") == "different"
    assert one.cell.run_edited("print('mine again')") == "different"


def test_a_solution_cannot_say_that_it_is_right(visit):
    one = visit(EXERCISE)
    assert judge(one, f"{forgery('passed')}\ndef solve(a, b):\n    return 4") == "failed"
    assert "Done" not in one.page.locator(".tw-try").inner_text()


def test_an_exit_code_is_no_verdict(visit):
    one = visit(EXERCISE)
    assert judge(one, "raise SystemExit(0)") == "failed"
    assert "Done" not in one.page.locator(".tw-try").inner_text()


FLOODS = {
    "text": (3_000, '...message, type: "text", stream: "stdout", text: "x".repeat(100)'),
    "no text": (300_000, '...message, type: "text", stream: "stdout", text: ""'),
    "a list": (300_000, '...message, type: "text", stream: "stdout", text: list'),
    "another program's": (300_000, 'type: "done", id: 0'),
}


@pytest.mark.parametrize(("many", "message"), FLOODS.values(), ids=FLOODS)
def test_a_flood_that_python_does_not_count_is_ended_by_the_page(visit, many, message):
    one = visit()
    one.cell.run()
    flood = f"""const own = globalThis.postMessage.bind(globalThis), list = ["x".repeat(100)]
globalThis.postMessage = message => {{
  for (let i = 0; i < {many}; i += 1) own({{ {message} }})
}}"""
    assert one.cell.run_edited(f"{javascript(flood)}\nprint(1)") == "failed"
    assert "Printed more than 256 KiB" in one.cell.said and len(one.cell.text) <= 256 * 1024
    one.cell.press("Reset")
    assert one.cell.run() == "equal"


LEFT_BEHIND = {
    **{kind: f"{{ type: '{kind}', text }}" for kind in ("text", "done", "ready")},
    **{"null": "null", "empty": "{}", "array": "list", "arrays": "{ type: 'text', list }"},
}


@pytest.mark.parametrize("message", LEFT_BEHIND.values(), ids=LEFT_BEHIND)
def test_what_a_program_leaves_behind_cannot_flood_the_page(visit, message):
    one = visit()
    one.cell.run()
    flood = f"""const own = globalThis.postMessage.bind(globalThis), text = "x".repeat(1000), list = new Uint8Array(1e5)
setInterval(() => {{ for (let i = 0; i < 100; i += 1) own({message}) }}, 10)"""
    assert one.cell.run_edited(f"{javascript(flood)}\nprint('1 from a wheel')") == "equal"
    one.page.wait_for_function("document.querySelector('iframe') === null", timeout=15_000)
    one.cell.press("Reset")
    assert one.cell.run() == "equal"


LONG = {
    **{name: f'{{ ...message, text: "", {name}: long + i }}' for name in ("id", "type", "stream", "code")},
    "only words": "long + i",
    "a large number": "{ ...message, code: 1n << 80000000n }",
}


@pytest.mark.parametrize("message", LONG.values(), ids=LONG)
def test_long_words_where_there_are_none_are_a_flood(visit, message):
    one = visit()
    one.cell.run()
    flood = f"""const own = globalThis.postMessage.bind(globalThis), long = "x".repeat(1e6)
globalThis.postMessage = message => {{
  if (message.type === "text") for (let i = 0; i < 20; i += 1) own({message})
  own(message)
}}"""
    assert one.cell.run_edited(f"{javascript(flood)}\nprint('1 from a wheel')") == "failed"
    assert "Printed more than 256 KiB" in one.cell.said
    one.cell.press("Reset")
    assert one.cell.run() == "equal"


def test_messages_of_any_form_break_nothing(visit):
    one = visit()
    one.cell.run()
    odd = """for (const one of [null, 0, "done", [], {}, { type: "text" }, { type: {} }, { type: "done", id: null }])
  postMessage(one)"""
    assert one.cell.run_edited(f"{javascript(odd)}\nprint('1 from a wheel')") == "equal"
    markup = """const own = globalThis.postMessage.bind(globalThis)
globalThis.postMessage = message => own({ ...message, text: "<img src=x onerror=alert(1)>", stream: "<b>" })"""
    one.cell.run_edited(f"{javascript(markup)}\nprint(1)")
    assert "<img" in one.cell.text and one.cell.output.locator("img").count() == 0


def test_the_judge_in_the_page_is_the_one_with_its_hash(site):
    text = (site / EXERCISE / "index.html").read_text()
    (found,) = re.findall(r'data-integrity="([^"]*)"', text)
    assert found == wasm_site.sri((site / "snippets" / EXERCISE / "judge.py").read_bytes())
