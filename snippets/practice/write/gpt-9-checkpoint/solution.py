import os
from pathlib import Path

import torch
from torch import nn


def save(
    path: Path,
    step: int,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    generator: torch.Generator,
) -> None:
    state = {
        "step": step,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "generator": generator.get_state(),
        "torch": torch.get_rng_state(),
    }
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        torch.save(state, file)
        os.fsync(file.fileno())
    part.replace(path)


def load(
    path: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    generator: torch.Generator,
) -> int:
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    generator.set_state(state["generator"])
    torch.set_rng_state(state["torch"])
    return state["step"]
