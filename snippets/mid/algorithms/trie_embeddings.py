from collections.abc import Iterator

import torch


class EmbeddingTrie:
    """String keys, each with a vector, all vectors in one tensor.

    Args:
        width: length of each vector.
        capacity: rows to begin with; the tensor doubles when it is full.

    Attributes:
        rows: float32, shape (at least len(self), width), in order of insertion.
    """

    @torch.inference_mode(False)  # its tensors refuse writes outside that mode
    def __init__(self, width: int, capacity: int = 8) -> None:
        self.root: dict = {}
        self.rows = torch.zeros(max(capacity, 1), width)
        self.count = 0

    def __len__(self) -> int:
        return self.count

    @torch.inference_mode(False)
    def insert(self, key: str, vector: torch.Tensor) -> None:
        """Copy ``vector``, shape (width,), without its graph; replace a known key.

        Raises:
            ValueError: the vector has another shape.
        """
        if vector.shape != self.rows.shape[1:]:
            raise ValueError(
                f"shape {tuple(vector.shape)}, not {tuple(self.rows.shape[1:])}"
            )
        node = self.root
        for character in key:
            node = node.setdefault(character, {})
        row = node.setdefault(None, self.count)
        if row == self.count:
            self.count += 1
            if row == len(self.rows):
                self.rows = torch.cat([self.rows, torch.zeros_like(self.rows)])
        self.rows[row] = vector.detach()

    def _walk(self, prefix: str) -> dict:
        node = self.root
        for character in prefix:
            node = node.get(character, {})
        return node

    def get(self, key: str) -> torch.Tensor | None:
        """A copy of the vector of exactly this key; None if there is none."""
        row = self._walk(key).get(None)
        return None if row is None else self.rows[row].clone()

    def with_prefix(self, prefix: str) -> tuple[list[str], torch.Tensor]:
        """Sorted keys that begin with ``prefix``; their vectors, (keys, width)."""

        def items(node: dict, key: str) -> Iterator[tuple[str, int]]:
            stack = [(node, key)]
            while stack:
                node, key = stack.pop()
                for step, child in node.items():
                    if step is None:
                        yield key, child
                    else:
                        stack.append((child, key + step))

        found = sorted(items(self._walk(prefix), prefix))
        return [key for key, _ in found], self.rows[[row for _, row in found]]


if __name__ == "__main__":
    trie = EmbeddingTrie(width=2)
    for i, key in enumerate(["un", "union", "unit", "token"]):
        trie.insert(key, torch.tensor([i, 10.0 * i]))
    print(trie.get("un"), trie.get("uni"))
    print(*trie.with_prefix("uni"))
    print(*trie.with_prefix("x"))
