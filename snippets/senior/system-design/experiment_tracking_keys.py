import hashlib
import inspect
import json
from collections.abc import Callable

import torch


def digest(*parts: bytes | str) -> str:
    """Short hash of several parts; a part cannot run into the next one."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()[:12]


def tensor_digest(tensors: dict[str, torch.Tensor]) -> str:
    """Hash of names, dtypes, shapes and values, whatever file they are in."""
    parts: list[bytes | str] = []
    for name, tensor in sorted(tensors.items()):
        flat = tensor.detach().cpu().contiguous().flatten()
        parts += [name, str(tensor.dtype), str(tuple(tensor.shape))]
        parts.append(flat.view(torch.uint8).numpy().tobytes())
    return digest(*parts)


def train(config: dict, data: torch.Tensor, make: Callable, steps: int = 20):
    """Weights after a few steps on consecutive batches, and all options used."""
    torch.manual_seed(config["seed"])
    model = torch.nn.Linear(4, 1)
    optimizer = make(model.parameters(), lr=config["lr"])
    for batch in data.split(8)[:steps]:
        optimizer.zero_grad()
        (model(batch[:, :4]) - batch[:, 4:]).square().mean().backward()
        optimizer.step()
    return model.state_dict(), optimizer.defaults


def new_default(parameters, lr: float) -> torch.optim.Optimizer:
    """The optimizer of a later version, in which a default has changed."""
    return torch.optim.AdamW(parameters, lr=lr, weight_decay=0.1)


if __name__ == "__main__":
    data = torch.randn(160, 5, generator=torch.Generator().manual_seed(0))
    config, adamw = {"lr": 0.1, "seed": 0}, torch.optim.AdamW
    edited = data.clone()
    edited[0, 0] = 0
    cases = {
        "nothing": (config, data, adamw),
        "order of the config's keys": ({"seed": 0, "lr": 0.1}, data, adamw),
        "seed": (config | {"seed": 1}, data, adamw),
        "one value, same file name": (config, edited, adamw),
        "order of rows, same file name": (config, data.flip(0), adamw),
        "a default of a library": (config, data, new_default),
    }
    print("what changed                   key by name  by content  weights")
    first: list[str] = []
    for name, (config, rows, make) in cases.items():
        weights, options = train(config, rows, make)
        settings = json.dumps(config, sort_keys=True)
        code = inspect.getsource(train)
        by_name = digest("commit 3f2a", "train.pt", settings)
        resolved = json.dumps(options, sort_keys=True)
        by_content = digest(code, tensor_digest({"rows": rows}), settings, resolved)
        found = [by_name, by_content, tensor_digest(weights)]
        first = first or found
        same = [
            "same" if a == b else "other" for a, b in zip(first, found, strict=True)
        ]
        print(f"{name:31}{same[0]:>11}{same[1]:>12}{same[2]:>9}")
