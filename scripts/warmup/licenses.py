"""Under what readers may copy: said on pages and prints, in copies, downloads, notebooks, data and the deck."""

from __future__ import annotations

CODE = "MIT"
PROSE = "CC BY 4.0"
PROSE_URL = "https://creativecommons.org/licenses/by/4.0/"
LINE = f"Code: {CODE}. Prose: {PROSE}."
# At the foot of each page, as HTML.
FOOT = f'Code and snippets: {CODE}. Prose: <a href="{PROSE_URL}" rel="license">{PROSE}</a>.'
