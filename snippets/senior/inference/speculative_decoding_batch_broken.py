# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt

# Llama 3 8B in bfloat16 on one H100 of 80 GB, at its peaks.
WEIGHTS, PEAK, BANDWIDTH = 8.03e9, 989e12, 3.35e12  # number, FLOP/s, bytes/s
CACHE = 131_072  # bytes per token
PAIR = 4 * 32 * 32 * 128  # FLOPs of a query with one key: layers, heads, size
DRAFT = 0.05  # a pass of the draft, as a share of a plain step


def step(batch, tokens, context):
    """Seconds of a pass over ``tokens`` per request: read or math, the larger."""
    read = 2 * WEIGHTS + CACHE * batch * context
    math = batch * tokens * (2 * WEIGHTS + PAIR * context)
    return max(read / BANDWIDTH, math / PEAK)


def speed(accepted, drafts, batch, context):
    """Tokens per second against plain decoding."""
    emitted = sum(accepted**k for k in range(drafts + 1))
    plain = step(batch, 1, context)
    return (
        emitted
        * plain
        / (step(batch, drafts + 1, context) + drafts * DRAFT * plain)
    )


def fits(batch, context):
    return 2 * WEIGHTS + CACHE * batch * context < 80e9


if __name__ == "__main__":
    batches = (1, 32, 64, 128, 256, 512)
    print("accepted  context  batch:" + "".join(f"{batch:6}" for batch in batches))
    for context, style in ((100, ":"), (500, "--"), (2000, "-")):
        for accepted in (0.6, 0.8):
            row = f"{accepted:8.0%}{context:9}{'':8}"
            for batch in batches:
                value = speed(accepted, 4, batch, context)
                row += f"{value:6.2f}" if fits(batch, context) else f"{'full':>6}"
            print(row)
        line = [(b, speed(0.8, 4, b, context)) for b in range(1, 513)]
        line = [point for point in line if fits(point[0], context)]
        plt.plot(*zip(*line, strict=True), style, label=f"context {context:,}")
    plt.axhline(1, color="gray", linewidth=1)
    plt.xlabel("requests in the batch")
    plt.ylabel("speed against plain decoding")
    plt.legend()
    plt.show()
