import dataclasses
from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import torch


def to_device(data: Any, device: torch.device | str) -> Any:
    """A copy of a nested batch with every tensor on ``device``.

    Goes into dicts, lists, tuples, named tuples and dataclass instances, and keeps
    their types. What has a ``to`` method, as a ``PackedSequence`` does, is asked.
    Anything else, such as a string, a number or None, is returned as it is.

    Raises:
        TypeError: a dict or list type cannot be built from its items.
    """
    if callable(getattr(data, "to", None)) and not isinstance(data, type):
        return data.to(device)
    if isinstance(data, Mapping):
        return type(data)({key: to_device(v, device) for key, v in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(to_device(item, device) for item in data))
    if isinstance(data, (list, tuple)):
        return type(data)(to_device(item, device) for item in data)
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        names = [field.name for field in dataclasses.fields(data) if field.init]
        moved = {name: to_device(getattr(data, name), device) for name in names}
        return dataclasses.replace(data, **moved)
    return data


if __name__ == "__main__":
    Pair = namedtuple("Pair", "image mask")
    batch = {
        "pair": Pair(torch.ones(2), torch.ones(2)),
        "boxes": [torch.ones(1, 4), torch.ones(3, 4)],
        "names": ["a", "b"],
        "weight": None,
    }
    moved = to_device(batch, "meta")
    print(type(moved["pair"]).__name__, moved["pair"].mask.device)
    print([box.device.type for box in moved["boxes"]], moved["names"])
