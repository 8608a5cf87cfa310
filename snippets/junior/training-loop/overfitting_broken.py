import copy

import torch
import torch.nn.functional as F
from torch import nn


def noisy_sine(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    x = 2 * torch.rand(count, 1, generator=generator) - 1
    return x, torch.sin(3 * x) + torch.randn(count, 1, generator=generator) / 2


def early_stopping(
    deep_copy: bool, patience: int = 100
) -> tuple[int, float, float]:
    """Stop when nothing improved for ``patience`` steps.

    Returns:
        The last step, the best held-out loss, and that of the restored weights.
    """
    (x, y), (held_out_x, held_out_y) = (
        noisy_sine(20, seed=2),
        noisy_sine(500, seed=0),
    )
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    step, best_step, best_loss = 0, 0, float("inf")
    while step - best_step < patience:
        step += 1
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        with torch.inference_mode():
            held_out = F.mse_loss(model(held_out_x), held_out_y).item()
        if held_out < best_loss:
            best_step, best_loss = step, held_out
            best_state = (
                copy.deepcopy(model.state_dict())
                if deep_copy
                else model.state_dict()
            )
    model.load_state_dict(best_state)
    with torch.inference_mode():
        return step, best_loss, F.mse_loss(model(held_out_x), held_out_y).item()


if __name__ == "__main__":
    print("best_state =                       stopped at  best held-out  restored")
    for name, deep_copy in (
        ("model.state_dict()", False),
        ("copy.deepcopy(model.state_dict())", True),
    ):
        step, best, restored = early_stopping(deep_copy)
        print(f"{name:34} {step:10} {best:14.3f} {restored:9.3f}")
