import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    RandomSampler,
    default_collate,
)


def batches(dataset, batch_size):
    """What a shuffling DataLoader without workers yields in one epoch."""
    for indices in BatchSampler(RandomSampler(dataset), batch_size, False):
        yield default_collate([dataset[index] for index in indices])


if __name__ == "__main__":
    dataset = [(torch.tensor([i**2.0]), i) for i in range(7)]
    by_hand = torch.cat([labels for _, labels in batches(dataset, 3)])
    print("every sample once:", sorted(by_hand.tolist()) == list(range(7)))

    lists = [[4, 0, 6], [1, 1]]  # a loader takes lists of indices, too
    for _, labels in DataLoader(dataset, batch_sampler=lists):
        print(labels)
