import json
import os
import tempfile
from pathlib import Path

import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record


@record
def main() -> None:
    raise ValueError("bad batch 17")


def start() -> None:
    """Join a group of two processes, and clean up the wrong way if that fails.

    Raises:
        AssertionError: instead of the error of ``init_process_group``.
    """
    try:
        dist.init_process_group("gloo", rank=0, world_size=2)  # no MASTER_ADDR
    except Exception:
        dist.destroy_process_group()  # wrong: there is no group yet
        raise


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHELASTIC_ERROR_FILE"] = (
            f"{folder}/error.json"  # by torchrun
        )
        try:
            main()
        except ValueError:
            text = Path(f"{folder}/error.json").read_text()
            message = json.loads(text)["message"]
        print("the file for torchrun:", message["message"])
        print(
            "it has the traceback:", "line" in message["extraInfo"]["py_callstack"]
        )
    os.environ.pop("MASTER_ADDR", None)
    try:
        start()
    except Exception as error:
        print(f"start() reports {type(error).__name__}: {error}")
        print("the cause was", type(error.__context__).__name__)
