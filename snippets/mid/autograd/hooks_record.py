from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
from torch import nn


@contextmanager
def recorded(model: nn.Module) -> Iterator[dict[str, dict[str, float]]]:
    """Record each layer's output and its gradient, as numbers, inside a block.

    Only layers without children whose output is one float tensor are recorded,
    at their last call in the block. The hooks are removed at its end.

    Args:
        model: any module.

    Yields:
        Layer name to "rms" and "gradient": root mean square of the output, and
        2-norm of the loss's gradient by it, once backward has reached it. It has
        not if the output is a view that is overwritten, or under a checkpoint
        with use_reentrant=False.
    """
    found: dict[str, dict[str, float]] = {}

    def watch(name: str):
        def hook(module, args, output):
            if not torch.is_tensor(output) or not output.is_floating_point():
                return
            values = {"rms": output.detach().float().square().mean().sqrt().item()}
            found[name] = values
            if output.requires_grad:
                output.register_hook(
                    lambda grad: values.update(gradient=grad.float().norm().item())
                )

        return hook

    with ExitStack() as handles:
        for name, module in model.named_modules():
            if not any(module.children()):
                handles.enter_context(module.register_forward_hook(watch(name)))
        yield found


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(
        *(nn.Sequential(nn.Linear(64, 64), nn.Sigmoid()) for _ in range(3)),
        nn.Linear(64, 1),
    )
    with recorded(model) as found:
        model(torch.randn(256, 64)).sum().backward()
    for name, values in found.items():
        print(
            f"{name:4} rms {values['rms']:.2f}  gradient {values['gradient']:.2f}"
        )
    print("hooks left:", sum(len(m._forward_hooks) for m in model.modules()))
