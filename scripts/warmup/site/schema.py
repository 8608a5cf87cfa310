"""The fields of ``questions.json`` as a table, read from the JSON Schema that the file is validated against."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

FILE = Path(__file__).parents[1] / "exports" / "questions.schema.json"


def table(path: Path = FILE) -> list[str]:
    """The lines of a Markdown table with one row a field."""
    rows = _rows(json.loads(path.read_text(encoding="utf-8")))
    return ["| Field | Type | What it is |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]


def _rows(schema: dict, prefix: str = "") -> Iterator[tuple[str, str, str]]:
    for name, field in schema.get("properties", {}).items():
        yield f"`{prefix}{name}`", _type(field), field["description"]
        yield from _rows(field, f"{prefix}{name}.")
        yield from _rows(field.get("items", {}), f"{prefix}{name}[].")


def _type(field: dict) -> str:
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if field["type"] == "array":
        return f"array of {_type(field['items'])}"
    return " or ".join([field["type"]] if isinstance(field["type"], str) else field["type"])
