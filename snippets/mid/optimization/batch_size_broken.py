import torch


def steps_needed(lr: float, batch: int, seed: int) -> int:
    """Steps of SGD until a noisy regression is solved; 0 if 500 are too few."""
    generator = torch.Generator().manual_seed(seed)
    w = torch.ones(20)  # the solution is zero
    for step in range(1, 501):
        x = torch.randn(batch, 20, generator=generator)
        y = torch.randn(batch, generator=generator)
        w = w - lr * x.T @ (x @ w - y) / batch
        if w.square().sum() < 1:
            return step
    return 0


if __name__ == "__main__":
    for batch, lr, rule in (
        (16, 0.384, "best on the grid"),
        (128, 0.384, "the same rate"),
        (128, 8 * 0.384, "linear rule"),
        (128, 8**0.5 * 0.384, "square root"),
    ):
        found = [steps_needed(lr, batch, seed) for seed in range(9)]
        result = f"{min(found)} to {max(found)} steps" if min(found) else "diverges"
        print(f"batch {batch:3}, lr {lr:5.3f} ({rule:16}) {result}")
