import torch

KEEP = torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])  # the last two do not matter
CHANGED = torch.tensor([-0.2, 1.0, 1.0, 1.0, 0.0, 0.0])


def sample(world: str, rows: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Features as the model receives them, shape (rows, 6), and labels 0 or 1."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 6, generator=generator)
    noise = torch.randn(rows, generator=generator)
    if world == "unused feature shifts":
        x[:, 5] += 1
    if world == "cases get harder":
        x[:, :4] *= 0.5
    weight = CHANGED if world == "rule changes" else KEEP
    y = (x @ weight + 0.5 * noise > 0).float()
    if world == "feature 0 arrives as 0":
        x[:, 0] = 0
    return x, y


def fit(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Weights of a ridge classifier, shape (6,)."""
    gram = x.T @ x + torch.eye(x.shape[1])
    return torch.linalg.solve(gram, x.T @ (2 * y - 1))


def accuracy(weight: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> float:
    """Share of rows on the right side."""
    return ((x @ weight > 0).float() == y).float().mean().item()


def drift(before: torch.Tensor, after: torch.Tensor) -> float:
    """Largest population stability index of a feature, with ten quantile bins."""
    values = []
    for old, new in zip(before.unbind(1), after.unbind(1), strict=True):
        edges = old.sort().values[torch.arange(1, 10) * len(old) // 10]
        p, q = (
            (torch.bucketize(x.contiguous(), edges).bincount(minlength=10) + 0.5)
            / len(x)
            for x in (old, new)
        )
        values.append(((p - q) * (p / q).log()).sum().item())
    return max(values)


WORLDS = (
    "nothing changes",
    "unused feature shifts",
    "rule changes",
    "cases get harder",
    "feature 0 arrives as 0",
)

if __name__ == "__main__":
    before = sample("nothing changes", 20_000, seed=0)
    old = fit(*before)
    print("world                   PSI above 0.1   accuracy   retrained")
    for world in WORLDS:
        recent, test = (sample(world, 20_000, seed) for seed in (1, 2))
        alarm = drift(before[0], recent[0]) > 0.1
        new = fit(*recent)
        row = f"{accuracy(old, *test):11.0%}{accuracy(new, *test):12.0%}"
        print(f"{world:24}{alarm!s:>13}{row}")
    fixed = sample("nothing changes", 20_000, seed=3)
    print("\nfeature 0 is repaired:", end=" ")
    print(f"old {accuracy(old, *fixed):.0%}, retrained {accuracy(new, *fixed):.0%}")
