import torch
from torch import nn


class BasicBlock(nn.Module):
    """Two 3x3 convolutions and a skip: relu(f(x) + skip(x)).

    Args:
        inputs, outputs: channels.
        stride: of the first convolution, at least 1.

    Shapes, floating point, H and W at least 1:
        (N, inputs, H, W) -> (N, outputs, ceil(H / stride), ceil(W / stride)).
        In train mode batch norm needs more than one value per channel.
    """

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.skip = nn.Sequential()  # returns its input
        if stride != 1 or inputs != outputs:
            self.skip = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                nn.BatchNorm2d(outputs),
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bn1(self.conv1(x)).relu()
        y = self.bn2(self.conv2(y))
        return (y + self.skip(x)).relu()


if __name__ == "__main__":
    for inputs, outputs, stride in (64, 64, 1), (64, 128, 1), (64, 128, 2):
        block = BasicBlock(inputs, outputs, stride)
        y = block(torch.randn(2, inputs, 15, 8))
        parameters = sum(p.numel() for p in block.parameters())
        print(
            f"{inputs} -> {outputs:3}, stride {stride}", tuple(y.shape), parameters
        )
