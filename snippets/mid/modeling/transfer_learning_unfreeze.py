from typing import Any

import torch
from torch import nn


def in_eval(module: nn.Module, inputs: tuple) -> None:
    """The hook that keeps a frozen module in eval mode, whoever calls train()."""
    module.training = False


class FineTuning:
    """Freezes parts of a model and thaws them, in step with one optimizer.

    A frozen part takes no gradient, so the optimizer leaves it alone, and it stays
    in eval mode through ``model.train()``: its dropout is off, and the statistics
    of its batch norm do not move.

    Args:
        model: any that is not yet in DistributedDataParallel; run lazy modules
            once. Save its ``state_dict()`` and freeze anew after loading. A second
            FineTuning, of it or of its copy, does not thaw what this one froze.
        optimizer: any but LBFGS, whose steps use gradients from before; it may hold
            frozen parameters or not.
    """

    def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        self.model, self.optimizer = model, optimizer
        self.hooks: dict[nn.Module, Any] = {}

    def inside(self, parts: tuple[nn.Module, ...], others: set) -> set[nn.Module]:
        """All modules in the parts, which share no parameter with the others."""
        inside = {module for part in parts for module in part.modules()}
        if not inside <= set(self.model.modules()):
            raise ValueError("a part is not in the model")
        own = {p for part in parts for p in part.parameters()}
        for module in others - inside:
            if shared := own & set(module.parameters(recurse=False)):
                raise ValueError(
                    f"{module} shares parameters with it: {len(shared)}"
                )
        return inside

    def freeze(self, *parts: nn.Module) -> None:
        """Freeze modules of the model with all in them.

        Raises ValueError, and changes nothing, if one is not in the model or shares
        a parameter with what is not frozen.
        """
        inside = self.inside(parts, set(self.model.modules()) - self.hooks.keys())
        for parameter in {p for part in parts for p in part.parameters()}:
            parameter.requires_grad_(False)
            parameter.grad = None
        for module in inside - self.hooks.keys():
            module.eval()  # the hook runs before others, such as spectral_norm's
            hook = module.register_forward_pre_hook(in_eval, prepend=True)
            self.hooks[module] = hook

    def thaw(self, *parts: nn.Module, **group: Any) -> None:
        """Train modules again, and give the optimizer what it does not hold.

        All their parameters train, also those that did not before ``freeze``.
        Raises ValueError, and changes nothing, if one is not in the model or shares
        a parameter with what stays frozen.

        Args:
            group: settings of the new parameter group, such as ``lr=1e-4``. What
                the optimizer holds keeps those that it has. A scheduler was built
                for the old groups: build it again.
        """
        for module in self.inside(parts, set(self.hooks)) & self.hooks.keys():
            self.hooks.pop(module).remove()
            module.training = self.model.training
        for part in parts:
            part.requires_grad_(True)
        held = {p for old in self.optimizer.param_groups for p in old["params"]}
        wanted = dict.fromkeys(p for part in parts for p in part.parameters())
        if new := [p for p in wanted if p not in held]:
            for parameter in new:
                parameter.grad = None  # piled up if the flag was on before
            self.optimizer.add_param_group({"params": new} | group)


if __name__ == "__main__":
    torch.manual_seed(0)
    backbone, head = (
        nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8)),
        nn.Linear(8, 2),
    )
    model = nn.Sequential(backbone, nn.ReLU(), head)
    optimizer = torch.optim.AdamW(head.parameters())
    tuning = FineTuning(model, optimizer)
    x, y = torch.randn(32, 4), torch.randint(0, 2, (32,))

    def moved(steps: int = 3) -> str:
        before = {name: value.clone() for name, value in model.state_dict().items()}
        model.train()
        for _ in range(steps):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        after = model.state_dict().items()
        names = [
            name for name, value in after if not torch.equal(value, before[name])
        ]
        return ", ".join(dict.fromkeys(name.rpartition(".")[0] for name in names))

    tuning.freeze(backbone)
    print("frozen:           ", moved())
    backbone.requires_grad_(True)
    print("flag on again:    ", moved())
    tuning.thaw(backbone, lr=1e-4)
    print("thawed as a group:", moved())
    print("rates:", [group["lr"] for group in optimizer.param_groups])
