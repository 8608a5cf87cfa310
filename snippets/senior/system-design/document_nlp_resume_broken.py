from collections import Counter
from collections.abc import Iterator

Row = tuple[str, int, str]  # document, number of the chunk, text
LOG = [
    ("a", ["a one", "a two", "a three"]),
    ("b", ["b one", "b two"]),
    ("a", ["a new"]),  # the second version is shorter
    ("c", ["c one"]),
]


class Store:
    """What survives a crash: the rows of the index, and the offset in the log."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.offset = 0
        self.dead: list[str] = []


def work(store: Store, policy: str) -> Iterator[None]:
    """Process the log from the stored offset. Pauses after each durable write.

    Args:
        policy: "commit first", "append", "upsert" (a key per document and chunk)
            or "replace" (the rows of a document in one transaction).
    """
    while store.offset < len(LOG):
        document, texts = LOG[store.offset]
        rows = [(document, number, text) for number, text in enumerate(texts)]
        if policy == "commit first":
            store.offset += 1
            yield
        if policy == "replace":
            others = [row for row in store.rows if row[0] != document]
            store.rows = others + rows
            yield
        else:
            for row in rows:
                if policy == "upsert":
                    store.rows = [old for old in store.rows if old[:2] != row[:2]]
                store.rows.append(row)
                yield
        if policy != "commit first":
            store.offset += 1
            yield


def crash(policy: str, after: int) -> Store:
    """Stop a worker after so many durable writes, then let another one finish."""
    store = Store()
    for _ in zip(range(after), work(store, policy), strict=False):
        pass
    for _ in work(store, policy):
        pass
    return store


def faults(store: Store) -> tuple[int, int, int]:
    """Rows of the newest versions that are lost, extra copies, rows of old text."""
    newest = dict(LOG)
    right = {
        (name, i, text) for name in newest for i, text in enumerate(newest[name])
    }
    found = Counter(store.rows)
    copies = sum(found.values()) - len(found)
    return len(right - set(found)), copies, len(set(found) - right)


def poisoned(bad: str, attempts: int | None, restarts: int = 100) -> Store:
    """Workers that die on one document, with or without a limit of attempts."""
    store, tried = Store(), 0
    for _ in range(restarts):
        while store.offset < len(LOG) and LOG[store.offset][0] != bad:
            store.offset += 1
        if store.offset == len(LOG):
            break
        tried += 1  # the worker has died here, and another one starts
        if tried == attempts:
            store.dead.append(LOG[store.offset][0])
            store.offset, tried = store.offset + 1, 0
    return store


if __name__ == "__main__":
    print("worst of all crashes   lost  copies  old text")
    for policy in ("commit first", "append", "upsert", "replace"):
        writes = sum(1 for _ in work(Store(), policy))
        found = [faults(crash(policy, after)) for after in range(writes + 1)]
        worst = [max(column) for column in zip(*found, strict=True)]
        print(f"{policy:20}{worst[0]:7}{worst[1]:8}{worst[2]:10}")
    for attempts in (None, 3):
        store = poisoned("b", attempts)
        row = (
            f"poison, attempts {attempts!s:4}: offset {store.offset} of {len(LOG)}"
        )
        print(f"{row}, dead letters {store.dead}")
