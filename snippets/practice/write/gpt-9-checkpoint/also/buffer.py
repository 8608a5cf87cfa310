import io
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
    states = model.state_dict(), optimizer.state_dict()
    memory = io.BytesIO()
    torch.save(
        (step, *states, generator.get_state(), torch.get_rng_state()), memory
    )
    other = f"{path}.{os.getpid()}"
    with open(other, "wb") as file:
        file.write(memory.getbuffer())
        file.flush()
        os.fsync(file.fileno())
    os.replace(other, path)


def load(
    path: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    generator: torch.Generator,
) -> int:
    step, weights, moments, own, torchs = torch.load(path, weights_only=True)
    model.load_state_dict(weights)
    optimizer.load_state_dict(moments)
    generator.set_state(own)
    torch.random.set_rng_state(torchs)
    return step
