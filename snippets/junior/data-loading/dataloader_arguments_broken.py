# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
from torch.utils.data import DataLoader


class Augmented(list):
    strength = 0  # of the augmentation; an item is the strength it gets

    def __getitem__(self, index):
        return self.strength


def run(**options):
    dataset = Augmented(range(4))
    loader = DataLoader(dataset, batch_size=2, **options)
    epochs = []
    for strength in (1, 2, 3):
        dataset.strength = strength
        epochs.append({item for batch in loader for item in batch.tolist()})
    return epochs


if __name__ == "__main__":
    print("no workers          ", run())
    print("2 workers           ", run(num_workers=2))
    print("2 persistent workers", run(num_workers=2, persistent_workers=True))
