# /// script
# requires-python = ">=3.11"
# dependencies = ["matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt

SEVEN, SEVENTY, PER_TOKEN, GPU = 6_738_415_616, 70_553_706_496, 327_680, 80e9
SHARED = {  # bytes per parameter that each of n GPUs holds
    "replicas (DDP)": lambda n: 16,
    "ZeRO-1: optimizer shared out": lambda n: 4 + 12 / n,
    "ZeRO-2: gradients, too": lambda n: 2 + 14 / n,
    "ZeRO-3, FSDP: everything": lambda n: 16 / n,
}

if __name__ == "__main__":
    print("7B, training states per GPU, GB       on 2      8     64 GPUs")
    for name, per_parameter in SHARED.items():
        sizes = (SEVEN * per_parameter(n) / 1e9 for n in (2, 8, 64))
        print(f"{name:32}", *(f"{size:8.1f}" for size in sizes))
    print("70B, 90% of the memory used      GPUs  weights   tokens  8k requests")
    for name, bits in (
        ("bfloat16", 16),
        ("8 bits", 8),
        ("4 bits, groups of 128", 4.125),
    ):
        weights = SEVENTY * bits / 8
        for gpus in (1, 2, 4):
            tokens = int((0.9 * gpus * GPU - weights) / PER_TOKEN)
            if tokens > 0:
                size = f"{gpus:5}{weights / 1e9:9.1f}{tokens:9,}{tokens // 8192:8}"
                print(f"{name:32}{size}")
    plt.figure(figsize=(7.2, 3.4))
    row, ticks, start = 0, [], 0.0
    for title, parts in (
        (
            "train 7B",
            [("weights", 13.5), ("gradients", 13.5), ("float32 weights", 27.0)],
        ),
        ("", [("Adam's moments", 53.9), ("activations", 3.0)]),
        ("serve 70B", [("weights", 141.1), ("key-value cache", 85.9)]),
    ):
        start = start if title == "" else 0.0
        for name, size in parts:
            plt.barh(row, size, left=start, height=0.7)
            plt.text(start + size + 2, row, f"{size}", va="center")
            ticks.append(f"{title}: {name}" if title else f"train 7B: {name}")
            start, row = start + size, row - 1
    for gpu in (80, 160, 240):
        plt.axvline(gpu, color="gray", linestyle=":")
    plt.yticks(range(0, row, -1), ticks)
    plt.xlim(0, 260)
    plt.xlabel("GB, dotted: one, two, three GPUs of 80 GB")
    plt.show()
