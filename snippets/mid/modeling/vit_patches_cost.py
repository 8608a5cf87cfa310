import torch
from torch import nn
from torch.nn.functional import gelu
from torch.utils.flop_counter import FlopCounterMode

WIDTH, HEADS, LAYERS = 768, 12, 12  # ViT-B


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = (
            nn.Linear(WIDTH, 4 * WIDTH),
            nn.Linear(4 * WIDTH, WIDTH),
        )

    def forward(self, x):
        q, k, v = self.qkv(self.norms[0](x)).unflatten(-1, (3, HEADS, -1)).unbind(2)
        q, k, v = (z.transpose(1, 2) for z in (q, k, v))  # (B, heads, tokens, 64)
        seen = (q @ k.mT / 8).softmax(-1) @ v
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        return x + self.down(gelu(self.up(self.norms[1](x))))


class ViT(nn.Module):
    def __init__(self, side, patch):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, patch, stride=patch)
        self.first = nn.Parameter(torch.zeros(1, 1, WIDTH))  # class token
        self.places = nn.Parameter(torch.zeros(1, (side // patch) ** 2 + 1, WIDTH))
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 1000)

    def forward(self, image):
        x = self.patches(image).flatten(2).mT
        x = torch.cat([self.first.expand(len(x), -1, -1), x], dim=1) + self.places
        return self.head(self.norm(self.layers(x))[:, 0])


def cost(side, patch):
    """Tokens, multiply-adds, and those of attention's two products, per image."""
    with torch.device("meta"):  # shapes without data
        model, image = ViT(side, patch), torch.zeros(1, 3, side, side)
    with FlopCounterMode(display=False) as counter:
        model(image)
    counts = counter.get_flop_counts()["Global"]
    scores = sum(n for op, n in counts.items() if "bmm" in str(op))
    return model.places.shape[1], sum(counts.values()) / 2, scores / 2, model


if __name__ == "__main__":
    base = cost(224, 16)
    print("parameters", f"{sum(p.numel() for p in base[3].parameters()):,}")
    print("side  patch  tokens  billion multiply-adds  times  attention  MiB")
    for side, patch in ((224, 16), (448, 16), (224, 8), (896, 16), (1088, 16)):
        n, total, scores, _ = cost(side, patch)
        size = HEADS * n * n * 4 / 2**20  # of attention weights
        row = f"{total / 1e9:22.2f} {total / base[1]:6.1f} {scores / total:10.0%}"
        print(f"{side:4} {patch:6} {n:7} {row} {size:4.0f}")
