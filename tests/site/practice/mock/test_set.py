"""How the questions of a mock interview are drawn."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from mock_page import CARDS, PAGE, SITE

EXERCISES = {page.id: page for page in SITE.exercises}
IMPORT = "await import(new URL('../../assets/javascripts/practice/mock/set.js', location.href))"
LOAD = "(await import(new URL('../../assets/javascripts/practice/shared/cards.js', location.href))).loadCards()"


def kinds(ids: list[str]) -> set[str]:
    """Writing from memory is coding, too."""
    return {CARDS[id].kind if id in CARDS else "coding" for id in ids}


def draw(page, cards: str, formats: list[str], minutes: list[int], seeds: int) -> list[dict]:
    return page.evaluate(
        f"""async ([formats, minutes, seeds]) => {{
        const {{ choose }} = {IMPORT}
        const cards = {cards}
        const found = []
        for (const format of formats) for (const time of minutes) for (let seed = 0; seed < seeds; seed += 1) {{
            const ids = choose(cards, {{ format, minutes: time, seed }}).map(card => card.id)
            const again = choose([...cards].reverse(), {{ format, minutes: time, seed }}).map(card => card.id)
            found.push({{ format, minutes: time, ids, same: ids.join() === again.join() }})
        }}
        return found
    }}""",
        [formats, minutes, seeds],
    )


def test_a_set_depends_on_its_seed_alone_fills_the_time_and_mixes_kinds(open_page):
    page = open_page(PAGE)
    sets = draw(
        page,
        f"(await {LOAD}).cards",
        ["junior", "mid", "senior", "screen", "onsite"],
        [1, 4, 15, 30, 45, 90],
        25,
    )
    formats = page.evaluate(f"(async () => ({IMPORT}).FORMATS)()")

    def cost(id: str) -> int:
        return {**CARDS, **EXERCISES}[id].minutes + 2

    for one in sets:
        rule, ids = formats[one["format"]], one["ids"]
        known = [*CARDS.values(), *EXERCISES.values()]
        allowed = [q for q in known if q.level in rule["weights"] and q.minutes <= rule.get("longest", 99)]
        # One of a kind that must be there may be of another level, where the format says so.
        guests = [q for q in known if q.level not in rule["weights"] and kinds([q.id]) <= {*rule.get("anyLevel", [])}]
        assert one["same"] and len(set(ids)) == len(ids) >= 1, one
        assert {*ids} <= {q.id for q in [*allowed, *guests]}, one
        assert len({*ids} & {q.id for q in guests}) <= 1, one
        total = sum(map(cost, ids))
        assert total <= one["minutes"] or (len(ids) == 1 and total == min(cost(q.id) for q in [*allowed, *guests])), one
        assert all(total + cost(q.id) > one["minutes"] for q in allowed if q.id not in ids), f"room is left in {one}"
        if one["minutes"] >= 30:
            assert len(kinds(ids)) >= 2, one
        if one["format"] == "onsite" and one["minutes"] >= 45:
            assert {"coding", "debugging", "design", "behavioral"} <= kinds(ids), one
    assert len({tuple(one["ids"]) for one in sets if one["format"] == "junior" and one["minutes"] == 30}) > 20


def test_the_site_has_what_the_formats_state_and_no_question_comes_nearly_always(open_page):
    page, seeds = open_page(PAGE), 200
    found = page.evaluate(
        f"""async seeds => {{
        const {{ choose, FORMATS, onlyOnes }} = {IMPORT}
        const {{ cards }} = await {LOAD}
        const sets = []
        // A round has questions of one kind, see test_rounds.py.
        const mixed = Object.keys(FORMATS).filter(name => !FORMATS[name].only)
        for (const format of mixed) for (const minutes of [30, 60]) {{
            const drawn = Array.from({{ length: seeds }}, (_, seed) => choose(cards, {{ format, minutes, seed }}))
            const only = onlyOnes(cards, format).map(card => card.id)
            sets.push({{ format, minutes, only, weights: FORMATS[format].weights, must: FORMATS[format].kinds ?? [],
                drawn: drawn.map(set => set.map(card => card.id)) }})
        }}
        return sets
    }}""",
        seeds,
    )
    for one in found:
        levels, often = Counter(), Counter()
        for ids in one["drawn"]:
            often.update(ids)
            must = {*one["must"]}
            for id in ids:
                if kinds([id]) <= must:  # the shares are those of what comes after
                    must -= kinds([id])
                else:
                    levels[{**CARDS, **EXERCISES}[id].level] += 1
        where = one["format"], one["minutes"]
        # In a short interview what must be there leaves time for few others, too few for a share.
        assert levels.total() >= seeds or one["must"], where
        for level, weight in one["weights"].items() if levels.total() >= seeds else ():
            assert levels[level] / levels.total() == pytest.approx(weight, abs=0.07), (*where, level)
        (most, times), *_ = [(id, n) for id, n in often.most_common() if id not in one["only"]]
        assert times < 7 / 8 * seeds, (*where, most)
        assert {CARDS[id].kind for id in one["only"]} <= {"design"}, "the page says of these that each set has them"


def test_levels_come_by_their_weights_and_topics_in_turns(open_page):
    page = open_page(PAGE)
    plenty = """["junior", "mid", "senior"].flatMap(level => Array.from({ length: 60 }, (_, index) => ({
        id: `${level}/${index}`, level, topic: `${level}/t${index % 4}`, minutes: 2,
        kind: ["concept", "coding", "design"][index % 3],
    })))"""
    sets = draw(page, plenty, ["junior", "mid", "senior", "screen", "onsite"], [60], 40)
    formats = page.evaluate(f"(async () => ({IMPORT}).FORMATS)()")
    levels = defaultdict(Counter)
    for one in sets:
        levels[one["format"]].update(id.split("/")[0] for id in one["ids"])
        turns = Counter((id.split("/")[0], int(id.split("/")[1]) % 4) for id in one["ids"])
        for level in formats[one["format"]]["weights"]:
            counts = [turns[level, topic] for topic in range(4)]
            if one["format"] != "onsite":  # there the kinds that must come first decide
                assert max(counts) - min(counts) <= 1, one
    for name in levels:
        for level, weight in formats[name]["weights"].items():
            assert levels[name][level] / levels[name].total() == pytest.approx(weight, abs=0.04), (name, level)
    # A level without questions leaves its share to the others.
    without = draw(page, f"({plenty}).filter(card => card.level !== 'senior')", ["senior"], [60], 20)
    found = Counter(id.split("/")[0] for one in without for id in one["ids"])
    assert found["mid"] / found.total() == pytest.approx(2 / 3, abs=0.04)


def test_an_exercise_comes_where_coding_does_each_as_likely_as_a_question_and_leaves_time(open_page):
    page = open_page(PAGE)
    kinds = '["concept", "coding", "debugging", "behavioral", "design"]'
    questions = f"""["junior", "mid", "senior"].flatMap(level => Array.from({{ length: 50 }}, (_, index) => ({{
        id: `${{level}}/${{index}}`, level, topic: `${{level}}/t${{index % 5}}`, minutes: 3, kind: {kinds}[index % 5],
    }})))"""
    exercises = """["junior", "mid", "senior"].flatMap(level => Array.from({ length: 10 }, (_, index) => ({
        id: `write/${level}/${index}`, level, topic: `e${index % 2}`, minutes: 8 + index, kind: "write",
    })))"""
    formats, minutes, seeds = ["junior", "mid", "screen", "onsite"], [15, 40, 60], 100
    with_them = draw(page, f"[...{questions}, ...{exercises}]", formats, minutes, seeds)
    without = draw(page, questions, formats, minutes, seeds)
    rules = page.evaluate(f"(async () => ({IMPORT}).FORMATS)()")
    first = Counter()  # the first that is coding, where all exercises fit
    places = {"with": Counter(), "without": Counter()}
    for one in with_them:
        drawn = [id for id in one["ids"] if id.startswith("write/")]
        assert one["same"]
        assert {id.split("/")[1] for id in drawn} <= set(rules[one["format"]]["weights"]), one
        assert not drawn or one["format"] != "screen", one
        # One leaves a third of the time to others, and onsite the time for one of each kind.
        assert len(drawn) < len(one["ids"]) and (one["minutes"] > 15 or sum(8 + int(id[-1]) + 2 for id in drawn) <= 10)
        if one["format"] == "onsite" and one["minutes"] > 15:
            asked = {int(id.split("/")[1]) % 5 for id in one["ids"] if id not in drawn}
            assert {2, 3, 4} <= asked and (drawn or 1 in asked), one
    for name, sets in (("with", with_them), ("without", without)):
        for one in sets:
            coding = [id for id in one["ids"] if id.startswith("write/") or int(id.split("/")[1]) % 5 == 1]
            if one["format"] in ("junior", "mid") and one["minutes"] == 60:
                places[name].update([bool(one["ids"][0] in coding)])
                if name == "with" and coding:
                    first[coding[0].startswith("write/")] += 1
    assert first[True] / first.total() == pytest.approx(0.5, abs=0.12), first
    assert places["with"][True] == pytest.approx(places["without"][True], abs=30), "coding is no more frequent"
