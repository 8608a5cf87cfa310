from torch import nn

MODELS = {  # vocabulary, layers, width, hidden width, query heads, key heads
    "Llama 2 7B": (32_000, 32, 4096, 11_008, 32, 32),
    "Llama 3 8B": (128_256, 32, 4096, 14_336, 32, 8),
    "Llama 3 70B": (128_256, 80, 8192, 28_672, 64, 8),
}


def block(width: int, hidden: int, heads: int, kv_heads: int) -> list[int]:
    """Parameters of attention, SwiGLU and norms in one block without biases."""
    keys = width // heads * kv_heads  # channels of all key heads together
    return [2 * width * width + 2 * width * keys, 3 * width * hidden, 2 * width]


if __name__ == "__main__":
    old = nn.TransformerEncoderLayer(4096, 32, 4 * 4096, device="meta")
    print(f"{'2017':11} block {sum(p.numel() for p in old.parameters()):11,}")
    for name, (vocabulary, layers, *shape) in MODELS.items():
        width, one = shape[0], sum(block(*shape))
        total = 2 * vocabulary * width + layers * one + width
        print(f"{name:11} block {one:11,} model {total:14,}")
