class NoRefresh(dict):
    """Drops the key that was inserted first, however often it was read since."""

    def __init__(self, capacity):
        super().__init__()
        self.capacity = capacity

    def put(self, key, value):
        self[key] = value  # an old key keeps its place
        if len(self) > self.capacity:
            del self[next(iter(self))]


if __name__ == "__main__":
    cache = NoRefresh(2)
    cache.put("system prompt", 1)
    for request in ("first question", "second question"):
        print("system prompt found:", cache.get("system prompt") is not None)
        cache.put(request, 2)
    print("system prompt found:", cache.get("system prompt") is not None)
