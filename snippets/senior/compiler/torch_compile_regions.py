import torch
from torch import nn

sizes = []


def count(captured: torch.fx.GraphModule, inputs: list[torch.Tensor]):
    sizes.append(sum("call" in node.op for node in captured.graph.nodes))
    return captured.forward


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.gelu(self.linear(x))


class Model(nn.Module):
    def __init__(self, make_block):
        super().__init__()
        self.blocks = nn.ModuleList(make_block() for _ in range(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return x


def show(what: str, model: Model, in_place: list[nn.Module]):
    """Print how many operations each captured graph has; input of shape (1, 8)."""
    sizes.clear()
    torch.compiler.reset()
    for module in in_place:
        module.compile(backend=count)
    with torch.no_grad():
        model(torch.ones(1, 8))
    print(f"{what:32} operations in each graph: {sizes}")


def builtin() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 8), nn.GELU())


def wrapped() -> nn.Module:
    return torch.compile(builtin(), backend=count)


if __name__ == "__main__":
    model = Model(Block)
    show("model.compile()", model, [model])
    model = Model(Block)
    show("each Block.compile()", model, model.blocks)
    model = Model(builtin)
    show("each nn.Sequential.compile()", model, model.blocks)
    show("each torch.compile(Sequential)", Model(wrapped), [])
