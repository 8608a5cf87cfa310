import gc
import sys

import torch
import torch.nn.functional as F
from torch import nn

EPOCHS, BATCHES, VALIDATION, BATCH, WIDTH = 5, 6, 2, 1024, 128


def live_megabytes() -> float:
    """What all tensors that exist take, each storage counted once, in 1e6 bytes."""
    found = {}
    for one in gc.get_objects():
        if issubclass(type(one), torch.Tensor):
            storage = one.untyped_storage()
            found[storage.data_ptr()] = storage.nbytes()
    return sum(found.values()) / 1e6


class Monitor:
    """Watches what the activations of a model are on average."""

    def __init__(self, model: nn.Sequential) -> None:
        self.seen = {}
        for name, layer in model.named_children():
            if isinstance(layer, nn.GELU):
                self.seen[name] = []
                layer.register_forward_hook(self.watch(name))

    def watch(self, name: str):
        def hook(module, inputs, output):
            self.seen[name].append(output.detach().mean())

        return hook

    def means(self) -> dict[str, float]:
        return {
            name: torch.stack([one.mean() for one in seen]).mean().item()
            for name, seen in self.seen.items()
        }


@torch.no_grad()
def validate(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The mean squared error over all batches."""
    total = torch.zeros(())
    for inputs, targets in zip(x.split(BATCH), y.split(BATCH)):
        total += F.mse_loss(model(inputs), targets, reduction="sum")
    return total / len(x)


def train(seed: int, batches: int = BATCHES, validation: int = VALIDATION) -> dict:
    """The validation error, and the memory above that of the start, per epoch."""
    torch.manual_seed(seed)
    x = torch.randn(BATCH * (batches + validation), 16)
    y = x[:, :4].sin().sum(dim=1, keepdim=True)
    held = BATCH * batches
    body = [nn.Linear(16, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH), nn.GELU()]
    model = nn.Sequential(*body, nn.Linear(WIDTH, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    monitor, curve, megabytes = Monitor(model), [], []
    gc.collect()
    start = live_megabytes()
    for _ in range(EPOCHS):
        for rows in torch.randperm(held).split(BATCH):
            loss = F.mse_loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        curve.append(validate(model, x[held:], y[held:]))
        megabytes.append(live_megabytes() - start)
    return {"curve": curve, "megabytes": megabytes, "means": monitor.means()}


if __name__ == "__main__":
    result = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for epoch, size in enumerate(result["megabytes"], 1):
        print(f"after epoch {epoch}: {size:6.1f} MB in tensors")
    print(f"validation error: {result['curve'][-1]:.2f}")
