import runpy
from pathlib import Path

import torch

fixed = runpy.run_path(str(Path(__file__).with_name("fixed.py")))
broken = runpy.run_path(str(Path(__file__).with_name("broken.py")))


def interval(share: float, count: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's 95 % interval for the accuracy behind ``share`` of ``count``."""
    center = (share + z * z / (2 * count)) / (1 + z * z / count)
    root = (share * (1 - share) / count + (z / (2 * count)) ** 2) ** 0.5
    half = z / (1 + z * z / count) * root
    return center - half, center + half


def without_labels(seed: int) -> tuple[float, float]:
    """Accuracy on 500 and on 20,000 pictures of a model that broken.py trained."""
    model = broken["train"](seed)["model"]
    torch.manual_seed(seed)
    prototypes = torch.randn(fixed["CLASSES"], fixed["PIXELS"])  # as in train
    torch.manual_seed(1000 + seed)
    few, many = fixed["draw"](500, prototypes), fixed["draw"](20_000, prototypes)
    return fixed["accuracy"](model, *few), fixed["accuracy"](model, *many)


if __name__ == "__main__":
    low, high = interval(0.154, 500)
    print(f"0.154 of 500 pictures: interval {low:.3f} to {high:.3f}")
    few, many = torch.tensor([without_labels(seed) for seed in range(16)]).T
    inside = 0
    for one, true in zip(few.tolist(), many.tolist()):
        low, high = interval(one, 500)
        inside += low <= true <= high
    print(f"the interval holds the accuracy on 20,000 for {inside} of 16 models")
    print(f"accuracy on 20,000: mean {many.mean():.2f}, spread {many.std():.3f}")
    print(f"spread of 500 independent guesses: {(0.1 * 0.9 / 500) ** 0.5:.3f}")
