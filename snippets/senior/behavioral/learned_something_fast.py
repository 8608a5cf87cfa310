import copy

import torch
from torch import Tensor, nn


class LoRALinear(nn.Module):
    """A frozen linear layer plus a trained update of low rank, y = Wx + s·BAx."""

    def __init__(self, base: nn.Linear, rank: int = 4, scale: float = 2.0) -> None:
        super().__init__()
        self.base, self.scale = base.requires_grad_(False), scale
        self.a = nn.Parameter(torch.randn(rank, base.in_features) * 0.3)
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + self.scale * (x @ self.a.T @ self.b.T)

    def merged(self) -> nn.Linear:
        """A plain layer that computes the same."""
        layer = copy.deepcopy(self.base)
        layer.weight.data += self.scale * self.b @ self.a
        return layer


class BothZero(LoRALinear):
    def __init__(self, base: nn.Linear) -> None:
        super().__init__(base)
        self.a.data.zero_()


class BothRandom(LoRALinear):
    def __init__(self, base: nn.Linear) -> None:
        super().__init__(base)
        self.b.data.normal_()


class NotFrozen(LoRALinear):
    def __init__(self, base: nn.Linear) -> None:
        super().__init__(base)
        base.requires_grad_(True)


class MergeWithoutScale(LoRALinear):
    def merged(self) -> nn.Linear:
        layer = copy.deepcopy(self.base)
        layer.weight.data += self.b @ self.a
        return layer


class FullRank(LoRALinear):
    def __init__(self, base: nn.Linear) -> None:
        super().__init__(base, rank=base.in_features)


def promises(
    kind: type[LoRALinear], seed: int = 0, width: int = 16
) -> dict[str, bool]:
    """Which promises of the paper an implementation keeps."""
    torch.manual_seed(seed)
    base = nn.Linear(width, width)
    weight = base.weight.detach().clone()
    x, target = torch.randn(64, width), torch.randn(64, width)
    layer = kind(base)
    kept = {
        "starts as the base": torch.allclose(layer(x), nn.Linear.forward(base, x))
    }
    kept["merge, untrained"] = torch.allclose(
        layer.merged()(x), layer(x), atol=1e-4
    )
    trained = [p for p in layer.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(trained, lr=0.1)
    losses = []
    for _ in range(50):
        loss = (layer(x) - target).square().mean()
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    kept["learns"] = losses[-1] < 0.95 * losses[0]
    kept["base unchanged"] = torch.equal(base.weight, weight)
    kept["few parameters"] = sum(p.numel() for p in trained) <= width * width / 2
    kept["merge, trained"] = torch.allclose(layer.merged()(x), layer(x), atol=1e-4)
    return kept


VERSIONS = (
    LoRALinear,
    BothZero,
    BothRandom,
    NotFrozen,
    MergeWithoutScale,
    FullRank,
)

if __name__ == "__main__":
    torch.set_num_threads(1)  # such small matrices only wait for a second thread
    table = {kind: promises(kind) for kind in VERSIONS}
    columns = ("right", "zero", "random", "trained", "merge", "rank")
    print("                     " + "".join(f"{name:>9}" for name in columns))
    for test in table[LoRALinear]:
        cells = ("ok" if kept[test] else "FAILS" for kept in table.values())
        print(f"{test:21}" + "".join(f"{cell:>9}" for cell in cells))
