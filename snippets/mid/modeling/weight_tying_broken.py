import copy

from torch import nn


class Tied(nn.Module):
    """Embedding (V, D) and output layer with one weight of shape (V, D)."""

    def __init__(self, vocabulary: int = 10, width: int = 4) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.tie()

    def tie(self) -> None:
        """Makes the output layer use the embedding's weight, whatever it is now."""
        self.head.weight = self.embed.weight


def assign(model: Tied) -> None:
    state = {name: t.clone() for name, t in model.state_dict().items()}
    model.load_state_dict(state, assign=True)


def resize(model: Tied) -> None:
    model.embed = nn.Embedding(12, 4)


def share_data(model: Tied) -> None:
    model.head.weight = nn.Parameter(model.embed.weight.data)


CHANGES = {
    "deepcopy of the model": copy.deepcopy,
    "double()": lambda model: model.double(),
    "load_state_dict": lambda model: model.load_state_dict(model.state_dict()),
    "load_state_dict(assign=True)": assign,
    "meta, then to_empty": lambda model: model.to("meta").to_empty(device="cpu"),
    "a new embedding": resize,
    "nn.Parameter(weight.data)": share_data,
}

if __name__ == "__main__":
    for name, change in CHANGES.items():
        model = Tied()
        out = change(model)
        model = out if isinstance(out, Tied) else model
        tied = model.head.weight is model.embed.weight
        count = len(list(model.parameters()))
        print(f"{name:29} tied: {tied!s:5}  parameters: {count}")
