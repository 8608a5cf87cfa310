PEAK, BANDWIDTH = 989e12, 3.35e12  # of an H100: FLOP/s in bfloat16, bytes/s
LAUNCH, GRAPH = 5e-6, 20e-6  # assumed: seconds per kernel, and per CUDA graph


def limits(parameters, tokens, kernels, bits=16, math=1.0, graph=False):
    """Milliseconds of math, of memory and of the host for one forward pass."""
    host = GRAPH if graph else kernels * LAUNCH
    reads = parameters * bits / 8 / BANDWIDTH
    flops = 2 * parameters * tokens / (PEAK * math)
    return {"math": 1e3 * flops, "memory": 1e3 * reads, "host": 1e3 * host}


MODELS = {  # parameters, tokens in the pass, kernels
    "8B, prompt of 2048": (8e9, 2048, 640),
    "8B, next token": (8e9, 1, 640),
    "22M, one sentence": (22e6, 32, 150),
}
LEVERS = {
    "4-bit weights": {"bits": 4},
    "twice the math": {"math": 2},
    "CUDA graph": {"graph": True},
    "graph, 4 bits": {"graph": True, "bits": 4},
}

if __name__ == "__main__":
    for name, model in MODELS.items():
        before = limits(*model)
        times = "  ".join(f"{k} {v:.3f}" for k, v in before.items())
        print(f"{name}: {times} ms, limit: {max(before, key=before.get)}")
        for lever, change in LEVERS.items():
            after = limits(*model, **change)
            gain = max(before.values()) / max(after.values())
            print(f"  {lever:15} {gain:5.1f}x  {max(after, key=after.get)}")
