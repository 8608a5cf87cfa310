from collections.abc import Iterator, Sequence

import torch
from torch.utils.data import Sampler


class TokenBudgetSampler(Sampler[list[int]]):
    """Shuffled batches of like length and of limited size, a ``batch_sampler``.

    The number of batches differs from epoch to epoch, so there is no ``len()``.

    Args:
        lengths: tokens of each sample.
        max_tokens: the most places that a padded batch may have (rows x width).
        bucket: so many samples, at least one, are drawn at random, then sorted.

    Raises:
        ValueError: a sample is longer than ``max_tokens``, or ``bucket`` below 1.
    """

    def __init__(
        self, lengths: Sequence[int], max_tokens: int, bucket: int
    ) -> None:
        lengths = [int(length) for length in lengths]  # small integers overflow
        if max(lengths, default=0) > max_tokens:
            raise ValueError(f"a sample is longer than {max_tokens} tokens")
        if bucket < 1:
            raise ValueError(f"bucket is {bucket}, must be at least 1")
        self.lengths, self.max_tokens, self.bucket = lengths, max_tokens, bucket

    def __iter__(self) -> Iterator[list[int]]:
        shuffled = torch.randperm(len(self.lengths)).tolist()
        batches = []
        for i in range(0, len(shuffled), self.bucket):
            batch = []
            part = shuffled[i : i + self.bucket]
            for index in sorted(part, key=self.lengths.__getitem__):
                # Sorted: this sample is the longest so far, so it sets the width.
                if (len(batch) + 1) * self.lengths[index] > self.max_tokens:
                    batches.append(batch)
                    batch = []
                batch.append(index)
            batches.append(batch)
        return iter([batches[i] for i in torch.randperm(len(batches)).tolist()])


if __name__ == "__main__":
    torch.manual_seed(0)
    lengths = (30 * torch.randn(6400).exp()).long().clamp(1, 512).tolist()
    order = torch.randperm(6400).reshape(4, 1600).tolist()
    ordered = sum((sorted(part, key=lengths.__getitem__) for part in order), [])
    fixed = [ordered[i : i + 32] for i in range(0, 6400, 32)]
    budget = list(TokenBudgetSampler(lengths, max_tokens=2048, bucket=1600))
    for name, batches in (("32 sentences", fixed), ("2048 tokens", budget)):
        rows = [len(batch) for batch in batches]
        places = [len(b) * max(lengths[i] for i in b) for b in batches]
        mean = sum(places) / len(places)
        print(
            f"{name:12}  batches {len(batches)}   rows {min(rows)} to {max(rows)}"
        )
        print(f"{'':14}places: mean {mean:.0f}, largest {max(places)}")
