"""How the questions of a mock interview are drawn."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from mock_page import CARDS, PAGE

IMPORT = "await import(new URL('../../assets/javascripts/practice/mock/set.js', location.href))"


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
        "(await (await fetch('../cards.json')).json()).cards",
        ["junior", "mid", "senior", "screen", "onsite"],
        [1, 4, 15, 30, 45, 90],
        25,
    )
    formats = page.evaluate(f"(async () => ({IMPORT}).FORMATS)()")

    def cost(id: str) -> int:
        return CARDS[id].minutes + 2

    for one in sets:
        rule, ids = formats[one["format"]], one["ids"]
        allowed = [q for q in CARDS.values() if q.level in rule["weights"] and q.minutes <= rule.get("longest", 99)]
        assert one["same"] and len(set(ids)) == len(ids) >= 1, one
        assert {*ids} <= {q.id for q in allowed}, one
        total = sum(map(cost, ids))
        assert total <= one["minutes"] or (len(ids) == 1 and total == min(cost(q.id) for q in allowed)), one
        assert all(total + cost(q.id) > one["minutes"] for q in allowed if q.id not in ids), f"room is left in {one}"
        if one["minutes"] >= 30:
            assert len({CARDS[id].kind for id in ids}) >= 2, one
        if one["format"] == "onsite" and one["minutes"] >= 45:
            assert {"coding", "debugging", "design", "behavioral"} <= {CARDS[id].kind for id in ids}, one
    assert len({tuple(one["ids"]) for one in sets if one["format"] == "junior" and one["minutes"] == 30}) > 20


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
    for name, rule in formats.items():
        for level, weight in rule["weights"].items():
            assert levels[name][level] / levels[name].total() == pytest.approx(weight, abs=0.04), (name, level)
    # A level without questions leaves its share to the others.
    without = draw(page, f"({plenty}).filter(card => card.level !== 'senior')", ["senior"], [60], 20)
    found = Counter(id.split("/")[0] for one in without for id in one["ids"])
    assert found["mid"] / found.total() == pytest.approx(2 / 3, abs=0.04)
