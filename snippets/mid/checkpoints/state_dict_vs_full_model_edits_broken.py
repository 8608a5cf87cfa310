import io
import sys
import types
from typing import Any

import torch

SOURCE = """
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.gain = nn.Linear(4, 3), 1.0
    def forward(self, x):
        return self.gain * self.body(x).tanh()
"""
X = torch.linspace(-1, 1, 8).view(2, 4)
EDITS = {
    "nothing": ("nets", {}),
    "class renamed": ("nets", {"class Net": "class Network"}),
    "file moved": ("models", {}),
    "attribute renamed": ("nets", {"self.body": "self.fc"}),
    "layer added": (
        "nets",
        {
            "1.0": "1.0; self.norm = nn.LayerNorm(3)",
            "self.body(x)": "self.norm(self.body(x))",
        },
    ),
    "setting edited": ("nets", {"1.0": "2.0"}),
    "forward edited": ("nets", {"tanh": "sigmoid"}),
}


def make_class(module: str, source: str) -> type[torch.nn.Module]:
    """The class that ``source`` defines, importable from ``module`` alone."""
    for name in ("nets", "models"):
        sys.modules.pop(name, None)
    sys.modules[module] = types.ModuleType(module)
    names = vars(sys.modules[module])
    exec(source, names)
    return next(names[name] for name in ("Net", "Network") if name in names)


def save(what: Any) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(what, file)
    return file


def outcome(edit: str, whole: bool) -> str:
    """Save, edit the class, load, run: what happens to the saved model.

    Args:
        edit: a key of ``EDITS``.
        whole: save the model itself, not its state dict.
    """
    net = make_class("nets", SOURCE)()
    file, expected = save(net if whole else net.state_dict()), net(X)
    module, changes = EDITS[edit]
    source = SOURCE
    for old, new in changes.items():
        source = source.replace(old, new)
    now = make_class(module, source)
    file.seek(0)
    stage = "load"
    try:
        loaded = torch.load(file, weights_only=not whole)
        if not whole:
            weights, loaded = loaded, now()
            loaded.load_state_dict(weights)
        stage = "call"
        same = torch.equal(loaded(X), expected)
    except Exception as error:
        return f"{stage}: {type(error).__name__}"
    return "same output" if same else "OTHER OUTPUT"


if __name__ == "__main__":
    print(f"{'edit':19}{'whole model':27}state dict")
    for edit in EDITS:
        print(f"{edit:19}{outcome(edit, True):27}{outcome(edit, False)}")
