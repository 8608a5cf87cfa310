import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode


def billions(function, x: torch.Tensor) -> float:
    with FlopCounterMode(display=False) as counter:
        function(x)
    return counter.get_total_flops() / 1e9


with torch.device("meta"):  # shapes without data: nothing is computed
    linears = nn.Sequential(  # those of one ViT-B layer
        *(nn.Linear(768, 4 * 768), nn.Linear(4 * 768, 768)),
        *(nn.Linear(768, 768) for _ in range(4)),
    )
    conv = nn.Conv2d(64, 64, 3, padding=1)
    print("side  patches    attention  linear layers    convolution at side / 4")
    for side in (224, 448, 896):
        x = torch.empty((side // 16) ** 2, 768)
        image = torch.empty(1, 64, side // 4, side // 4)
        scores = billions(lambda x: x @ x.T @ x, x)
        rest = billions(linears, x)
        print(f"{side:4} {len(x):8} {scores:12.2f} {rest:14.2f}", end="")
        print(f" {billions(conv, image):26.2f}")
