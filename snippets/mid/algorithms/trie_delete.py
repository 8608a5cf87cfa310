def insert(root: dict, word: str, value: int) -> None:
    """Add ``word`` to the trie of nested dictionaries."""
    for character in word:
        root = root.setdefault(character, {})
    root[None] = value


def delete(root: dict, word: str) -> None:
    """Remove ``word`` and the nodes that only it needed.

    Raises:
        KeyError: ``word`` is not a key; the trie stays as it was.
    """
    path = [root]
    for character in word:
        path.append(path[-1][character])
    del path[-1][None]
    for node, character in zip(path[-2::-1], reversed(word)):
        if node[character]:
            break
        del node[character]


if __name__ == "__main__":
    root: dict = {}
    for row, word in enumerate(["un", "union", "unit"]):
        insert(root, word, row)
    for word in ("un", "union", "unit"):
        delete(root, word)
        print(f"without {word!r:7}", root)
