# Llama 3 8B in bfloat16 on one H100, at its peaks; activations are left out.
WEIGHTS, PEAK, BANDWIDTH = 8.03e9, 989e12, 3.35e12  # number, FLOP/s, bytes/s
PAIR = 4 * 32 * 32 * 128  # FLOPs of a query with one key: layers, heads, size
CACHE = 2 * 32 * 8 * 128 * 2  # bytes per token, 8 KV heads


def work(prompt=0, answers=0, context=8192):
    """FLOPs and bytes of a step: a new prompt, and a token for each answer."""
    pairs = prompt**2 / 2 + answers * context
    flops = 2 * WEIGHTS * (prompt + answers) + PAIR * pairs
    return flops, 2 * WEIGHTS + CACHE * (prompt + answers * context)


if __name__ == "__main__":
    print("                FLOPs/byte    math     memory")
    for prompt, answers in ((2048, 0), (100, 0), (0, 1), (0, 32)):
        flops, moved = work(prompt, answers)
        name = f"prompt of {prompt}" if prompt else f"answers: {answers}"
        times = f"{1000 * flops / PEAK:7.2f} ms{1000 * moved / BANDWIDTH:7.2f} ms"
        print(f"{name:16}{flops / moved:8.1f} {times}")
    more = (work(answers=2)[k] - work(answers=1)[k] for k in (0, 1))
    print(f"one more answer {next(more) / next(more):8.1f}")
