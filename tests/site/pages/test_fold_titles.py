"""What they ask next says the same on the page, in the mock interview, on paper and in the Markdown copy."""

from __future__ import annotations

import html
import json
import re

from warmup.kinds import levels

SITE = levels.load()


def shown(markup: str) -> str:
    """A piece of HTML as people read it, with what stands in code font in backticks, as authors write it."""
    question = re.sub(r'<span class="tw-asked">.*?</span>', "", markup)
    return html.unescape(re.sub(r"</?code>", "`", question))


def summaries(page: str) -> list[str]:
    return [shown(one) for one in re.findall(r"<summary>(.*?)</summary>", page)]


def test_a_follow_up_is_asked_as_it_is_written_wherever_it_is_shown(site):
    paper = {
        level.slug: summaries((site / level.slug / "print/index.html").read_text(encoding="utf-8"))
        for level in SITE.levels
    }
    for page in [*SITE.questions, *SITE.exercises]:
        written = [fold.title for fold in page.follow_ups]
        folded = summaries((site / page.url / "index.html").read_text(encoding="utf-8"))
        assert [title for title in written if title not in folded] == []
        name = f"{page.level}/{page.topic}" if page in SITE.questions else "practice/write"
        proofs = json.loads((site / f"practice/proofs/{name}.json").read_text(encoding="utf-8"))
        asked = proofs[page.id]["next"]
        assert [shown(one["question"]) for one in asked] == written
        for key in ("here", "first"):
            assert [one.get(key, False) for one in asked] == [getattr(fold, key) for fold in page.follow_ups]
        copy = (site / f"{page.id}.md").read_text(encoding="utf-8")
        assert [title for title in written if f"### {title}\n" not in copy] == []
        if page in SITE.questions:
            assert [title for title in written if title not in paper[page.level]] == []
