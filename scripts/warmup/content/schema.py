"""What front matter, headers and lists of data may hold: one language for all, and one way to say what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# The keys and numbers that lead to a value: ("choices", 2, "because").
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Field:
    """What may stand under a key.

    Attributes:
        kind: its type: a text, a whole number above zero, a number above zero (float), a list, or a mapping.
        required: whether it must be there, and not be empty.
        one_of: the texts that it may be; any where there are none.
        most: the most characters of a text; 0 for any number.
        each: what each mapping of a list holds; of a mapping, what it holds. A list without it is one of texts.
        called: what one mapping of a list is called.
    """

    kind: type = str
    required: bool = False
    one_of: tuple[str, ...] = ()
    most: int = 0
    each: Mapping[str, Field] | None = None
    called: str = "item"


Schema = Mapping[str, Field]


def wrong(schema: Schema, values: Mapping, called: str, place: Place = ()) -> Iterator[tuple[Place, str, str]]:
    """Everything that does not fit a schema, as (where, what is wrong, what to do about it).

    Args:
        schema: what may be there, by key.
        values: what is there.
        called: what holds the values, as a sentence begins: "The front matter".
        place: where the values stand.
    """
    for key in values:
        if key not in schema:
            yield (*place, key), f"{called} has an unknown key, {key!r}.", f"Known: {', '.join(schema)}."
    for key, field in schema.items():
        value, where = values.get(key), (*place, key)
        if value is None or value in ("", [], {}) or isinstance(value, str) and not value.strip():
            if field.required:
                yield where, f"{called} has no {key}.", f"Add {key}: ..."
        elif found := _mistyped(key, value, field):
            yield where, *found
        elif field.one_of and value not in field.one_of:
            yield where, f"Unknown {key} {value!r}.", f"One of: {', '.join(field.one_of)}."
        elif field.most and len(value) > field.most:
            yield where, f"The {key} has {len(value)} characters.", f"At most {field.most} fit."
        elif field.each is not None:
            yield from _within(value, field, where)


def _within(value: list | dict, field: Field, where: Place) -> Iterator[tuple[Place, str, str]]:
    if isinstance(value, dict):
        yield from wrong(field.each or {}, value, str(where[-1]), where)
        return
    for number, one in enumerate(value):
        if isinstance(one, dict):
            yield from wrong(field.each or {}, one, f"The {field.called}", (*where, number))
        else:
            keys = ", ".join(f"{key}: ..." for key in field.each or {})
            yield (*where, number), f"A {field.called} is not a mapping.", f"Write it as {keys}."


def _mistyped(key: str, value: object, field: Field) -> tuple[str, str] | None:
    """What is wrong with the type of a value, and the remedy."""
    if field.kind is list and not isinstance(value, list):
        return f"{key} is not a list.", f"Write it as {key}: [one, another]."
    others = [one for one in value if not isinstance(one, str)] if isinstance(value, list) else []
    if field.kind is list and field.each is None and others:
        return f"{key} holds {others[0]!r}, which is not a text.", "Put it into quotes."
    if field.kind in (int, float):
        kinds = int if field.kind is int else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < float("inf"):
            what = "a whole number" if field.kind is int else "a number"
            return f"{key} is not {what} above zero.", f"Write it without quotes: {key}: 2."
    if field.kind is dict and not isinstance(value, dict):
        return f"{key} is not a mapping.", "Write one `key: value` a line below it, indented."
    if field.kind is str and not isinstance(value, str):
        return f"{key} is not a text.", "Put it into quotes."
    return None


def line_in(text: str, place: Place) -> int:
    """The line of YAML, from 1, with the key or item to which a place leads, or its last step that is there; else 0."""
    node, line = yaml.compose(text, Loader=Loader), 0
    for step in place:
        if isinstance(step, int):
            node = node.value[step]
            line = node.start_mark.line + 1
            continue
        pairs = [pair for pair in node.value if pair[0].value == step] if isinstance(node, yaml.MappingNode) else []
        if not pairs:
            break
        key, node = pairs[0]
        line = key.start_mark.line + 1
    return line
