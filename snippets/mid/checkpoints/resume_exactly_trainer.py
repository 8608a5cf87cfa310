# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Sampler, TensorDataset


class EpochSampler(Sampler[int]):
    """An order that depends on seed and epoch only, from any position on."""

    def __init__(self, size: int, seed: int = 0) -> None:
        self.size, self.seed, self.epoch, self.start = size, seed, 0, 0

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        order = torch.randperm(self.size, generator=generator)
        return iter(order[self.start :].tolist())

    def __len__(self) -> int:
        return max(self.size - self.start, 0)


def save_atomically(state: dict[str, Any], path: str | Path) -> None:
    """Write a file, in one process; a failure leaves the old or the new one."""
    with open(temporary := f"{path}.tmp", "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def random_states() -> dict[str, Any]:
    """What Python's, NumPy's and torch's global generators draw next, as data."""
    of_numpy = np.random.get_state(legacy=False)
    of_numpy["state"]["key"] = of_numpy["state"]["key"].tolist()
    states = {"cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all()}
    return states | {"python": random.getstate(), "numpy": of_numpy}


def set_random_states(states: dict[str, Any]) -> None:
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])
    torch.set_rng_state(states["cpu"])
    torch.cuda.set_rng_state_all(states["cuda"])


class Trainer:
    """A run that may stop after any step and go on from a file, bit for bit.

    Args:
        loss_fn: a scalar, from the model and a batch as the loader gives it.
        loader: with ``sampler=EpochSampler(len(dataset))``. Trainer sets its
            generator, because ``iter`` would draw from the global one.
        scheduler: stepped after each step of the optimizer.
        parts: all else with a ``state_dict()``, such as ``ema=...``.

    Not restored: what workers draw in mid-epoch, and generators of your own.
    Raises TypeError for another loader, ValueError for one without a batch.
    """

    def __init__(
        self,
        model: nn.Module,
        loss_fn: Callable[[nn.Module, Any], Tensor],
        optimizer: torch.optim.Optimizer,
        loader: DataLoader,
        scheduler: Any = None,
        scaler: torch.amp.GradScaler | None = None,
        **parts: Any,
    ) -> None:
        self.sampler = loader.sampler
        if not isinstance(self.sampler, EpochSampler) or loader.persistent_workers:
            raise TypeError("needs an EpochSampler, and no persistent workers")
        self.model, self.loss_fn, self.optimizer = model, loss_fn, optimizer
        self.scheduler, self.loader = scheduler, loader
        self.scaler = scaler or torch.amp.GradScaler("cpu", enabled=False)
        parts |= {"model": model, "optimizer": optimizer, "scheduler": scheduler}
        parts["scaler"] = self.scaler if self.scaler.is_enabled() else None
        self.parts = {n: part for n, part in parts.items() if part is not None}
        loader.generator = torch.Generator()
        self.sampler.start = self.done = 0
        self.batches = len(loader)
        if not self.batches:
            raise ValueError("the loader has no batch")

    def step(self, batch: Any) -> None:
        """An update: extend it for an EMA, replace it to clip, never save in it."""
        self.optimizer.zero_grad()
        self.scaler.scale(self.loss_fn(self.model, batch)).backward()
        self.scaler.step(self.optimizer)
        scale = self.scaler.get_scale()
        self.scaler.update()
        if self.scheduler and self.scaler.get_scale() >= scale:  # not skipped
            self.scheduler.step()

    def train(self, until: int) -> None:
        """Go on in train mode until so many steps are done, from the first one."""
        self.model.train()
        while self.done < until:
            epoch, position = divmod(self.done, self.batches)
            self.sampler.epoch = epoch
            self.sampler.start = position * (self.loader.batch_size or 1)
            self.loader.generator.manual_seed(self.sampler.seed + epoch)
            for batch in islice(self.loader, until - self.done):
                self.step(batch)
                self.done += 1
        self.sampler.start = 0  # the loader is whole again, for an evaluation

    def made_of(self) -> dict[str, Any]:
        """What a file and a run must share, or going on would not be exact."""
        batches = f"{self.batches} batches of {self.loader.batch_size}"
        data = f"{self.sampler.size} samples, seed {self.sampler.seed}, {batches}"
        kinds = {name: type(part).__name__ for name, part in self.parts.items()}
        return kinds | {"data and order": data, "GPUs": torch.cuda.device_count()}

    def save(self, path: str | Path) -> None:
        parts = {name: part.state_dict() for name, part in self.parts.items()}
        state = {"made_of": self.made_of(), "done": self.done, "parts": parts}
        save_atomically(state | {"random": random_states()}, path)

    def load(self, path: str | Path) -> None:
        """Go on where a file of ``save`` ends.

        Raises ValueError, and changes nothing, unless ``made_of`` agrees. What a
        part refuses, such as other shapes, is raised with others already loaded.
        """
        state = torch.load(path, map_location="cpu", weights_only=True)
        if not isinstance(state, dict) or "made_of" not in state:
            raise ValueError("no file of Trainer.save")
        file, run = state["made_of"], self.made_of()
        for name in file | run:
            if (old := file.get(name)) != (new := run.get(name)):
                raise ValueError(f"{name}: file has {old}, run has {new}")
        for name, part in self.parts.items():
            part.load_state_dict(state["parts"][name])
        self.done = state["done"]
        set_random_states(state["random"])


if __name__ == "__main__":

    def new(seed: int) -> Trainer:
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.Linear(16, 1))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        loader = DataLoader(data, batch_size=4, sampler=EpochSampler(len(data)))
        cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 40)
        return Trainer(model, loss, optimizer, loader, cosine)

    def loss(model: nn.Module, batch: list[Tensor]) -> Tensor:
        return nn.functional.mse_loss(model(batch[0]), batch[1])

    data = TensorDataset(torch.randn(30, 8), torch.randn(30, 1))
    whole = new(seed=0)
    whole.train(until=40)
    for stop in (16, 21):
        with tempfile.TemporaryDirectory() as folder:
            first = new(seed=0)
            first.train(until=stop)
            first.save(f"{folder}/run.pt")
            resumed = new(seed=1)
            resumed.load(f"{folder}/run.pt")
        resumed.train(until=40)
        a, b = (run.model.parameters() for run in (whole, resumed))
        same = all(map(torch.equal, a, b))
        print(f"stopped after step {stop} of 40, identical: {same}")
