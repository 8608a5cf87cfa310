import hashlib
import os
import sqlite3
import tempfile
import uuid
from pathlib import Path


class Registry:
    """Runs in SQLite, artifacts in files that are named by their content.

    Args:
        row_first: the wrong order, which writes the row before the artifact.
        crash: end between the two writes with ``KeyboardInterrupt``.
    """

    def __init__(self, folder: Path, row_first: bool = False, crash: bool = False):
        self.folder, self.row_first, self.crash = folder, row_first, crash
        self.db = sqlite3.connect(folder / "runs.db")
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS runs (key PRIMARY KEY, artifact)"
        )
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS promoted (name, key, undone DEFAULT 0)"
        )

    def _store(self, artifact: bytes) -> None:
        path = self.folder / hashlib.sha256(artifact).hexdigest()
        part = path.with_suffix(f".{uuid.uuid4().hex}")
        part.write_bytes(artifact)
        os.replace(part, path)  # nobody sees half a file

    def _insert(self, key: str, artifact: bytes) -> None:
        name = hashlib.sha256(artifact).hexdigest()
        with self.db:
            self.db.execute("INSERT INTO runs VALUES (?, ?)", (key, name))

    def finish(self, key: str, artifact: bytes) -> None:
        """Store a finished run. A second run with the same key raises."""
        if self.row_first:
            self._insert(key, artifact)
        else:
            self._store(artifact)
        if self.crash:
            raise KeyboardInterrupt
        if self.row_first:
            self._store(artifact)
        else:
            self._insert(key, artifact)

    def load(self, key: str) -> bytes:
        """The artifact of a run; raises if its content is not what was stored."""
        row = self.db.execute("SELECT artifact FROM runs WHERE key = ?", (key,))
        (name,) = row.fetchone()
        artifact = (self.folder / name).read_bytes()
        if hashlib.sha256(artifact).hexdigest() != name:
            raise ValueError(f"the artifact of {key} has changed")
        return artifact

    def promote(self, name: str, key: str) -> None:
        """Let ``name`` point to a run whose artifact can be read."""
        self.load(key)
        with self.db:
            self.db.execute(
                "INSERT INTO promoted (name, key) VALUES (?, ?)", (name, key)
            )

    def _promotions(self, name: str) -> list[tuple[int, str]]:
        query = "SELECT rowid, key FROM promoted WHERE name = ? AND NOT undone"
        return self.db.execute(query + " ORDER BY rowid DESC", (name,)).fetchall()

    def current(self, name: str) -> str:
        return self._promotions(name)[0][1]

    def roll_back(self, name: str) -> str:
        """Undo the last promotion that is not undone; raises if it is the first."""
        promotions = self._promotions(name)
        if len(promotions) < 2:
            raise ValueError(f"{name} has no earlier promotion")
        (last, _), (_, key) = promotions[:2]
        self.load(key)
        with self.db:
            query = "UPDATE promoted SET undone = 1 WHERE rowid = ?"
            self.db.execute(query, (last,))
        return key

    def check(self) -> tuple[list[str], int]:
        """Keys whose artifact is missing, and the number of files without a row."""
        rows = dict(self.db.execute("SELECT key, artifact FROM runs"))
        files = {path.name for path in self.folder.iterdir()} - {"runs.db"}
        missing = [key for key, name in rows.items() if name not in files]
        return missing, len(files - set(rows.values()))


if __name__ == "__main__":
    for row_first in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            registry = Registry(Path(folder), row_first, crash=True)
            try:
                registry.finish("run 1", b"weights")
            except KeyboardInterrupt:
                missing, unused = registry.check()
            order = "row first" if row_first else "artifact first"
            print(f"crash, {order}: broken rows {missing}, unused files {unused}")
    with tempfile.TemporaryDirectory() as folder:
        registry = Registry(Path(folder))
        for number in (1, 2):
            registry.finish(f"run {number}", f"weights {number}".encode())
            registry.promote("production", f"run {number}")
        print("production:", registry.current("production"), end=", ")
        print("rolled back:", registry.roll_back("production"))
