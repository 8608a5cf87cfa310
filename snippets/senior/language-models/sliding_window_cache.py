import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


class WindowCache:
    """Keys and values of the last ``window`` tokens, in a ring of slots."""

    def __init__(self, window: int, width: int, dtype=torch.float32) -> None:
        self.keys, self.values = torch.zeros(2, window, width, dtype=dtype)
        self.seen = 0

    def step(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """The output (D,) for the next token, whose q, k and v are (D,)."""
        slot = self.seen % len(self.keys)  # of the token that leaves the window
        self.keys[slot], self.values[slot] = k, v
        self.seen += 1
        filled = min(self.seen, len(self.keys))
        return scaled_dot_product_attention(
            q[None], self.keys[:filled], self.values[:filled]
        )[0]


def gibibytes(tokens: int, windows: list[int | None], heads=8, width=256) -> float:
    """The KV cache in bfloat16, for a list of each layer's window or None."""
    kept = sum(tokens if w is None else min(tokens, w) for w in windows)
    return kept * 2 * heads * width * 2 / 2**30  # keys and values of 2 bytes


if __name__ == "__main__":
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 100, 16, dtype=torch.float64)
    distance = torch.arange(100)[:, None] - torch.arange(100)
    band = (distance >= 0) & (distance < 8)
    right = scaled_dot_product_attention(q, k, v, attn_mask=band)
    cache = WindowCache(8, 16, torch.float64)
    steps = torch.stack([cache.step(*token) for token in zip(q, k, v)])
    print("8 slots and 100 tokens equal the mask:", torch.allclose(steps, right))
    print("\nGiB for 48 layers        4,096   32,768  131,072")
    for name, windows in (
        ("all global", [None] * 48),
        ("5 local to 1 global", [1024] * 40 + [None] * 8),
        ("all local", [1024] * 48),
    ):
        row = (f"{gibibytes(n, windows):8.2f}" for n in (4096, 32_768, 131_072))
        print(f"{name:21}", *row)
