"""Who does not have the token of this start cannot start, read or stop anything; see the page about `make live`."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from pathlib import Path

import pytest
import websocket
from test_page import PAGE, Cell

from live_server import KERNELS, ask, bearer, exchange, until
from warmup.live import environment, server
from warmup.live.keys import Keys
from warmup.project import ROOT


def kernels(live) -> list[dict]:
    return json.loads(ask(live, KERNELS, **bearer(live)).text)


def started(live) -> str:
    """The id of a new kernel."""
    response = ask(live, KERNELS, "POST", "{}", **bearer(live))
    assert response.status == 201, response.text
    return json.loads(response.text)["id"]


def test_it_listens_on_the_loopback_interface_only(live):
    listening = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
    own = [line.split()[3] for line in listening.splitlines() if f"pid={live.process.pid}," in line]
    assert own == [f"127.0.0.1:{live.port}"]


def test_a_kernel_has_one_port_for_its_children_which_only_this_machine_reaches(live):
    started(live)

    def listening() -> list[str]:
        pids = live.descendants()
        told = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
        return [line.split()[3] for line in told.splitlines() if any(f"pid={pid}," in line for pid in pids)]

    until(listening, 60)  # only once it has started
    (address,) = listening()
    assert address.startswith("127.0.0.1:")


def test_the_token_is_new_at_each_start_and_long(start):
    one, other = start(), start()
    assert one.token != other.token and min(len(one.token), len(other.token)) >= 43


def test_a_printed_key_works_once_and_only_for_the_page_of_this_server(live):
    key = live.key()
    assert key != live.token and len(key) >= 43
    for origin in ("http://127.0.0.1:1", "https://example.com", "null", live.address.replace("http", "https"), ""):
        assert exchange(live, key, Origin=origin).status == 403
    assert ask(live, "/jupyter/key", "POST", key).status == 403
    assert ask(live, "/jupyter/key", "GET").status in (302, 403, 405)
    used = exchange(live, key)
    assert used.status == 200 and json.loads(used.text) == {"token": live.token}
    assert used.headers["Cache-Control"] == "no-store"
    for again in (key, "", "wrong", live.token, "\u00e9", key + "a"):
        assert exchange(live, again).status == 403


def test_a_key_works_for_a_minute():
    now = 1000.0
    keys = Keys(clock=lambda: now)
    one, other = keys.new(), keys.new()
    now += 59.9
    assert keys.use(one) == keys.token
    now += 0.2
    assert keys.use(other) is None


def test_a_key_is_no_token(live):
    key = live.key()
    assert ask(live, KERNELS, Authorization=f"token {key}").status == 403
    assert exchange(live, key).status == 200


def test_enter_prints_a_new_address_and_the_older_one_still_works(live):
    one, other = live.key(), live.key()
    assert one != other
    assert [exchange(live, key).status for key in (one, other)] == [200, 200]


def test_the_end_of_its_input_does_not_end_the_server(start):
    live = start()
    live.process.stdin.close()
    live.process.stdin = None
    time.sleep(0.3)
    assert live.process.poll() is None and ask(live, KERNELS, **bearer(live)).status == 200


@pytest.mark.parametrize("path", ["/%00", "/a%00b/", "/jupyter/%00", "/jupyter/api/kernels%00"])
def test_a_path_with_a_nul_byte_is_refused_in_silence(live, path):
    before = live.log.read_text("utf-8")
    assert ask(live, path).status == 400
    assert live.log.read_text("utf-8") == before


@pytest.mark.parametrize(
    "path", ["/jupyter/favicon.ico", "/jupyter/robots.txt", "/jupyter/", "/jupyter/metrics", "/jupyter"]
)
def test_nothing_of_jupyters_own_pages_is_there(live, path):
    before = live.log.read_text("utf-8")
    for headers in ({}, bearer(live)):
        assert ask(live, path, **headers).status == 404
    assert live.log.read_text("utf-8") == before


@pytest.mark.parametrize("host", ["%2Ftmp", "%2Fetc%2Fpasswd:8000", "", "127.0.0.1@evil.example", "127.0.0.1:80:80"])
def test_a_host_that_is_a_path_or_none_is_foreign(live, host):
    assert ask(live, "/", Host=host).status in (400, 403)
    assert ask(live, KERNELS, Host=host, **bearer(live)).status in (400, 403)


def test_a_large_body_is_refused_before_it_is_read(live):
    for path in ("/", KERNELS, "/jupyter/key"):
        with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{live.port}\r\nContent-Length: 400000000\r\n\r\n"
            connection.sendall(head.encode())
            answer = connection.recv(100)  # though nothing of the body has been sent
        assert b" 400 " in answer or answer == b""


def test_a_large_body_that_does_not_tell_its_length_is_not_taken_in(live):
    chunk = f"{2**20:x}\r\n".encode() + bytes(2**20) + b"\r\n"
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        head = f"POST {KERNELS} HTTP/1.1\r\nHost: 127.0.0.1:{live.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head.encode())
        with pytest.raises(OSError):
            for _ in range(100):
                connection.sendall(chunk)


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=", "multipart/form-data; boundary=x"])
@pytest.mark.parametrize("path", ["/jupyter/key", KERNELS, "/jupyter/favicon.ico", "/junior/"])
def test_a_malformed_body_is_refused_in_silence(live, path, kind):
    before = live.log.read_text("utf-8")
    answer = ask(live, path, "POST", "--x\r\nbroken", Content_Type=kind, Origin="http://evil.example")
    assert answer.status == 400
    assert live.log.read_text("utf-8") == before


@pytest.mark.parametrize(
    "body", ['{"name": "nope"}', '{"name": 5}', '{"kernel_id": "a"}', "[]", "5", "{", '{"path": 1}']
)
def test_a_page_has_no_say_in_what_is_started(live, body):
    before, running = live.log.read_text("utf-8"), len(kernels(live))
    assert ask(live, KERNELS, "POST", body, **bearer(live)).status == 400
    assert len(kernels(live)) == running and live.log.read_text("utf-8") == before


def test_a_token_in_an_address_is_none(live):
    assert ask(live, f"{KERNELS}?token={live.token}").status == 403
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        websocket.create_connection(
            f"ws://127.0.0.1:{live.port}{KERNELS}/{started(live)}/channels?token={live.token}", timeout=10
        )
    assert refused.value.status_code == 403


MALFORMED = {
    "a length of 2**60": (2**60).to_bytes(8, "little"),
    "2**31 - 1 buffers": (2**31 - 1).to_bytes(4, "big"),
    "no JSON": "{",
    "null": "null",
    "a list": "[]",
    "no header": '{"channel": "shell"}',
    "another channel": '{"channel": "x", "header": {}}',
    "100000 levels": "[" * 100_000,
}


@pytest.mark.parametrize("message", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_message_ends_its_connection_and_nothing_else(live, message):
    kernel = started(live)
    bad = connect(live, kernel, live.token, origin=live.address)
    (bad.send_binary if isinstance(message, bytes) else bad.send)(message)
    begun = time.monotonic()
    assert [one["id"] for one in kernels(live)] == [kernel]
    assert time.monotonic() - begun < 2
    assert live.token not in live.log.read_text("utf-8")
    bad.close()
    connect(live, kernel, live.token, origin=live.address).close()


def test_only_known_variables_are_passed_on():
    given = {"PATH": "/bin", "LC_ALL": "C", "CUDA_VISIBLE_DEVICES": "0", "HOME": "/h"}
    hostile = {"PYTHONOPTIMIZE": "1", "PYTHONPATH": "/x", "PATHS": "a", "LD_PRELOAD": "a", "JUPYTER_TOKEN": "a"}
    assert environment.made(given | hostile) == given | {"PYTHONPATH": str(ROOT / "scripts")}


def test_make_passes_on_no_variable_that_turns_asserts_off():
    names = ("PYTHONOPTIMIZE", "PYTHONINSPECT", "PYTHONSTARTUP")
    words = ["make", "-s", "-f", "Makefile", "-f", "-", "probe"]
    probe = "probe:\n\t@env\n"
    seen = subprocess.run(
        words, cwd=ROOT, input=probe, env={**os.environ, **dict.fromkeys(names, "1")}, capture_output=True, text=True
    )
    assert "PYTHONPATH=scripts" in seen.stdout and not [name for name in names if f"{name}=" in seen.stdout]


def test_no_connection_is_closed_because_a_busy_browser_answers_late(tmp_path):
    assert server.settings(1, "", tmp_path).ServerApp.tornado_settings["ws_ping_interval"] == 0


@pytest.mark.parametrize("name", ["PYTHONOPTIMIZE", "PYTHONINSPECT"])
def test_a_variable_of_the_readers_changes_nothing(start, name):
    live = start(**{name: "2"}, PYTHONWARNINGS="ignore", LD_PRELOAD="", SECRET="known")
    variables = Path(f"/proc/{live.process.pid}/environ")
    if variables.exists():
        names = {line.partition(b"=")[0].decode() for line in variables.read_bytes().split(b"\0") if line}
        assert not names & {name, "PYTHONWARNINGS", "LD_PRELOAD", "SECRET"} and "PATH" in names
    connect(live, started(live), live.token, origin=live.address).close()
    live.process.terminate()
    assert live.process.wait(10) == 0


def test_a_module_in_the_folder_is_not_imported(start, chromium, tmp_path):
    for name in ("random", "argparse", "ipykernel_launcher", "ipykernel", "torch", "numpy", "warmup"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w'); raise SystemExit('imported')")
    live = start(cwd=str(tmp_path))
    assert ask(live, KERNELS, **bearer(live)).status == 200
    page = chromium.new_page()
    page.goto(f"{live.address}/{PAGE}#key={live.key()}")
    assert Cell(page).run() == "equal"
    page.close()
    assert not (tmp_path / "imported").exists()


WITHOUT = {
    "no token": {},
    "an empty one": {"Authorization": "token "},
    "a wrong one": {"Authorization": "token wrong"},
    "a cookie of Jupyter's own form": {
        "Cookie": 'username-127-0-0-1="2|1:0|10:1|24:username|4:eA==|aaaa"; _xsrf=a',
        "X_XSRFToken": "a",
    },
}


@pytest.mark.parametrize("headers", WITHOUT.values(), ids=WITHOUT.keys())
def test_without_the_token_no_kernel_is_started_read_or_stopped(live, headers):
    kernel = started(live)
    for method, path in [
        ("GET", KERNELS),
        ("POST", KERNELS),
        ("GET", f"{KERNELS}/{kernel}"),
        ("DELETE", f"{KERNELS}/{kernel}"),
        ("POST", f"{KERNELS}/{kernel}/interrupt"),
        ("POST", f"{KERNELS}/{kernel}/restart"),
    ]:
        response = ask(live, path, method, "{}" if method == "POST" else None, **headers)
        assert response.status in (302, 401, 403), (method, path, response.status)
        assert kernel not in response.text
    assert [one["id"] for one in kernels(live)] == [kernel]


def test_a_token_in_a_form_does_not_count_without_the_check_of_its_origin(live):
    response = ask(live, KERNELS, "POST", "token=wrong", Content_Type="application/x-www-form-urlencoded")
    assert response.status == 403 and kernels(live) == []


def connect(live, kernel: str, token: str = "", **options) -> websocket.WebSocket:
    protocols = ["torch-warmup", f"token.{token}"] if token else ["torch-warmup"]
    return websocket.create_connection(
        f"ws://127.0.0.1:{live.port}{KERNELS}/{kernel}/channels", timeout=10, subprotocols=protocols, **options
    )


@pytest.mark.parametrize("token", ["", "wrong"])
@pytest.mark.parametrize("origin", [None, "own", "http://127.0.0.1:1", "https://example.com"])
def test_without_the_token_no_websocket_opens(live, token, origin):
    kernel = started(live)
    options = {"suppress_origin": True} if origin is None else {"origin": live.address if origin == "own" else origin}
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        connect(live, kernel, token, **options)
    assert refused.value.status_code == 403


def test_with_the_token_none_opens_from_another_origin_either(live):
    kernel = started(live)
    for origin in ("http://127.0.0.1:1", "https://example.com"):
        with pytest.raises(websocket.WebSocketBadStatusException) as refused:
            connect(live, kernel, live.token, origin=origin)
        assert refused.value.status_code == 403
        assert ask(live, KERNELS, "POST", "{}", Origin=origin, **bearer(live)).status in (403, 404)
    assert [one["id"] for one in kernels(live)] == [kernel]


@pytest.mark.parametrize("origin", ["http://[", "null", "https://own", "http://127.0.0.1:1", ""])
def test_a_foreign_or_broken_origin_is_refused_in_silence(live, origin):
    before, origin = live.log.read_text("utf-8"), origin.replace("own", live.address.removeprefix("http://"))
    for headers in ({}, bearer(live)):
        for method, path in [("POST", KERNELS), ("GET", KERNELS), ("POST", "/jupyter/key"), ("GET", "/junior/")]:
            assert ask(live, path, method, Origin=origin, **headers).status == 403
    assert kernels(live) == [] and live.log.read_text("utf-8") == before


def test_with_the_token_it_opens(live):
    connect(live, started(live), live.token, origin=live.address).close()


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "192.168.0.1", "127.0.0.1.evil.example"])
def test_a_foreign_host_name_gets_nothing_even_with_the_token(live, host):
    for path in ("/", "/junior/autograd/zero-grad/", "/jupyter/api", KERNELS):
        assert ask(live, path, Host=host).status == 403
        assert ask(live, path, Host=host, **bearer(live)).status == 403
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        connect(live, started(live), live.token, host=host)
    assert refused.value.status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "contents",
        "contents/x",
        "terminals",
        "sessions",
        "shutdown",
        "config/a",
        "kernelspecs",
        "nbconvert",
        "events",
        "status",
        "me",
        "spec.yaml",
    ],
)
def test_there_is_nothing_but_kernels(live, path):
    for method in ("GET", "POST"):
        response = ask(live, f"/jupyter/api/{path}", method, "{}" if method == "POST" else None, **bearer(live))
        assert response.status in (404, 405), (method, path, response.status)


@pytest.mark.parametrize(
    "path",
    [
        "/jupyter/files/a",
        "/jupyter/view/a",
        "/jupyter/tree",
        "/jupyter/lab",
        "/jupyter/login",
        "/jupyter/logout",
        "/jupyter/terminals/1",
    ],
)
def test_there_are_no_files_and_no_login(live, path):
    assert ask(live, path, **bearer(live)).status == 404


@pytest.mark.parametrize(
    "path", ["/../../etc/passwd", "/..%2f..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd"]
)
def test_only_the_built_site_is_served(live, path):
    response = ask(live, path)
    assert response.status in (403, 404) and "root:" not in response.text


def test_no_page_lets_itself_be_framed_or_tells_where_it_was(live):
    for path in ("/", "/no-such-page/", KERNELS):
        response = ask(live, path)
        assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert not [value for name, value in response.headers.items() if name.lower().startswith("access-control")]


def test_no_cookie_holds_the_token_or_logs_in(live):
    response = ask(live, KERNELS, **bearer(live))
    cookies = response.headers.get_all("Set-Cookie") or []
    assert response.status == 200 and all(cookie.startswith("_xsrf=") for cookie in cookies)
    assert not any(live.token in cookie for cookie in cookies)


def test_the_log_has_no_token(live):
    kernel = started(live)
    connect(live, kernel, live.token, origin=live.address).close()
    ask(live, f"{KERNELS}?token=wrong")
    ask(live, f"/no-such-page/?token={live.token}")
    log = live.log.read_text(encoding="utf-8")
    assert live.token not in log


HOSTILE = """
c = get_config()
c.ServerApp.ip = "0.0.0.0"
c.ServerApp.allow_origin = "*"
c.ServerApp.disable_check_xsrf = True
c.ServerApp.allow_remote_access = True
c.IdentityProvider.token = ""
c.ServerApp.jpserver_extensions = {"jupyter_server_terminals": True}
"""


def test_the_users_own_settings_of_jupyter_change_nothing(start, tmp_path):
    for folder in (".jupyter", ".ipython/profile_default/startup", "spec/kernels/python3"):
        Path(tmp_path, folder).mkdir(parents=True)
    for name in ("jupyter_server_config.py", "jupyter_config.py"):
        Path(tmp_path, ".jupyter", name).write_text(HOSTILE)
    marker = tmp_path / "was-here"
    Path(tmp_path, ".ipython/profile_default/startup/a.py").write_text(f"open({str(marker)!r}, 'w')")
    spec = {"argv": ["touch", str(marker)], "display_name": "x", "language": "python"}
    Path(tmp_path, "spec/kernels/python3/kernel.json").write_text(json.dumps(spec))
    live = start(
        HOME=str(tmp_path),
        JUPYTER_CONFIG_DIR=str(tmp_path / ".jupyter"),
        JUPYTER_PATH=str(tmp_path / "spec"),
        JUPYTER_TOKEN="known",
        JUPYTER_SERVER_ALLOW_UNAUTHENTICATED_ACCESS="true",
        JUPYTER_ALLOW_INSECURE_WRITES="1",
        IPYTHONDIR=str(tmp_path / ".ipython"),
    )
    for headers in ({}, {"Authorization": "token known"}, {"Origin": "https://example.com"}):
        assert ask(live, KERNELS, "POST", "{}", **headers).status in (403, 404)
    assert ask(live, "/", Host="evil.example").status == 403
    assert "Access-Control-Allow-Origin" not in ask(live, "/jupyter/api", Origin="https://example.com").headers
    assert ask(live, "/jupyter/api/terminals", **bearer(live)).status == 404
    test_it_listens_on_the_loopback_interface_only(live)
    connect(live, started(live), live.token, origin=live.address).close()
    assert not marker.exists()
