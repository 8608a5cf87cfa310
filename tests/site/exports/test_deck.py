"""The Anki deck, imported by Anki's own code as a reader would import it."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys

import pytest
from anki.collection import Collection, ImportAnkiPackageRequest
from bs4 import BeautifulSoup

from warmup.exports import deck
from warmup.kinds import levels
from warmup.project import SNIPPETS
from warmup.testing import PREFIX
from warmup.vocabulary import GRADES

SITE_URL = f"https://example.com{PREFIX}"


def import_deck(collection, path):
    """Import with the options that Anki proposes; the log says which notes are new, updated or neither."""
    return collection.import_anki_package(ImportAnkiPackageRequest(package_path=str(path))).log


def notes_in(collection):
    return {note["Id"]: note for note in map(collection.get_note, collection.find_notes(""))}


def links_in(note):
    return re.findall(r'<a\b[^>]*? href="([^"]*)"', "".join(note.fields))


@pytest.fixture
def collection(tmp_path):
    collection = Collection(str(tmp_path / "collection.anki2"))
    yield collection
    collection.close()


@pytest.fixture(scope="module")
def imported(site, tmp_path_factory):
    """A collection that holds the deck that the site offers."""
    collection = Collection(str(tmp_path_factory.mktemp("anki") / "collection.anki2"))
    import_deck(collection, site / deck.APKG)
    yield collection
    collection.close()


@pytest.fixture(scope="module")
def notes(imported):
    return notes_in(imported)


def test_every_question_is_a_note_with_one_card_in_the_deck_of_its_level(imported, notes):
    site = levels.load()
    questions = site.by_id
    assert notes.keys() == {*questions, *(exercise.id for exercise in site.exercises)}
    for name, question in questions.items():
        note = notes[name]
        assert note["Question"] == html.escape(question.title)
        assert note.tags == sorted([f"kind::{question.kind}", f"torch-warmup::{question.level}::{question.topic}"])
        (card,) = note.cards()
        assert imported.decks.name(card.did) == f"Torch Warmup::{question.level_label}"


def test_new_cards_come_in_the_order_of_the_site(imported, site):
    bank = json.loads((site / "practice/cards.json").read_text(encoding="utf-8"))
    order = [card["id"] for card in (*bank["cards"], *bank["exercises"])]
    by_number = imported.find_cards("", order="c.due")
    assert [imported.get_card(card).note()["Id"] for card in by_number] == order


def test_a_card_has_all_that_practice_needs(notes):
    for question in levels.load().questions:
        note = notes[question.id]
        assert question.kind_label in note["Meta"]
        assert note["Answer"].startswith(("<p>", "<ol>", "<ul>"))
        assert 'class="highlight"' in note["Proof"]
        assert note["Proof"].count("<details") == note["Proof"].count("<details open")
        assert re.findall(r"<li><strong>(\w+)</strong>: \S", note["Ladder"]) == list(question.grade_names)
        follow_ups = BeautifulSoup(note["FollowUps"], "html.parser").find_all("details", recursive=False)
        assert len(follow_ups) == len(question.follow_ups)


def test_the_card_of_an_exercise_asks_for_its_core_line(imported, notes):
    for exercise in levels.load().exercises:
        note = notes[exercise.id]
        assert note["Question"] == html.escape(exercise.ask)
        assert html.escape(exercise.title) in note["Meta"]
        shown = BeautifulSoup(note["Answer"], "html.parser").get_text()
        assert shown.strip() == exercise.line.strip()
        assert note["Link"] == f"{SITE_URL}{exercise.url}" and not note["Proof"]
        assert re.findall(r"<li><strong>(\w+)</strong>: \S", note["Ladder"]) == list(GRADES)
        assert note["FollowUps"].count("<details>") == len(exercise.follow_ups)
        assert "kind::write" in note.tags
        (card,) = note.cards()
        assert imported.decks.name(card.did) == "Torch Warmup::Write from memory"
        assert "Run it" not in card.answer()


def test_a_card_shows_the_code_and_what_it_printed(notes):
    shown = BeautifulSoup(notes["junior/autograd/zero-grad"]["Proof"], "html.parser").get_text()
    for file in ("zero_grad.py", "zero_grad.out"):
        assert (SNIPPETS / "junior/autograd" / file).read_text(encoding="utf-8").strip() in shown


def test_formulas_stay_mathml(notes):
    assert "<math><mi>p</mi></math>" in notes["mid/training-dynamics/softmax-cross-entropy-gradient"]["Proof"]


def test_every_link_is_absolute_and_leads_somewhere(site, notes):
    assert all(note["Link"] == SITE_URL + name + "/" for name, note in notes.items())
    links = {link for note in notes.values() for link in [*links_in(note), note["Link"]]}
    assert all(re.match("https?://", link) for link in links)
    own = [link.removeprefix(SITE_URL).partition("#")[0] for link in links if link.startswith(SITE_URL)]
    assert all((site / path / "index.html").is_file() for path in own)
    assert not any("tw-download" in field for note in notes.values() for field in note.fields)


def test_the_same_deck_again_changes_nothing(imported, site):
    log = import_deck(imported, site / deck.APKG)
    assert not (log.new or log.updated or log.conflicting)
    assert len(log.duplicate) == imported.note_count()


def test_a_newer_deck_updates_notes_and_keeps_what_was_learned(collection, sample_site, project_copy):
    import_deck(collection, sample_site / deck.APKG)
    before = notes_in(collection)
    collection.decks.select(collection.decks.id_for_name("Torch Warmup::Junior"))
    card = collection.sched.getCard()
    card.start_timer()
    collection.sched.answerCard(card, 4)
    reviewed, learned = card.note()["Id"], "select type, queue, due, ivl, factor, reps, did from cards order by id"
    scheduling = collection.db.all(learned)
    assert collection.db.scalar("select count() from revlog") == 1

    page = project_copy / "docs" / f"{reviewed}.md"
    page.write_text(page.read_text(encoding="utf-8").replace("## Say it\n", "## Say it\n\nA new beginning.", 1))
    newer = {**os.environ, "SOURCE_DATE_EPOCH": str(before[reviewed].mod + 1), "PYTHONPATH": "scripts"}
    newer.pop("SITE_URL", None)
    made = subprocess.run(
        [sys.executable, "-m", "warmup", "deck"],
        cwd=project_copy,
        env=newer,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert f"build/torch-warmup.apkg: {len(before)} notes" in made.stdout
    assert "make deck SITE_URL=" in made.stdout

    log = import_deck(collection, project_copy / "build" / "torch-warmup.apkg")
    assert not (log.new or log.conflicting)
    after = notes_in(collection)
    assert after.keys() == before.keys()
    assert "A new beginning." in after[reviewed]["Answer"]
    assert "A new beginning." not in before[reviewed]["Answer"]
    assert collection.db.all(learned) == scheduling
    assert collection.db.scalar("select count() from revlog") == 1
    # It was made without the site's address.
    for note in after.values():
        assert not note["Link"]
        assert all(re.match("https?://(?!example.com)", link) for link in links_in(note))
