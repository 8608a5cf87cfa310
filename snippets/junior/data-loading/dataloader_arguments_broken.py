# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
from torch.utils.data import DataLoader, Dataset


class Augmented(Dataset[int]):
    """Each item is the strength of the augmentation that it would get."""

    def __init__(self) -> None:
        self.strength = 0
        self.reads = 0

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        self.reads += 1
        return self.strength


def run(**options) -> tuple[list[list[int]], int]:
    """Three epochs of two batches; the main process raises the strength each time.

    Returns:
        For each epoch the distinct strengths in its batches; and the reads that the
        main process counted.
    """
    dataset = Augmented()
    loader = DataLoader(dataset, batch_size=2, **options)
    epochs = []
    for strength in (1, 2, 3):
        dataset.strength = strength
        epochs.append(sorted({item for batch in loader for item in batch.tolist()}))
    return epochs, dataset.reads


if __name__ == "__main__":
    workers = {"num_workers": 2}
    print(f"{'':20}  strengths in epochs 1, 2, 3   reads counted")
    for name, options in (
        ("no workers", {}),
        ("2 workers", workers),
        ("2 persistent workers", {"persistent_workers": True, **workers}),
    ):
        strengths, reads = run(**options)
        print(f"{name:20}  {strengths!s:28}  {reads}")
