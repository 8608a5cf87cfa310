from torch import nn

for key in ("layer1", "layer1.conv", "", 1, "keys", "forward", "type"):
    try:
        nn.ModuleDict({key: nn.Linear(2, 2)})
        print(f"{key!r:14} accepted")
    except (KeyError, TypeError) as error:
        print(f"{key!r:14} {type(error).__name__}: {error.args[0]}")
