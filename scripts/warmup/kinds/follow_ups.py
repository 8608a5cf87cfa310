"""Which follow-ups a mock interview asks: the two that are marked as asked first, which fit the level of their page."""

from __future__ import annotations

import re

from warmup.kinds.entry import Entry
from warmup.kinds.markup import Found
from warmup.vocabulary import LEVELS

FIRST = 2  # how many are marked as asked first; FOLLOW_UPS in mock/follow-ups.js
# What nobody asks a junior about: mixed precision, many processes, models without memory, kernels.
_ABOVE = {
    LEVELS[0]: re.compile(
        r"GradScaler|gradient scal(?:er|ing)|autocast|\bDDP\b|DistributedDataParallel|FSDP|sharded|SyncBatchNorm|"
        r"assign=True|activation checkpoint|scaled_dot_product_attention|_orig_mod|Triton"
    )
}
_UNSAID = re.compile(r"\]\([^)]*\)|^```.*?^```", re.M | re.S)  # where links lead, and code


def problems(page: Entry) -> Found:
    """Too few or too many follow-ups that are marked, and marked ones that nobody of the page's level is asked."""
    first = [fold for fold in page.follow_ups if fold.first]
    if page.follow_ups and len(first) != FIRST:
        fix = 'Write ??? question first "..." for the two that come first in an interview.'
        yield page.follow_ups[0].line, f"Of the follow-ups, {len(first)} are marked as asked first.", fix
    if not (above := _ABOVE.get(page.level)):
        return
    for fold in first:
        if found := above.search(_UNSAID.sub("]", f"{fold.title}\n{fold.text}")):
            message = f"This follow-up is asked first, and a {page.level} is not asked about {found[0]!r}."
            yield fold.line, message, "Mark another one, which fits the level of the page."
