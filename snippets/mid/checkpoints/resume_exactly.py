import io
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, Sampler, TensorDataset


class EpochSampler(Sampler[int]):
    """A shuffled order that depends on (seed, epoch) and nothing else, and can start at any position."""

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.seed, self.epoch, self.start = size, seed, 0, 0

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        order = torch.randperm(self.size, generator=generator)
        return iter(order[self.start :].tolist())

    def __len__(self) -> int:
        return max(self.size - self.start, 0)


class Trainer:
    """A training run over ``dataset`` (x: (8,), y: (1,), float32) that can stop and resume after any step."""

    PARTS = ("model", "optimizer", "scheduler")

    def __init__(
        self,
        dataset: TensorDataset,
        seed: int = 0,
        batch_size: int = 4,
        total_steps: int = 40,
    ) -> None:
        torch.manual_seed(seed)
        layers = [nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 1)]
        self.model = nn.Sequential(*layers)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.01)
        self.scheduler = CosineAnnealingLR(self.optimizer, T_max=total_steps)
        self.sampler = EpochSampler(len(dataset), seed)
        self.loader = DataLoader(
            dataset, batch_size, sampler=self.sampler, generator=torch.Generator()
        )
        self.epoch, self.batch = 0, 0  # where the next step stands

    def train(self, steps: int) -> None:
        while steps > 0:
            self.sampler.epoch = self.epoch
            self.sampler.start = self.batch * self.loader.batch_size
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
    # 8 steps an epoch
    dataset = TensorDataset(torch.randn(32, 8), torch.randn(32, 1))
    whole = Trainer(dataset)
    whole.train(steps=40)
    untouched = Trainer(dataset).state_dict()
    cases = [(16, None), (21, None)]
    cases += [(21, lost) for lost in ("optimizer", "scheduler", "rng", "batch")]
    for stop, lost in cases:
        first, file = Trainer(dataset), io.BytesIO()
        first.train(stop)
        torch.save(first.state_dict(), file)
        file.seek(0)
        state = torch.load(file)
        resumed = Trainer(dataset)
        resumed.load_state_dict(state | ({lost: untouched[lost]} if lost else {}))
        resumed.train(40 - stop)
        pairs = zip(whole.model.parameters(), resumed.model.parameters())
        gap = max((a - b).abs().max().item() for a, b in pairs)
        where = f"stopped at step {stop}, lost: {lost or 'nothing'}"
        print(f"{where:36} identical {gap == 0!s:5}  largest difference {gap:.4f}")
