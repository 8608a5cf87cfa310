import hashlib
import json
import logging
import os
import shutil
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp

MANIFEST = "manifest.json"


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of each file in ``folder`` except the manifest, by name."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.name != MANIFEST:
            with path.open("rb") as file:
                found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def write_manifest(folder: Path) -> None:
    """Commit a checkpoint: call it on one rank, when every rank has saved."""
    temporary = folder.with_name(f"{folder.name}.{MANIFEST}")
    with temporary.open("w") as file:
        json.dump(hashes(folder), file)
        file.flush()
        os.fsync(file.fileno())  # on disk before it gets its name
    temporary.replace(folder / MANIFEST)  # whole or not at all


def damaged(folder: Path) -> list[str]:
    """Names of the files that are missing, changed or too many.

    Raises:
        FileNotFoundError: there is no manifest, so the save did not finish.
    """
    expected = json.loads((folder / MANIFEST).read_text())
    found = hashes(folder)
    names = sorted(expected.keys() | found.keys())
    return [name for name in names if expected.get(name) != found.get(name)]


def save(folder: Path, step: float) -> None:
    """Two tensors, a file each, as two ranks would write them."""
    state = {"a": torch.full((2,), step), "b": torch.full((2,), step)}
    writer = dcp.FileSystemWriter(folder, single_file_per_rank=False)
    dcp.save(state, storage_writer=writer)
    write_manifest(folder)


def load(folder: Path) -> str:
    """What ``dcp.load()`` says or loads."""
    state = {"a": torch.zeros(2), "b": torch.zeros(2)}
    try:
        dcp.load(state, checkpoint_id=folder)
    except dcp.CheckpointException as error:
        return type(error.failures[0][0]).__name__
    return f"a={state['a'].tolist()} b={state['b'].tolist()}"


def flip(path: Path) -> None:
    """Flip the lowest bit of the exponent's byte of the first 2.0."""
    content = bytearray(path.read_bytes())
    content[content.index(torch.full((2,), 2.0).numpy().tobytes()) + 3] ^= 1
    path.write_bytes(content)


DAMAGES = {
    "nothing": lambda folder: None,
    "file is missing": lambda folder: (folder / "__0_0.distcp").unlink(),
    "file is cut short": lambda folder: (folder / "__0_0.distcp").write_bytes(
        (folder / "__0_0.distcp").read_bytes()[:-200]
    ),
    ".metadata is missing": lambda folder: (folder / ".metadata").unlink(),
    "a bit is flipped": lambda folder: flip(folder / "__0_0.distcp"),
    "file of step 1": lambda folder: shutil.copy(
        folder.with_name("step-1") / "__0_0.distcp", folder
    ),
}

if __name__ == "__main__":
    logging.disable()  # the reader logs a missing .metadata as well
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    print(f"{'damage':22}{'dcp.load()':28}manifest")
    for damage, harm in DAMAGES.items():
        with tempfile.TemporaryDirectory() as folder:
            for step in (1, 2):
                save(Path(folder, f"step-{step}"), float(step))
            harm(newest := Path(folder, "step-2"))
            print(f"{damage:22}{load(newest):28}{damaged(newest) or 'ok'}")
    dist.destroy_process_group()
