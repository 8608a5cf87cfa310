import torch
from torch import nn


class Tokens(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(2)
        self.scale = torch.ones(2)
        self.register_buffer("mask", torch.ones(2), persistent=False)
        self.vocabulary = {"a": 0}

    def get_extra_state(self) -> dict[str, int]:
        return self.vocabulary

    def set_extra_state(self, state: dict[str, int]) -> None:
        self.vocabulary = state


state = Tokens().state_dict()
for name, value in state.items():
    print(f"{name:26}{type(value).__name__}")
print("versions", {name: v["version"] for name, v in state._metadata.items()})

del state["norm.num_batches_tracked"]
for kind, weights in (("with", state), ("without", dict(state))):
    try:
        print(f"{kind} versions:", Tokens().load_state_dict(weights))
    except RuntimeError as error:
        print(f"{kind} versions:", str(error).splitlines()[1].strip())
