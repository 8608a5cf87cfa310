from collections import OrderedDict


class LRUCache:
    """Keep the `capacity` keys that were used last; a miss returns None."""

    def __init__(self, capacity):
        self.capacity, self.entries = capacity, OrderedDict()

    def get(self, key):
        if key not in self.entries:
            return None
        self.entries.move_to_end(key)  # a read is a use
        return self.entries[key]

    def put(self, key, value):
        self.entries[key] = value
        self.entries.move_to_end(key)  # an old key keeps its place without this
        if len(self.entries) > self.capacity:
            self.entries.popitem(last=False)


if __name__ == "__main__":
    cache = LRUCache(capacity=3)
    for number, key in enumerate("abc"):
        cache.put(key, number)
    cache.get("a")
    cache.put("b", 7)
    cache.put("d", 3)
    print(list(cache.entries.items()))
