"""The hash map and the doubly linked list that an ordered dictionary hides."""

from collections.abc import Hashable
from typing import Any


class Node:
    """An entry and its two neighbors in the order of use."""

    __slots__ = ("key", "value", "before", "after")

    def __init__(self, key: Hashable = None, value: Any = None) -> None:
        self.key, self.value = key, value


class LinkedLRUCache:
    """A map of at most `capacity` keys that drops the least recently used one.

    get and put count as uses. Not safe for several threads.

    Args:
        capacity: the largest number of entries, at least 1.

    Raises:
        ValueError: capacity is below 1.
        TypeError: a key is not hashable.
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, got {capacity}")
        self.capacity = capacity
        self.nodes: dict[Hashable, Node] = {}
        self.links_written = 0
        self.oldest, self.newest = Node(), Node()  # sentinels: no empty case
        self._link(self.oldest, self.newest)

    def _link(self, before: Node, after: Node) -> None:
        before.after, after.before = after, before
        self.links_written += 1

    def _append(self, node: Node) -> None:
        self._link(self.newest.before, node)
        self._link(node, self.newest)

    def get(self, key: Hashable, default: Any = None) -> Any:
        """The value of key, which becomes the newest, or default."""
        if key not in self.nodes:
            return default
        node = self.nodes[key]
        self._link(node.before, node.after)
        self._append(node)
        return node.value

    def put(self, key: Hashable, value: Any) -> None:
        """Store value under key as the newest; drop the oldest if it is full."""
        if key in self.nodes:
            node = self.nodes[key]
            node.value = value
            self._link(node.before, node.after)
        else:
            node = self.nodes[key] = Node(key, value)
            if len(self.nodes) > self.capacity:
                oldest = self.oldest.after
                self._link(oldest.before, oldest.after)
                del self.nodes[oldest.key]
        self._append(node)


if __name__ == "__main__":
    print("entries  links written by get, put, put of a new key")
    for capacity in (1_000, 2_000, 4_000):
        cache = LinkedLRUCache(capacity)
        for key in range(capacity):
            cache.put(key, key)
        written = [cache.links_written]
        for use, arguments in (
            (cache.get, [0]),
            (cache.put, [1, 1]),
            (cache.put, [-1, 0]),
        ):
            use(*arguments)
            written.append(cache.links_written)
        print(f"{capacity:7}", *(b - a for a, b in zip(written, written[1:])))
