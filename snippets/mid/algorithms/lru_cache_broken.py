"""Two versions that people write in a hurry, and what each costs."""


class NoRefresh(dict):
    """Drops the key that was inserted first, however often it was read since."""

    def __init__(self, capacity):
        super().__init__()
        self.capacity = capacity

    def put(self, key, value):
        self[key] = value  # an old key keeps its place
        if len(self) > self.capacity:
            del self[next(iter(self))]


class Timestamps:
    """Finds the oldest key by looking at all of them."""

    def __init__(self, capacity):
        self.capacity, self.values, self.used = capacity, {}, {}
        self.clock, self.looked_at = 0, 0

    def get(self, key):
        self.clock += 1
        if key in self.values:
            self.used[key] = self.clock
        return self.values.get(key)

    def put(self, key, value):
        self.clock += 1
        if key not in self.values and len(self.values) == self.capacity:
            self.looked_at += len(self.used)
            oldest = min(self.used, key=self.used.get)
            del self.values[oldest], self.used[oldest]
        self.values[key], self.used[key] = value, self.clock


if __name__ == "__main__":
    cache = NoRefresh(2)
    cache.put("system prompt", 1)
    for request in ("first question", "second question"):
        print("system prompt found:", cache.get("system prompt") is not None)
        cache.put(request, 2)
    print("system prompt found:", cache.get("system prompt") is not None)

    for capacity in (1_000, 2_000):
        slow = Timestamps(capacity)
        for key in range(2 * capacity):
            slow.put(key, key)
        print(
            f"{capacity} entries and as many evictions: {slow.looked_at} looked at"
        )
