def read_by_set(keys: list[str], text: str) -> int:
    """Characters that slices hash until each place has its longest key."""
    known, longest, read = set(keys), max(map(len, keys)), 0
    for start in range(len(text)):
        for end in range(min(start + longest, len(text)), start, -1):
            read += end - start
            if text[start:end] in known:
                break
    return read


def read_by_trie(keys: list[str], text: str) -> int:
    """Characters that a walk from each place of ``text`` looks up."""
    root, read = {}, 0
    for key in keys:
        node = root
        for character in key:
            node = node.setdefault(character, {})
    for start in range(len(text)):
        node = root
        for character in text[start:]:
            read += 1
            if character not in node:
                break
            node = node[character]
    return read


if __name__ == "__main__":
    text = "a" * 1000
    for length in (8, 16, 32, 64):
        keys = ["a", "a" * (length - 1) + "b"]
        by_set, by_trie = read_by_set(keys, text), read_by_trie(keys, text)
        print(f"longest key {length:2}: set {by_set:8}, trie {by_trie:6}")
