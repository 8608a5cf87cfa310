def by_hand(tokens: int, width: int) -> int:
    """Numbers read and written by three kernels, one head."""
    matrix, scores = tokens * width, tokens * tokens
    return (
        (2 * matrix + scores)  # read q and k, write the scores
        + (scores + scores)  # softmax: read the scores, write the weights
        + (scores + matrix + matrix)  # read weights and v, write the output
    )


def fused(tokens: int, width: int, rows: int) -> int:
    """The same in one kernel whose programs have ``rows`` queries each."""
    programs = -(-tokens // rows)
    matrix = tokens * width
    return (matrix + matrix) + programs * (matrix + matrix)  # q, output; k, v


if __name__ == "__main__":
    print("bfloat16, one head of 64, 128 queries per program")
    print("         MiB: scores     traffic   traffic   FLOPs per byte")
    print("tokens        by hand    by hand     fused   by hand  fused")
    for tokens in (128, 1024, 4096, 16384):
        flops = 4 * tokens * tokens * 64
        a, b = 2 * by_hand(tokens, 64), 2 * fused(tokens, 64, 128)
        print(f"{tokens:6}  {2 * tokens**2 / 2**20:13.2f}", end="")
        print(f"{a / 2**20:11.2f}{b / 2**20:10.2f}", end="")
        print(f"{flops / a:10.0f}{flops / b:7.0f}")
