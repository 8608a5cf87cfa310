"""Judge of the sum: python judge.py my_solution.py"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from judging import main


def judge(solve: Callable) -> bool:
    return solve(1, 2) == 3


if __name__ == "__main__":
    main(judge)
