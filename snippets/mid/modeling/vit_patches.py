import torch
from torch import nn


def patchify(image, p):
    """Patches of image (B, C, H, W), one per row: (B, H/p * W/p, C * p * p)."""
    b, c, h, w = image.shape
    grid = image.reshape(b, c, h // p, p, w // p, p)
    return grid.permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * p * p)


if __name__ == "__main__":
    small = torch.arange(16).view(1, 1, 4, 4)
    print("first patch  ", patchify(small, 2)[0, 0].tolist())
    print("plain reshape", small.reshape(1, 4, 4)[0, 0].tolist())

    torch.manual_seed(0)
    image, conv = torch.rand(2, 3, 224, 224), nn.Conv2d(3, 768, 16, stride=16)
    tokens = conv(image).flatten(2).mT
    for patches in (patchify(image, 16), image.reshape(2, 196, 768)):
        same = patches @ conv.weight.flatten(1).T + conv.bias
        print(list(same.shape), torch.allclose(same, tokens, atol=1e-4))
