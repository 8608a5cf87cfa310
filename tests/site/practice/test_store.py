"""The reader's progress survives what browsers, other tabs and files do to it."""

from __future__ import annotations

import json
import re
import time

import pytest
from playwright.sync_api import expect

from practice_pages import KEY, block_storage, fill_storage, put, state, stored, with_stored

PAGE = "practice/"
CARD = {
    "at": 1_700_000_000_000,
    "last": 1_700_000_000_000,
    "due": 1_700_500_000_000,
    "stability": 5.5,
    "difficulty": 5,
    "reviews": 2,
}
ONE, TWO = "card:junior/autograd/zero-grad", "card:junior/autograd/no-grad"


def store(page, code: str, argument=None):
    """Run ``code`` with ``store`` and ``module`` (store.js) in the page."""
    return page.evaluate(
        "async ([url, code, argument]) => { const module = await import(url);"
        " return new Function('module', 'store', 'argument', code)(module, module.store, argument) }",
        [page.url.split("practice/")[0] + "assets/javascripts/shared/store.js", code, argument],
    )


def notice(page):
    return page.locator(".tw-notice:not(.tw-message)")


def summary(page):
    return page.locator(".tw-summary")


DAMAGED = [
    ("not JSON at all", 0, 0),
    ("[]", 0, 0),
    (state({ONE: CARD, TWO: {**CARD, "reviews": 1}})[:-20], 1, 0),  # cut off while it was written
    (state({ONE: CARD, TWO: {**CARD, "stability": "long"}}), 1, 1),
    (state({ONE: CARD, TWO: {**CARD, "at": 10**15}}), 1, 1),  # a time that no clock shows: it would win for ever
    (state({ONE: CARD, "spell:abracadabra": CARD, TWO: None}), 1, 2),
    (state({ONE: CARD, "place:plan": {"at": 5, "time": {"toString": 1}}}), 1, 1),  # no text can be made of it
    (state({ONE: CARD, "place:kit": {"at": 5, "questions": [{"toString": 1}]}}), 1, 1),
    (json.dumps({"version": 0, "entries": {ONE: CARD, TWO: {"due": 3, "box": 2}}}), 1, 1),  # an older format
]


def test_of_damaged_or_older_progress_every_entry_that_can_be_used_is_kept(open_page):
    page = open_page(PAGE)
    for text, kept, lost in DAMAGED:
        found = store(
            page, "const { state, lost } = module.parse(argument);return [[...state.entries.keys()], lost]", text
        )
        assert found == [[ONE] * kept, lost], text


@pytest.mark.parametrize(("text", "kept", "lost"), [DAMAGED[0], DAMAGED[2], DAMAGED[6]])
def test_damaged_or_older_progress_is_told_and_what_was_stored_can_be_saved(open_page, text, kept, lost):
    page = with_stored(open_page, PAGE, text)
    expect(summary(page)).to_contain_text(f"{kept} flashcard")
    expect(notice(page)).to_contain_text(f"{kept} {'entry' if kept == 1 else 'entries'} could be kept")
    if lost:
        expect(notice(page)).to_contain_text(f"{lost} {'entry' if lost == 1 else 'entries'} could not")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save what was stored").click()
    assert download.value.path().read_text() == text
    store(page, "store.set('place:test', {})")
    assert set(stored(page)) == ({ONE} if kept else set()) | {"place:test"}


def test_undamaged_progress_needs_no_notice(open_page):
    page = with_stored(open_page, PAGE, state({ONE: CARD, TWO: CARD}))
    expect(summary(page)).to_contain_text("2 flashcards")
    expect(notice(page)).to_be_hidden()


def test_a_clock_that_was_set_back_loses_nothing_and_later_answers_win(open_page):
    ahead = int(time.time() * 1000) + 400 * 86_400_000
    page = with_stored(open_page, PAGE, state({ONE: {**CARD, "at": ahead}, TWO: CARD}))
    expect(summary(page)).to_contain_text("2 flashcards")
    expect(notice(page)).to_be_hidden()
    store(page, "store.set(argument, { ...store.get(argument), reviews: 3 })", ONE)
    found = stored(page)
    assert set(found) == {ONE, TWO} and found[ONE]["reviews"] == 3 and found[ONE]["at"] > ahead


def test_progress_of_a_newer_version_is_left_alone(open_page):
    text = state({ONE: CARD}).replace('"version": 1', '"version": 2')
    page = with_stored(open_page, PAGE, text)
    expect(notice(page)).to_contain_text("newer version")
    store(page, "store.set('place:test', {})")
    assert page.evaluate("key => localStorage.getItem(key)", KEY) == text


def test_full_storage_is_told_and_the_session_goes_on(open_page):
    page = open_page(PAGE)
    fill_storage(page)
    store(page, "store.set(argument[0], argument[1])", [ONE, CARD])
    expect(notice(page)).to_contain_text("storage is full")
    expect(summary(page)).to_contain_text("1 flashcard answered")
    with page.expect_download() as download:
        page.get_by_role("button", name="Write to a file").click()
    assert ONE in download.value.path().read_text()


def test_blocked_storage_is_told_and_the_session_goes_on(open_page):
    page = open_page("404.html")
    block_storage(page)
    page.goto(page.url.replace("404.html", PAGE))
    expect(notice(page)).to_contain_text("does not let the site store anything")
    store(page, "store.set(argument[0], argument[1])", [ONE, CARD])
    expect(summary(page)).to_contain_text("1 flashcard answered")


def import_file(page, text: str) -> None:
    page.locator("input[type=file]").set_input_files(
        {"name": "progress.json", "mimeType": "application/json", "buffer": text.encode()}
    )


FOREIGN = [
    "",
    "<html>",
    "[1, 2]",
    "{}",
    json.dumps({"format": "another", "version": 1, "entries": {ONE: CARD}}),
    json.dumps({"format": "torch-warmup-progress", "version": 1, "entries": [1]}),
    json.dumps({"format": "torch-warmup-progress", "version": 9, "entries": {ONE: CARD}}),
]


def test_a_file_that_is_not_ours_changes_nothing(open_page):
    page = with_stored(open_page, PAGE, state({TWO: CARD}))
    message = page.locator("#progress .tw-message")
    for text in FOREIGN:
        message.evaluate("element => { element.textContent = '' }")
        import_file(page, text)
        expect(message).to_contain_text(re.compile("nothing has changed", re.I))
        assert set(stored(page)) == {TWO}


def test_progress_moves_to_another_browser_as_a_file(open_page):
    page = with_stored(open_page, PAGE, state({ONE: CARD}))
    with page.expect_download() as download:
        page.get_by_role("button", name="Write to a file").click()
    assert re.fullmatch(r"torch-warmup-progress-\d{4}-\d\d-\d\d\.json", download.value.suggested_filename)
    text = download.value.path().read_text()
    other = with_stored(open_page, PAGE, state({ONE: {**CARD, "at": CARD["at"] - 1, "reviews": 1}, TWO: CARD}))
    import_file(other, text.replace('"entries":{', '"entries":{"card:broken":{"at":1},'))
    expect(other.locator("#progress .tw-message")).to_contain_text("Read 1 entry; 1 entry could not be used.")
    assert stored(other) == {ONE: CARD, TWO: CARD}  # the later answer wins


def test_forget_everything_asks_first_and_reaches_other_tabs(open_page):
    page = with_stored(open_page, PAGE, state({ONE: CARD, TWO: CARD}))
    other = page.context.new_page()
    other.goto(page.url)
    page.get_by_role("button", name="Forget everything").click()
    page.keyboard.press("Enter")  # the focus is on Keep it
    expect(summary(page)).to_contain_text("2 flashcards")
    page.get_by_role("button", name="Forget everything").click()
    page.get_by_role("button", name="Forget it").click()
    for tab in (page, other):
        expect(summary(tab)).to_contain_text("0 flashcards")
    store(other, "store.set('place:test', {})")  # what the other tab knew does not come back with its next change
    assert set(stored(page)) == {"place:test"}
    page.reload()
    expect(summary(page)).to_contain_text("0 flashcards")


def test_a_file_from_before_forgetting_can_be_read_back(open_page):
    page = with_stored(open_page, PAGE, state({ONE: CARD}))
    text = store(page, "return store.export()")
    store(page, "store.reset()")
    import_file(page, text)
    expect(summary(page)).to_contain_text("1 flashcard answered")
    page.reload()
    expect(summary(page)).to_contain_text("1 flashcard answered")


def test_no_file_can_take_the_last_moment_after_which_nothing_could_be_changed(open_page):
    page = open_page(PAGE)
    last = 4_102_444_799_999
    file = json.dumps(
        {"format": "torch-warmup-progress", "version": 1, "entries": {ONE: {**CARD, "at": last}, TWO: CARD}}
    )
    assert store(page, "return store.import(argument)", file) == "Read 1 entry; 1 entry could not be used."
    change = "store.set(argument[0], argument[1]); return store.get(argument[0]).reviews"
    assert store(page, change, [ONE, {**CARD, "reviews": 3}]) == 3
    store(page, "store.reset()")
    assert store(page, change, [ONE, {**CARD, "reviews": 4}]) == 4


def test_two_tabs_that_answer_at_once_lose_nothing(open_page):
    page = open_page(PAGE)
    other = page.context.new_page()
    other.goto(page.url)
    for number in range(10):
        store(page, "store.set(...argument)", [f"card:first/{number}", CARD])
        store(other, "store.set(...argument)", [f"card:second/{number}", CARD])
    for tab in (page, other):
        expect(summary(tab)).to_contain_text("20 flashcards")
    assert len(stored(page)) == 20


def test_what_a_tab_overwrote_unseen_is_handed_back(open_page):
    page = open_page(PAGE)
    other = page.context.new_page()
    other.goto(page.url)
    store(page, "store.set(...argument)", [ONE, CARD])
    expect(summary(other)).to_contain_text("1 flashcard answered")
    # As if the other tab had read before the first one wrote, and written after it.
    put(other, {TWO: CARD})
    expect(summary(page)).to_contain_text("2 flashcards")
    assert set(stored(page)) == {ONE, TWO}


def test_merging_states_does_not_depend_on_the_order(open_page):
    page = open_page(PAGE)
    differing = store(
        page,
        """
        const { merge } = module
        let seed = 1
        const random = n => (seed = (seed * 16807) % 2147483647) % n
        const one = () => ({ since: random(4), entries: new Map(Array.from({ length: random(5) },
            () => ["place:" + random(4), { at: 1 + random(5), value: random(3) }])) })
        const text = state => JSON.stringify([state.since, [...state.entries].sort(([a], [b]) => a < b ? -1 : 1)])
        let count = 0
        for (let i = 0; i < 2000; i++) {
            const [a, b, c] = [one(), one(), one()]
            if (text(merge(a, b)) !== text(merge(b, a))) count++
            if (text(merge(merge(a, b), c)) !== text(merge(a, merge(b, c)))) count++
            if (text(merge(merge(a, b), b)) !== text(merge(a, b))) count++
        }
        return count
    """,
    )
    assert differing == 0


def test_a_wrong_entry_is_refused_where_it_is_made(open_page):
    page = open_page(PAGE)
    for name, fields in ((ONE, {"due": 1}), ("nokind:x", {}), ("place", {})):
        assert (
            store(
                page,
                "try { store.set(...argument); return 'stored' } catch (error) { return error.name }",
                [name, fields],
            )
            == "TypeError"
        )
