from collections.abc import Mapping

import torch
from torch import nn


def parameter_groups(
    model: nn.Module,
    lr: float,
    weight_decay: float,
    rates: Mapping[str, float] | None = None,
) -> list[dict]:
    """Groups for an optimizer: no weight decay for biases and normalization.

    These are parameters with fewer than two dimensions, those with "bias" in
    their name, and those of LayerNorm and RMSNorm. Frozen ones are left out.

    Args:
        rates: other learning rates, by the name of a module or of a parameter;
            "layers.1" is not "layers.10". The first that fits counts.

    Raises:
        ValueError: there is no parameter of that name, or one is lazy and has
            no shape yet.
    """
    rates = {f"{key.removesuffix('.')}.": rates[key] for key in rates or {}}
    names = [f"{name}." for name, _ in model.named_parameters()]
    for key in rates:
        if not any(name.startswith(key) for name in names):
            raise ValueError(f"no parameter is called {key[:-1]!r} or is inside it")
    norms = (m for m in model.modules() if isinstance(m, nn.LayerNorm | nn.RMSNorm))
    plain = {id(parameter) for norm in norms for parameter in norm.parameters()}
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if nn.parameter.is_lazy(parameter):
            raise ValueError(f"{name} has no shape yet: run the model once before")
        if parameter.requires_grad:
            fits = (rates[key] for key in rates if f"{name}.".startswith(key))
            rate = next(fits, lr)
            is_bias = parameter.ndim < 2 or "bias" in name.rpartition(".")[2]
            decay = 0.0 if is_bias or id(parameter) in plain else weight_decay
            groups.setdefault((rate, decay), []).append(parameter)
    return [
        {"params": parameters, "lr": rate, "weight_decay": decay}
        for (rate, decay), parameters in groups.items()
    ]


if __name__ == "__main__":
    layers = [nn.Conv2d(1, 8, 3), nn.LayerNorm((8, 4, 4)), nn.Flatten()]
    model = nn.ModuleDict(
        {"backbone": nn.Sequential(*layers), "head": nn.Linear(128, 2)}
    )
    groups = parameter_groups(model, 1e-3, 0.1, rates={"backbone": 1e-4})
    optimizer = torch.optim.AdamW(groups)
    for group in optimizer.param_groups:
        shapes = [tuple(parameter.shape) for parameter in group["params"]]
        print(f"lr {group['lr']}, decay {group['weight_decay']}: {shapes}")
