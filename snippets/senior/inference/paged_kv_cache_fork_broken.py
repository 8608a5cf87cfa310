def sample(copy):
    """Two answers to one prompt, in blocks of 4; each appends a word as token 6."""
    pool = [["what", "color", "is", "the"], ["sky", "?", "", ""], ["", "", "", ""]]
    tables = {"first": [0, 1], "second": [0, 1]}
    for name, word in (("first", "blue"), ("second", "gray")):
        table = tables[name]
        if copy and tables["first"] == tables["second"]:  # the last block is shared
            pool[2] = list(pool[1])
            table[-1] = 2
        pool[table[-1]][2] = word
    return {
        name: " ".join(word for block in table for word in pool[block]).strip()
        for name, table in tables.items()
    }


if __name__ == "__main__":
    for copy in (False, True):
        print("copy on write" if copy else "no copy")
        for name, text in sample(copy).items():
            print(f"  {name:7} {text}")
