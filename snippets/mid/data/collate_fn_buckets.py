from collections.abc import Iterator, Sequence

import torch
from torch.utils.data import BatchSampler, RandomSampler, Sampler


class BucketSampler(Sampler[list[int]]):
    """Shuffled batches of samples of like length, a ``batch_sampler``.

    Args:
        lengths: of each sample.
        bucket: so many batches are drawn at random, then sorted by length together.
    """

    def __init__(
        self, lengths: Sequence[int], batch_size: int, bucket: int
    ) -> None:
        self.lengths, self.batch_size, self.bucket = lengths, batch_size, bucket

    def __iter__(self) -> Iterator[list[int]]:
        batches = []
        shuffled = torch.randperm(len(self.lengths)).tolist()
        size = self.batch_size * self.bucket
        for i in range(0, len(shuffled), size):
            part = sorted(shuffled[i : i + size], key=self.lengths.__getitem__)
            for j in range(0, len(part), self.batch_size):
                batches.append(part[j : j + self.batch_size])
        return iter([batches[i] for i in torch.randperm(len(batches)).tolist()])

    def __len__(self) -> int:
        return -(-len(self.lengths) // self.batch_size)


def padding(batches: Iterator[list[int]], lengths: Sequence[int]) -> float:
    """Share of the padded batches that is padding."""
    width = [[max(lengths[i] for i in batch)] * len(batch) for batch in batches]
    return 1 - sum(lengths) / sum(map(sum, width))


if __name__ == "__main__":
    torch.manual_seed(0)
    lengths = torch.randint(1, 101, (10000,)).tolist()
    random = BatchSampler(RandomSampler(lengths), 32, drop_last=False)
    print(f"random batches of 32    padding {padding(random, lengths):.0%}")
    for bucket in (10, 100):
        sampler = BucketSampler(lengths, 32, bucket)
        share = padding(sampler, lengths)
        print(f"buckets of {bucket:3} batches   padding {share:.0%}")
