import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int, skip: bool) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)
        self.skip = skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        return (y + x if self.skip else y).relu()


def first_and_last(blocks: int, skip: bool, train: bool = True) -> list[float]:
    """Gradient norm of conv1 in the first and in the last block, without a step."""
    torch.manual_seed(0)
    body = nn.Sequential(*[Block(8, skip) for _ in range(blocks)]).double()
    x = torch.randn(32, 8, 8, 8, dtype=torch.float64)
    body.train(train)(x).mean(dim=(2, 3)).square().mean().backward()
    return [body[i].conv1.weight.grad.norm().item() for i in (0, -1)]


if __name__ == "__main__":
    print("first over last     2 blocks   8 blocks   32 blocks")
    for skip in False, True:
        ratios = []
        for blocks in 2, 8, 32:
            first, last = first_and_last(blocks, skip)
            ratios.append(f"{first / last:.0e}")
        name = "residual" if skip else "plain"
        print(f"{name:17}", *[f"{ratio:>10}" for ratio in ratios])
