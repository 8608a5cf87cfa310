"""Tests of one trainer stand together."""

from __future__ import annotations

from pathlib import Path

from trainer import SLUGS


def pytest_collection_modifyitems(items):
    """So they run in one worker, which trains each script once."""
    places = [number for number, item in enumerate(items) if item.path.parent == Path(__file__).parent]
    grouped = sorted((items[number] for number in places), key=slug_of)
    for number, item in zip(places, grouped, strict=True):
        items[number] = item


def slug_of(item):
    """The trainer that a test is about, by its parameter or its module; "" for one about none of them."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    named = (*parameters, item.path.stem.removeprefix("test_").replace("_", "-"))
    return next((one for one in named if one in SLUGS), "")
