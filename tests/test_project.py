"""The whole hangs together: pages, snippets, outputs and claims mirror each other, and nothing is left over."""

from __future__ import annotations

import re
from collections import Counter

from warmup.checks import claims, project
from warmup.content import outputs, sources
from warmup.kinds import levels, navigation
from warmup.project import ROOT, SNIPPETS


def test_nothing_that_make_lint_checks_has_a_problem():
    site, problems = project.problems()
    assert not problems, "\n".join(map(str, problems))
    # No rule holds because it looks at nothing.
    assert site.questions and site.puzzles and site.exercises and site.trainers
    assert any(claims.is_for_import(sources.text(path)) for path in outputs.programs(SNIPPETS))


def test_navigation_names_every_topic_once_and_the_site_shows_them_in_its_order():
    listed = re.findall(r"^      - ([a-z]+/[a-z0-9-]+)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), flags=re.M)
    assert set(navigation.PRACTICE) <= set(listed)
    assert max(Counter(listed).values()) == 1
    listed = [folder for folder in listed if folder not in navigation.PRACTICE]
    shown = levels.load(topic_order=listed)
    assert [f"{topic.level}/{topic.slug}" for level in shown.levels for topic in level.topics] == listed
