import sys

import torch
import torch.nn.functional as F
from torch import nn

WORLD, STEPS, BATCH, RATE, MAX_NORM = 2, 200, 16, 0.01, 5.0


def target(x: torch.Tensor) -> torch.Tensor:
    """What is to be learned, for inputs (N, 8): float32 (N, 1)."""
    return (4 * x[:, :2].abs() - 3 * x[:, 2:4]).sum(dim=1, keepdim=True)


class Replica:
    """One rank: its model, its optimizer, and the source of its examples."""

    def __init__(self, seed: int, rank: int) -> None:
        torch.manual_seed(100 * seed + rank)
        self.model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
        self.optimizer = torch.optim.SGD(
            self.model.parameters(), RATE, momentum=0.9
        )
        self.data = torch.Generator().manual_seed(1000 * seed)

    def backward(self) -> float:
        x = torch.randn(BATCH, 8, generator=self.data)
        noise = 2 * torch.randn(BATCH, 1, generator=self.data)
        loss = F.mse_loss(self.model(x), target(x) + noise)
        self.optimizer.zero_grad()
        loss.backward()
        return loss.item()


def all_reduce(replicas: list[Replica]) -> None:
    """Give every rank the mean of all ranks' gradients."""
    for same in zip(*(replica.model.parameters() for replica in replicas)):
        mean = torch.stack([p.grad for p in same]).mean(dim=0)
        for p in same:
            p.grad.copy_(mean)


def distance(replicas: list[Replica]) -> float:
    """The Euclidean distance between the parameters of ranks 0 and 1."""
    a, b = (nn.utils.parameters_to_vector(r.model.parameters()) for r in replicas)
    return (a - b).norm().item()


def train(seed: int) -> dict[str, list]:
    """Losses by step and rank, distances, gradient norms, and the test errors."""
    replicas = [Replica(seed, rank) for rank in range(WORLD)]
    losses, distances, norms = [], [distance(replicas)], []
    for _ in range(STEPS):
        losses.append([replica.backward() for replica in replicas])
        all_reduce(replicas)
        for rank, replica in enumerate(replicas):
            parameters = replica.model.parameters()
            if rank == 0:
                norms.append(nn.utils.clip_grad_norm_(parameters, MAX_NORM).item())
            replica.optimizer.step()
        distances.append(distance(replicas))
    x = torch.randn(2000, 8, generator=torch.Generator().manual_seed(10**6 + seed))
    with torch.no_grad():
        errors = [F.mse_loss(r.model(x), target(x)).item() for r in replicas]
    result = {"losses": losses, "distances": distances}
    return result | {"norms": norms, "errors": errors}


if __name__ == "__main__":
    result = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for step in (0, 1, 50, 200):
        print(f"distance after step {step:3}: {result['distances'][step]:7.4f}")
    print("losses of step 1: {:.3f} and {:.3f}".format(*result["losses"][0]))
    print("test errors:      {:.2f} and {:.2f}".format(*result["errors"]))
