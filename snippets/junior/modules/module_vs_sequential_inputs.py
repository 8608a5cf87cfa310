import torch
from torch import nn


class ImageAndAge(nn.Module):
    """Images (N, 1, 8, 8) and ages (N, 1), both float, to (N, 2)."""

    def __init__(self) -> None:
        super().__init__()
        self.image = nn.Sequential(
            nn.Conv2d(1, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()
        )
        self.head = nn.Sequential(nn.Linear(4 + 1, 8), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, image: torch.Tensor, age: torch.Tensor) -> torch.Tensor:
        return self.head(torch.cat([self.image(image), age], dim=1))


if __name__ == "__main__":
    image, age = torch.randn(5, 1, 8, 8), torch.rand(5, 1)
    model = ImageAndAge()
    print("module      ", tuple(model(image, age).shape))
    try:
        nn.Sequential(model.image, model.head)(image, age)
    except TypeError as error:
        print("Sequential   TypeError\n   ", error)
