import copy
import io
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, Sampler, TensorDataset


class EpochSampler(Sampler[int]):
    """An order that depends on seed and epoch only, from any position on."""

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.seed, self.epoch, self.start = size, seed, 0, 0

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        order = torch.randperm(self.size, generator=generator)
        return iter(order[self.start :].tolist())

    def __len__(self) -> int:
        return max(self.size - self.start, 0)


class Trainer:
    """A run over ``dataset`` (x: (8,), y: (1,), float32) that may stop at any step.

    Augmentation in workers resumes exactly between epochs only, and only if
    the workers are not persistent. Raises ValueError if there is no sample.
    """

    PARTS = ("model", "optimizer", "scheduler")

    def __init__(
        self,
        dataset: TensorDataset,
        seed: int = 0,
        batch_size: int = 4,
        total_steps: int = 40,
        num_workers: int = 0,
    ) -> None:
        if not len(dataset):
            raise ValueError("the dataset is empty")
        torch.manual_seed(seed)
        layers = [nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 1)]
        self.model = nn.Sequential(*layers)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.01)
        self.scheduler = CosineAnnealingLR(self.optimizer, T_max=total_steps)
        self.sampler = EpochSampler(len(dataset), seed)
        self.loader = DataLoader(
            dataset,
            batch_size,
            sampler=self.sampler,
            num_workers=num_workers,
            generator=torch.Generator(),  # seeds the workers
        )
        self.epoch, self.batch = 0, 0  # where the next step stands

    def train(self, steps: int) -> None:
        while steps > 0:
            self.sampler.epoch = self.epoch
            self.sampler.start = self.batch * self.loader.batch_size
            self.loader.generator.manual_seed(self.sampler.seed + self.epoch)
            for x, y in self.loader:
                loss = nn.functional.mse_loss(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.scheduler.step()
                self.batch, steps = self.batch + 1, steps - 1
                if steps == 0:
                    break
            else:
                self.epoch, self.batch = self.epoch + 1, 0

    def state_dict(self) -> dict[str, Any]:
        state = {name: getattr(self, name).state_dict() for name in self.PARTS}
        state["rng"] = torch.get_rng_state()
        state["cuda_rng"] = torch.cuda.get_rng_state_all()
        return state | {"epoch": self.epoch, "batch": self.batch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name in self.PARTS:
            getattr(self, name).load_state_dict(state[name])
        self.epoch, self.batch = state["epoch"], state["batch"]
        torch.set_rng_state(state["rng"])
        torch.cuda.set_rng_state_all(state["cuda_rng"])


if __name__ == "__main__":
    torch.manual_seed(0)
    dataset = TensorDataset(
        torch.randn(32, 8), torch.randn(32, 1)
    )  # 8 steps an epoch
    whole = Trainer(dataset)
    whole.train(steps=40)
    untouched = copy.deepcopy(Trainer(dataset).state_dict())
    parts = ("model", "optimizer", "scheduler", "rng", "epoch", "batch")
    for stop, lost in [(16, None), (21, None), *((21, part) for part in parts)]:
        first, file = Trainer(dataset), io.BytesIO()
        first.train(stop)
        torch.save(first.state_dict(), file)
        file.seek(0)
        state = torch.load(file)
        resumed = Trainer(dataset)
        resumed.load_state_dict(state | ({lost: untouched[lost]} if lost else {}))
        resumed.train(40 - stop)
        pairs = zip(whole.model.parameters(), resumed.model.parameters())
        same = all(torch.equal(a, b) for a, b in pairs)
        where = f"stopped at step {stop}, lost: {lost or 'nothing':9}"
        print(f"{where}  identical: {same}")
