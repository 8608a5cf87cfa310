import torch


class CircularBuffer:
    def __init__(self, capacity, shape=(), **options):
        self.data = torch.zeros(capacity, *shape, **options)
        self.added = 0  # ever, so that empty and full differ

    def append(self, row):
        self.data[self.added % len(self.data)] = row.detach()
        self.added += 1

    def ordered(self):  # a copy, oldest first
        start = self.added % len(self.data)
        rows = self.data[: self.added]
        return torch.cat([rows[start:], rows[:start]])


buffer = CircularBuffer(4, dtype=torch.long)
for number in range(1, 7):
    buffer.append(torch.tensor(number))
print("memory ", buffer.data.tolist())
print("ordered", buffer.ordered().tolist())
