"""Check a script: python check.py my_fixed.py"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from checking import main


def still_there(train: Callable) -> bool:
    return train(3) == 0


if __name__ == "__main__":
    main(still_there)
