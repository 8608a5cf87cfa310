"""The manifest is what browsers request."""

from __future__ import annotations

import json
import re

from release_host import manifest, open_every_page, visit
from warmup.exports import offline
from warmup.vocabulary import LEVELS

EXERCISE = "write/causal-attention/"
# Of each level a question and an exercise: each level has files of its own.
KIT = "interview-kit/?questions=" + ",".join(
    [
        *("junior/autograd/zero-grad", "mid/debugging/loss-plateau", "senior/inference/kv-cache"),
        *(f"practice/write/{name}" for name in ("rms-norm", "causal-attention", "kv-cache-step")),
    ]
)
ELSEWHERE = [
    *("", "plan/", "questions/", "offline.html", "junior/the-role/what-interviewers-expect/"),
    *(f"{level}/{page}" for level in LEVELS for page in ("", "sheet/")),
]


def test_the_manifest_lists_what_browsers_request(chromium, whole_host):
    asked = set()
    for scheme in ("light", "dark"):
        context = chromium.new_context(color_scheme=scheme, service_workers="block")
        page = context.new_page()
        page.on("request", lambda request: asked.add(request.url.split("?")[0]))
        open_every_page(visit(context, whole_host), whole_host, 1)
        page.goto(whole_host.practice)
        for path in ("", "daily/", "flashcards/", "mock/", "predict/", "write/", "trainers/", EXERCISE, "anki/", KIT):
            page.goto(whole_host.practice + path)
            page.wait_for_load_state("networkidle")
        page.goto(whole_host.practice + KIT)
        with page.expect_response("**/words.json"):  # which a list loads once somebody types
            page.get_by_role("searchbox", name="Words in title").focus()
        with page.expect_download():
            page.get_by_role("button", name="Download Markdown").click()
        for path in ELSEWHERE if scheme == "light" else ():
            page.goto(whole_host.root + path)
        context.close()
    listed = {whole_host.root + address for address in manifest(whole_host.folder)["files"]}
    # A reader who answers a single question sees one topic of each mode, and begins one exercise.
    by_topic = re.compile(
        re.escape(whole_host.practice) + "(proofs|predict|write|trainers)/.|.*/snippets/practice/(write|trainers)/."
    )
    # Without a window to show it in, Chromium does not ask for the icon.
    asked.add(f"{whole_host.root}assets/images/favicon.svg")
    assert asked <= listed
    assert any(map(by_topic.match, asked))
    assert all(map(by_topic.match, listed - asked))


def test_the_manifest_is_the_one_of_the_files_beside_it(site):
    assert json.loads((site / offline.MANIFEST).read_text()) == offline.manifest(site)
