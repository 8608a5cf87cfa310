import torch
from torch.autograd.graph import increment_version
from torch.utils.hooks import RemovableHandle


def count_steps(optimizer: torch.optim.Optimizer) -> RemovableHandle:
    """Let each step raise the version of the parameters that it has changed.

    Then a backward pass through a graph that saved one of them raises, also if
    the optimizer is fused. Costs no memory and no copy.

    Args:
        optimizer: of any kind. One that counts already counts twice, which
            changes nothing.

    Returns:
        A handle; its remove() ends the counting.
    """

    def after_step(optimizer: torch.optim.Optimizer, args, kwargs) -> None:
        groups = optimizer.param_groups
        increment_version(
            [p for g in groups for p in g["params"] if p.grad is not None]
        )

    return optimizer.register_step_post_hook(after_step)


if __name__ == "__main__":
    for guarded in (False, True):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
        optimizer = torch.optim.AdamW(model.parameters(), fused=True)
        if guarded:
            count_steps(optimizer)
        loss = model(torch.ones(1, 2)).sum()
        loss.backward(retain_graph=True)
        optimizer.step()
        try:
            loss.backward()
            print(f"guarded {guarded}: no error")
        except RuntimeError as error:
            print(f"guarded {guarded}: {str(error)[:56]} ...")
