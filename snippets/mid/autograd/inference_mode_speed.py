# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "recorded"
# ///
import statistics
import timeit

import torch
from torch import nn

torch.set_num_threads(1)
small, x = nn.Sequential(*(nn.Linear(16, 16) for _ in range(8))), torch.ones(1, 16)
matrix = torch.ones(384, 384)
tiny = torch.ones(1)


def adds() -> None:
    for _ in range(50):
        tiny + 1


CASES = {
    "50 additions of one number": (adds, 20),
    "8 x Linear(16, 16), batch 1": (lambda: small(x), 20),
    "one matrix product, 384": (lambda: matrix @ matrix, 2),
}
for name, (function, number) in CASES.items():
    ratios = []
    for _ in range(25):
        times = {}
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                times[mode] = min(timeit.repeat(function, number=number, repeat=3))
        ratios.append(times[torch.inference_mode] / times[torch.no_grad])
    low, *_, high = statistics.quantiles(ratios, n=10)
    middle = statistics.median(ratios)
    print(
        f"{name:28} {middle:.2f} of no_grad (80% of rounds: {low:.2f}-{high:.2f})"
    )
