import math

PARAMS, LAYERS, WIDTH, VOCAB, LENGTH = 70.55e9, 80, 8192, 128_256, 8192
GPUS, SHARD, SEQUENCES, TOKENS = 1024, 64, 1024, 15e12
PEAK, MFU = 989e12, 0.40  # dense bfloat16 of an H100
LINK, STORE = 400e9, 20e9  # bytes/s: a node to the others; all to the store
GPU_HOURS, NOTICE, RESTART = 50_000, 1 / 6, 1 / 6  # hours
ROOM = 72e9  # of 80 GB


def memory(shard: int = SHARD) -> dict[str, float]:
    """Bytes on a GPU that trains one sequence with checkpointed blocks."""
    hidden, table = LENGTH * WIDTH, VOCAB * WIDTH
    layer = (PARAMS - 2 * table) / LAYERS
    return {
        f"states, 16 bytes over {shard} GPUs": 16 * PARAMS / shard,
        "inputs of 80 checkpointed blocks": LAYERS * 2 * hidden,
        "one block, computed again": 60 * hidden,
        "two gathered layers": 2 * 2 * layer,
        "float32 logits, their gradient": 2 * 4 * LENGTH * VOCAB,
    }


def flops(length: int = LENGTH) -> dict[str, float]:
    """FLOPs of a token: 6 per matrix parameter, and attention."""
    matrices = PARAMS - VOCAB * WIDTH  # a lookup multiplies nothing
    return {"parameters": 6 * matrices, "attention": 12 * LAYERS * WIDTH * length}


def wire(shard: int = SHARD) -> dict[str, float]:
    """Bytes that a node sends to other nodes in a step."""
    weights, copies = 2 * PARAMS, GPUS // shard
    return {
        "weights gathered, twice": 2 * (shard - 1) / shard * weights,
        "gradients scattered": (shard - 1) / shard * weights,
        f"gradients of {copies} copies": 2
        * (copies - 1)
        / copies
        * 8
        * weights
        / shard,
    }


def days(tokens: float = TOKENS, mfu: float = MFU) -> dict[str, float]:
    """Where the days of the calendar go, with the lost hours of each failure."""
    at_peak = {k: v * tokens / (GPUS * PEAK) / 86400 for k, v in flops().items()}
    ideal = sum(at_peak.values())
    between = GPU_HOURS / GPUS
    write = 12 * PARAMS / STORE / 3600
    lost = 2 * math.sqrt(write * between / 2) + NOTICE + RESTART
    below = ideal / mfu - ideal
    return at_peak | {
        "below the peak": below,
        "failures": ideal / mfu * lost / between,
    }


def tokens_per_second(mfu: float = MFU) -> float:
    return GPUS * PEAK * mfu / sum(flops().values())


def show(title: str, rows: dict[str, float], unit: float, name: str) -> None:
    shown = {row: round(value / unit, 1) for row, value in rows.items()}
    print(f"{title:36}{sum(shown.values()):8.1f} {name}")
    for row, value in shown.items():
        print(f"  {row:34}{value:8.1f}")


if __name__ == "__main__":
    show("memory of a GPU", memory(), 1e9, "GB")
    show("a node sends, per step", wire(), 1e9, "GB")
    rate = tokens_per_second()
    sending, step = sum(wire().values()) / LINK, SEQUENCES * LENGTH / rate
    print(f"  at 400 GB/s {sending:.1f} s, of a step of {step:.1f} s")
    show("15T tokens at 40% MFU", days(), 1, "days")
    size, between = 12 * PARAMS, GPU_HOURS / GPUS
    minutes = math.sqrt(2 * size / STORE * between * 3600) / 60
    print(f"a failure every {between:.0f} h, a checkpoint every {minutes:.0f} min")
    print(f"a checkpoint of {size / 1e9:.0f} GB is written in {size / STORE:.0f} s")
    print(f"{rate / 1e6:.2f}M tokens per second: {4 * rate / 1e6:.1f} MB/s to read")
