# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
import matplotlib.pyplot as plt
import torch


def average_precision(hit: torch.Tensor, objects: int) -> float:
    """Area below precision over recall; hit: (n,), bool, by falling score."""
    precision = hit.cumsum(0) / torch.arange(1, len(hit) + 1)
    best = precision.flip(0).cummax(0).values.flip(0)
    return (best[hit].sum() / objects).item()


def stairs(hit: torch.Tensor, objects: int) -> tuple[list[float], list[float]]:
    """Recall and precision after each box."""
    found = hit.cumsum(0)
    recall = [0.0, *(found / objects).tolist()]
    return recall, [1.0, *(found / torch.arange(1, len(hit) + 1)).tolist()]


THRESHOLDS = [0.5 + i / 20 for i in range(10)]
MODELS = {
    "A": (90, 0.62),
    "B": (70, 0.92),
}  # objects found of 100, and at which IoU

if __name__ == "__main__":
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(7, 3.2), layout="constrained"
    )
    four = torch.tensor([True, False, True, True])
    for name, hit in {
        "four boxes": four,
        "with a duplicate": torch.cat([four[:1], ~four[:1], four[1:]]),
    }.items():
        ap = average_precision(hit, 4)
        left.plot(*stairs(hit, 4), "o-", label=f"{name}, AP {ap:.3f}")
    for name, (found, overlap) in MODELS.items():
        hits = [torch.full((found,), overlap >= least) for least in THRESHOLDS]
        ap = [average_precision(hit, 100) for hit in hits]
        mean = sum(ap) / 10
        print(f"{name}: AP at 0.5 {ap[0]:.2f}, mean from 0.5 to 0.95 {mean:.2f}")
        right.step(THRESHOLDS, ap, where="mid", label=name)
    left.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.05))
    right.set(xlabel="IoU that counts as found", ylabel="AP", ylim=(0, 1))
    left.legend(loc="lower left")
    right.legend()
    plt.show()
