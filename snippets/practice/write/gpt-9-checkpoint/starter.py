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
    """Write a checkpoint, from which the run goes on as if it had never stopped.

    It holds the step, the states of model and optimizer, and the states of two
    generators: the one that is given, which draws the batches, and torch's own on
    the CPU, which draws dropout. torch.load reads the file with weights_only=True.

    The bytes are on the disk (os.fsync) before they stand at path. If the process
    dies while they are written, or writing raises, a checkpoint that stood there
    before is still whole. After a call that returns, path is the only file that it
    has left in the folder.
    """
    raise NotImplementedError


def load(
    path: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    generator: torch.Generator,
) -> int:
    """Read a checkpoint into what is given, and return its step.

    The optimizer was made with the parameters of model, and it still updates them
    afterwards. What stands in the file is not run, whoever has made it. Raises
    RuntimeError if a parameter of the model is missing, if there is one too many,
    or if one has another shape.
    """
    raise NotImplementedError
