def insert(root, key):
    for character in key:
        root = root.setdefault(character, {})
    # and nothing marks the end


def found(root, key):
    for character in key:
        if character not in root:
            return False
        root = root[character]
    return True


root = {}
insert(root, "union")
for key in ("union", "unio", "uni", "un", "u", "unit"):
    print(f"{key:5}", found(root, key))
