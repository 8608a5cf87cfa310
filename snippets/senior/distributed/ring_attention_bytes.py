MIB = 2**20


def sent(ranks: int, kv_heads: int, tokens: int = 131_072) -> dict[str, float]:
    """MiB that one rank sends in a layer's forward pass, in bfloat16.

    One sequence; 32 query heads of 128, so the width is 4096.
    """
    query = tokens // ranks * 32 * 128 * 2 / MIB
    key = tokens // ranks * kv_heads * 128 * 2 / MIB
    away = (ranks - 1) / ranks  # what stays on its rank is not sent
    return {
        "ring: k and v go round": (ranks - 1) * 2 * key,
        "Ulysses: q, k, v and output": away * (2 * query + 2 * key),
        "tensor + sequence parallel": 4 * away * ranks * query,
    }


if __name__ == "__main__":
    columns = [(2, 8), (8, 8), (8, 32)]
    print(f"{'ranks':28}", *(f"{ranks:7}" for ranks, _ in columns))
    print(f"{'heads of k and v':28}", *(f"{heads:7}" for _, heads in columns))
    for name in sent(2, 8):
        print(f"{name:28}", *(f"{sent(*column)[name]:7.0f}" for column in columns))
