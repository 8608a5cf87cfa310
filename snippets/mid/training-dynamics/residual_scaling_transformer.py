import torch
from torch import nn


def growth(layers: int, scale: float) -> float:
    """Mean square after ``layers`` pre-norm layers over that of the input.

    Args:
        scale: factor of the two weights per layer that write into the stream.
    """
    x = h = torch.randn(2, 8, 64)
    for _ in range(layers):
        layer = nn.TransformerEncoderLayer(64, 4, 256, 0.0, norm_first=True)
        for name, w in layer.named_parameters():
            if w.dim() == 2:
                nn.init.normal_(w, std=w.shape[1] ** -0.5)
            elif "bias" in name:
                nn.init.zeros_(w)
        with torch.no_grad():
            layer.self_attn.out_proj.weight *= scale
            layer.linear2.weight *= scale
            h = layer(h)
    return (h.square().mean() / x.square().mean()).item()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    for layers in (6, 18):
        plain, scaled = growth(layers, 1), growth(layers, (2 * layers) ** -0.5)
        print(f"{layers:2} layers: scale 1 {plain:4.1f}", end=", ")
        print(f"scale 1/sqrt(2L) {scaled:.1f}")
