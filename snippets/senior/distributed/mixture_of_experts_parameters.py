def parameters(experts: int, width: int = 4096, layers: int = 32) -> int:
    """Parameters of Mixtral 8x7B if each layer had, or used, so many experts."""
    attention = 2 * width * width + 2 * width * 1024  # q and o; k and v of 8 heads
    router, norms = 8 * width, 2 * width
    expert = 3 * width * 14336  # gate, up and down
    embeddings = 2 * 32000 * width  # input and output
    layer = attention + router + norms + experts * expert
    return layers * layer + embeddings + width


if __name__ == "__main__":
    total, active = parameters(8), parameters(2)
    print(f"stored           {total / 1e9:5.1f} billion parameters")
    print(f"in bfloat16      {2 * total / 1e9:5.1f} GB")
    print(f"used by a token  {active / 1e9:5.1f} billion parameters")
    for tokens in (1, 4, 16):  # each picks two of eight at random
        read = 8 * (1 - (1 - 2 / 8) ** tokens)
        print(f"{tokens:2} tokens read   {read:5.1f} of 8 experts per layer")
