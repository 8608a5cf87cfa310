def longest_match(root: dict, text: str, start: int) -> int | None:
    """End of the longest key that begins at ``start``; None if there is none.

    Args:
        root: nested dictionaries; a node that ends a key has the entry None.
        start: 0 .. len(text).
    """
    node, end = root, None
    for i in range(start, len(text) + 1):
        if None in node:
            end = i
        if i == len(text) or text[i] not in node:
            return end
        node = node[text[i]]
    return end


def tokenize(root: dict, text: str) -> list[str]:
    """Cut ``text`` into keys, at each place the longest one.

    Raises:
        ValueError: no key that is not empty begins at some place.
    """
    tokens, start = [], 0
    while start < len(text):
        end = longest_match(root, text, start)
        if end is None or end == start:
            raise ValueError(
                f"no token begins at {start}: {text[start : start + 8]!r}"
            )
        tokens.append(text[start:end])
        start = end
    return tokens


def build(keys: list[str]) -> dict:
    """The trie of these keys, as nested dictionaries."""
    root: dict = {}
    for key in keys:
        node = root
        for character in key:
            node = node.setdefault(character, {})
        node[None] = True
    return root


if __name__ == "__main__":
    root = build(["un", "unit", "it", "i", "ed", "e", "d", "s", "t"])
    print(tokenize(root, "united"))
    print(tokenize(root, "unites"))
    short = build(["ab", "abc", "cd"])
    try:
        print(tokenize(short, "abcd"))
    except ValueError as error:
        print("ValueError:", error)
