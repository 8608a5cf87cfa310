import torch


class CircularBuffer:
    """The last `capacity` (1 or more) tensors of one shape, in one tensor."""

    def __init__(self, capacity, shape=(), dtype=torch.float32, device=None):
        self.data = torch.zeros(capacity, *shape, dtype=dtype, device=device)
        self.added = 0  # ever, so that empty and full differ

    def append(self, row):
        self.data[self.added % len(self.data)] = row.detach()
        self.added += 1

    def ordered(self):  # a copy, oldest first
        start = self.added % len(self.data) if self.added > len(self.data) else 0
        rows = self.data[: self.added]
        return torch.cat([rows[start:], rows[:start]])


if __name__ == "__main__":
    buffer = CircularBuffer(4, dtype=torch.long)
    for number in range(1, 7):
        buffer.append(torch.tensor(number))
    print("memory ", buffer.data.tolist())
    print("ordered", buffer.ordered().tolist())
