import weakref

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Live(TorchDispatchMode):
    """Peak bytes of the storages that operations have seen, since a reset."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[int, int] = {}
        self.peak = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves((args, kwargs, result)):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                if storage._cdata not in self.sizes:
                    self.sizes[storage._cdata] = storage.nbytes()
                    weakref.finalize(storage, self.sizes.pop, storage._cdata)
        self.peak = max(self.peak, sum(self.sizes.values()))
        return result


class Model(nn.Module):
    """Four residual MLP blocks and a large vocabulary."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(32000, 1024), nn.Linear(1024, 32000)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024))
            for _ in range(4)
        )

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        for block in self.blocks:
            x = x + block(x)
        return F.cross_entropy(self.head(x), tokens)


def peaks() -> dict[str, float]:
    """Peak MB in each phase of a run on the meta device: sizes, but no data."""
    found: dict[str, float] = {}

    def phase(name: str, run) -> None:
        live.peak = 0
        run()
        found[name] = live.peak / 1e6

    with Live() as live, torch.device("meta"):
        model = Model()
        optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
        short, long = (torch.empty(n, dtype=torch.long) for n in (1024, 2048))
        for step, length, tokens in (
            (1, "short", short),
            (2, "short", short),
            (3, "longest", long),
        ):
            phase(
                f"step {step}, {length} batch, backward",
                lambda tokens=tokens: model(tokens).backward(),
            )
            phase(f"step {step}, {length} batch, optimizer", optimizer.step)
            optimizer.zero_grad()
        with torch.no_grad():
            phase("evaluation, longest batch", lambda: model(long))
        phase("evaluation without no_grad", lambda: model(long))
    return found


if __name__ == "__main__":
    for name, peak in peaks().items():
        print(f"{name:34}{peak:8,.0f} MB")
