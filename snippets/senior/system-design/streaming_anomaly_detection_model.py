import copy

import torch
from torch import nn


def draw(mix: torch.Tensor, rows: int, generator: torch.Generator) -> torch.Tensor:
    """Points near the plane that ``mix`` spans, shape (rows, 12)."""
    hidden = torch.randn(rows, len(mix), generator=generator)
    return hidden @ mix + 0.1 * torch.randn(rows, mix.shape[1], generator=generator)


def errors(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Reconstruction error of each row."""
    with torch.no_grad():
        return (model(x) - x).square().mean(1)


def learn(
    model: nn.Module, batches: list[torch.Tensor], rate: float = 1e-2
) -> None:
    """One step of Adam for each batch."""
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for x in batches:
        optimizer.zero_grad()
        (model(x) - x).square().mean().backward()
        optimizer.step()


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    planes = torch.randn(2, 3, 12, generator=generator)
    model = nn.Sequential(nn.Linear(12, 6), nn.Linear(6, 12))
    learn(model, [draw(planes[0], 64, generator) for _ in range(300)])
    normal, attack = (draw(plane, 1_000, generator) for plane in planes)
    limit = errors(model, normal).quantile(0.99)

    def flagged(model: nn.Module) -> str:
        shares = [
            (errors(model, x) > limit).float().mean() for x in (normal, attack)
        ]
        return f"{shares[0]:12.0%}{shares[1]:12.0%}"

    print("flagged                      normal      attack")
    print(f"before                {flagged(model)}")
    stream = [draw(planes[1], 64, generator) for _ in range(300)]
    replay = [draw(planes[0], 64, generator) for _ in range(300)]
    mixed = [torch.cat(pair) for pair in zip(stream, replay, strict=True)]
    unflagged = [x[errors(model, x) <= limit] for x in mixed]
    for name, batches in {
        "learn the stream": stream,
        "and replay old rows": mixed,
        "unflagged rows only": unflagged,
    }.items():
        updated = copy.deepcopy(model)
        learn(updated, batches)
        print(f"{name:22}{flagged(updated)}")
