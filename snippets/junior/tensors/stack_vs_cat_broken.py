import torch
from torch import nn


def predict(model: nn.Module, images: torch.Tensor) -> str:
    """The number of predictions for ``images``, float32, or why a layer raises."""
    try:
        return f"{model(images).argmax(dim=-1).numel()} prediction(s)"
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(', ')[-1]}"


if __name__ == "__main__":
    torch.manual_seed(0)
    scans = [torch.rand(1, 8, 8) for _ in range(3)]  # three gray images, (C, H, W)
    pool = nn.Sequential(
        nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(start_dim=-3)
    )
    for channels in (1, 3):
        model = nn.Sequential(nn.Conv2d(channels, 16, 3), pool, nn.Linear(16, 5))
        for join in (torch.stack, torch.cat):
            images = join(scans)
            case = f"{channels}-channel model, {join.__name__:5} "
            case += f"{tuple(images.shape)!s:12}"
            print(f"{case} -> {predict(model, images)}")
