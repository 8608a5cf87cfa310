import torch
from torch import nn


def conv(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Sequential:
    layer = nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(outputs))


class Block(nn.Module):
    """A basic block (expansion 1) or a bottleneck (expansion 4).

    (N, inputs, H, W) -> (N, expansion * width, ceil(H / stride), ceil(W / stride)).
    """

    def __init__(
        self, inputs: int, width: int, stride: int, expansion: int
    ) -> None:
        super().__init__()
        outputs = width * expansion
        if expansion == 1:
            layers = [
                conv(inputs, width, 3, stride),
                nn.ReLU(),
                conv(width, width, 3),
            ]
        else:
            layers = [
                conv(inputs, width, 1),
                nn.ReLU(),
                conv(width, width, 3, stride),
            ]
            layers += [nn.ReLU(), conv(width, outputs, 1)]
        self.branch = nn.Sequential(*layers)
        fits = stride == 1 and inputs == outputs
        self.skip = nn.Identity() if fits else conv(inputs, outputs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (self.branch(x) + self.skip(x)).relu()


def resnet(blocks: tuple[int, ...], expansion: int, classes: int = 1000):
    """ResNet for ImageNet: (N, 3, H, W) -> logits (N, classes).

    Args:
        blocks: per stage; (2, 2, 2, 2) is ResNet-18 or, with expansion 4, 26.
        expansion: 1 for basic blocks, 4 for bottlenecks.
    """
    stem = nn.Sequential(conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
    stages, inputs = [stem], 64
    for stage, count in enumerate(blocks):
        layers = []
        for i in range(count):
            stride = 2 if stage > 0 and i == 0 else 1
            layers.append(Block(inputs, 64 * 2**stage, stride, expansion))
            inputs = 64 * 2**stage * expansion  # of the next block
        stages.append(nn.Sequential(*layers))
    head = nn.Sequential(
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes)
    )
    return nn.Sequential(*stages, head)


if __name__ == "__main__":
    with torch.device("meta"):  # counts without allocating
        for name, args in {
            "ResNet-18": ((2, 2, 2, 2), 1),
            "ResNet-50": ((3, 4, 6, 3), 4),
        }.items():
            model = resnet(*args)
            parts = [sum(p.numel() for p in part.parameters()) for part in model]
            print(f"{name}: {sum(parts):,}", *parts)
