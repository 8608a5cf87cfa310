def insert(root, word, value):
    node = root
    for character in word:
        node = node.setdefault(character, {})
    node[None] = value  # None ends a word: no character equals it


root = {}
for row, word in enumerate(["un", "union", "unit", "token", ""]):
    insert(root, word, row)
for word in ("un", "uni", "unions", ""):
    node = root
    for character in word:
        node = node.get(character, {})
    print(f"{word!r:9} exact: {node.get(None)!s:5} prefix of a key: {bool(node)}")
