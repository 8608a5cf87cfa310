import torch
from torch import nn


def dropout(x: torch.Tensor, p: float, training: bool) -> torch.Tensor:
    """Inverted dropout: drop with probability ``p``, scale the rest by 1 / (1 - p).

    x has any shape, float32 or float64, and finite values.

    Raises:
        ValueError: ``p`` is not in [0, 1).
    """
    if not 0 <= p < 1:
        raise ValueError(f"p must be in [0, 1), got {p}")
    if not training:
        return x
    keep = torch.rand_like(x) >= p
    return x * keep / (1 - p)


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.ones(1_000_000)
    print("  p  layer       zeros  others    mean     std   in eval mode")
    for p in (0.2, 0.5, 0.8):
        layer = nn.Dropout(p)
        by_hand, built_in = dropout(x, p, training=True), layer(x)
        layer.eval()
        evaluated = dropout(x, p, training=False), layer(x)
        names = ("by hand", "nn.Dropout")
        for name, y, out in zip(names, (by_hand, built_in), evaluated):
            zeros, mode = (
                (y == 0).float().mean(),
                "identity" if torch.equal(out, x) else "",
            )
            row = f"{zeros:.3f}  {y.max():6.3f}  {y.mean():6.3f}  {y.std():6.3f}"
            print(f"{p}  {name:10}  {row}   {mode}")
