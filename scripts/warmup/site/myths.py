"""A question's *Myth* where its page is not around it: headed by what people say."""

from __future__ import annotations

import re

from warmup.content.page import Section

_QUOTED = re.compile(r"""^\**(?:People say: )?["“](?P<said>.+?)[.,]?["”]\**(?P<rest>.*)$""", re.S)


def first_sentence(section: Section) -> str:
    """The first sentence of a section's prose, with what it quotes: a quotation is not cut."""
    paragraph = _first_paragraph(section)
    for end in re.finditer(r"""[.?!]["*`)]*(?= |$)""", paragraph):
        sentence = paragraph[: end.end()]
        if sentence.count('"') % 2 == sentence.count("`") % 2 == 0:
            return sentence
    return paragraph


def said(section: Section) -> str:
    """What people say, as Markdown without quotation marks: what the section quotes first, else its first sentence."""
    sentence = first_sentence(section)
    match = _QUOTED.match(sentence)
    return match["said"] if match else sentence.rstrip(".:")


def answered(section: Section) -> str:
    """The section without its first sentence, where that is only the quotation that ``said`` gives."""
    sentence = first_sentence(section)
    match = _QUOTED.match(sentence)
    text = section.text
    if not match or match["rest"].strip():
        return text
    paragraph, gap, rest = text.partition("\n\n")
    words = paragraph.split()[len(sentence.split()) :]
    return " ".join(words) + gap + rest


def _first_paragraph(section: Section) -> str:
    prose = "\n".join(line.text for line in section.lines if not line.fence).strip()
    return " ".join(prose.split("\n\n")[0].split())
