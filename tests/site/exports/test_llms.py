"""The index for language models that the site offers."""

from __future__ import annotations

import re

from warmup.kinds import levels

SITE = levels.load()
LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_llms_txt_has_the_form_and_every_question_once_in_order(site, base, leads_nowhere):
    text = (site / "llms.txt").read_text(encoding="utf-8")
    assert re.match(r"# .+\n\n> .+\n\n", text)
    sections = re.split(r"^## .+\n", text, flags=re.M)
    assert len(sections) > sum(len(level.topics) for level in SITE.levels)
    for line in "\n".join(sections[1:]).split("\n"):
        assert re.fullmatch(r"(- \[.+\]\(https://[^)\s]+\)(: .+)?)?", line), line
    links = LINK.findall(text)
    assert not [link for link in links if leads_nowhere(link)]
    ids = [link.removeprefix(base).removesuffix(".md") for link in links]
    assert len(ids) == len(set(ids))
    assert set(SITE.by_id) <= set(ids)
    for level in SITE.levels:
        for topic in level.topics:
            assert [id_ for id_ in ids if id_.startswith(topic.url)] == [q.id for q in topic.questions]
    assert [id_ for id_ in ids if id_.startswith("practice/write/")] == [page.id for page in SITE.exercises]
    assert [id_ for id_ in ids if id_.startswith("practice/trainers/")] == [page.id for page in SITE.trainers]
