from collections import OrderedDict


class LRUCache:
    def __init__(self, capacity):
        self.capacity, self.entries = capacity, OrderedDict()

    def get(self, key):
        if key in self.entries:
            self.entries.move_to_end(key)  # a read is a use
        return self.entries.get(key)

    def put(self, key, value):
        self.entries[key] = value
        self.entries.move_to_end(key)  # so is an update
        if len(self.entries) > self.capacity:
            self.entries.popitem(last=False)  # the oldest


cache = LRUCache(capacity=3)
for key, value in [("a", 0), ("b", 1), ("c", 2)]:
    cache.put(key, value)
cache.get("a")
cache.put("b", 7)
cache.put("d", 3)
print(list(cache.entries.items()))
