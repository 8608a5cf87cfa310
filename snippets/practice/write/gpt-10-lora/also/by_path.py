import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LoRA(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        like = {"dtype": base.weight.dtype, "device": base.weight.device}
        start = torch.randn(rank, base.in_features, **like) / base.in_features**0.5
        self.base = base
        self.a = nn.Parameter(start)
        self.b = nn.Parameter(torch.zeros(base.out_features, rank, **like))
        self.alpha, self.rank = alpha, rank

    def update(self) -> Tensor:
        return (self.b @ self.a) * (self.alpha / self.rank)

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.base.weight + self.update(), self.base.bias)


def add_lora(model: nn.Module, rank: int, alpha: float, name: str) -> list[Tensor]:
    for one in model.parameters():
        one.requires_grad = False
    found = [
        path
        for path, layer in model.named_modules()
        if path.split(".")[-1] == name and isinstance(layer, nn.Linear)
    ]
    for path in found:
        owner = model.get_submodule(path.rpartition(".")[0])
        setattr(owner, name, LoRA(model.get_submodule(path), rank, alpha))
    return list(filter(lambda one: one.requires_grad, model.parameters()))


def merge_lora(model: nn.Module) -> None:
    for path, layer in list(model.named_modules()):
        if isinstance(layer, LoRA):
            layer.base.weight.data.add_(layer.update().detach())
            owner, _, name = path.rpartition(".")
            setattr(model.get_submodule(owner), name, layer.base)
