def build(keys, end):
    root = {}
    for key in keys:
        node = root
        for character in key:
            node = node.setdefault(character, {})
        if end:
            node[end] = True
    return root


def search(root, key, end):
    for character in key:
        if character not in root:
            return False
        root = root[character]
    return not end or end in root


unmarked = build(["union"], end="")
print("no end mark, key 'union', search 'uni':", search(unmarked, "uni", end=""))
marked = build(["a$b"], end="$")
print("end mark '$', key 'a$b', search 'a':", search(marked, "a", end="$"))
