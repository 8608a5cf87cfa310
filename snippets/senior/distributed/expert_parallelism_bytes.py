def per_token(width: int, k: int, dispatch: int, combine: int) -> tuple[int, int]:
    """Bytes of the rows that dispatch and combine move for a token and layer.

    Args:
        width: numbers in a row.
        k: experts of each token; each gets its own row.
        dispatch: bytes of each number on the way there.
        combine: bytes of each number on the way back.
    """
    return k * width * dispatch, k * width * combine


def copies(k: int, ranks: int) -> float:
    """Expected number of different ranks among k experts, each on a random rank."""
    return ranks * (1 - (1 - 1 / ranks) ** k)


if __name__ == "__main__":
    print("bytes per token and layer         dispatch  combine")
    for name, options in {
        "Mixtral, bfloat16 both ways": (4096, 2, 2, 2),
        "DeepSeek-V3, bfloat16 both ways": (7168, 8, 2, 2),
        "DeepSeek-V3, float8 there": (7168, 8, 1, 2),
    }.items():
        print("{:32}{:10}{:9}".format(name, *per_token(*options)))
    print(f"8 random experts are on {copies(8, 8):.2f} of 8 ranks")
    for hidden in (14336, 2048):
        flops = 6 * hidden / 4  # three matrices; 2 bytes there, 2 back
        print(f"{hidden:5} hidden units: {flops:6.0f} FLOPs per byte")
