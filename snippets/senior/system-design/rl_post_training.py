import math
from statistics import NormalDist

PARAMETERS, CACHE_BYTES = 8.03e9, 2 * 32 * 1024 * 2  # Llama 3 8B, per token
GPUS, BANDWIDTH, FLOPS = 64, 0.6 * 3.35e12, 0.4 * 989e12  # H100; shares are guesses
ANSWERS = 128  # per GPU: 8,192 in all, to 512 prompts with 16 each
normal = [NormalDist().inv_cdf((i + 0.5) / ANSWERS) for i in range(ANSWERS)]
lengths = [min(16_000, round(3000 * math.exp(0.8 * z))) for z in normal]
ready, clock, before = [], 0.0, 0
for done, length in enumerate(lengths):  # shortest first
    cached = (ANSWERS - done) * CACHE_BYTES * (before + length) / 2
    clock += (length - before) * (2 * PARAMETERS + cached) / BANDWIDTH
    ready, before = [*ready, clock], length
tokens = GPUS * sum(lengths)
one_n = PARAMETERS * tokens / (GPUS * FLOPS)  # seconds of N FLOPs per token
rows = {"rollout: 90% are ready": ready[115], "the last 10%": clock - ready[115]}
rows["log-probabilities: 4N"], rows["update: 6N"] = 4 * one_n, 6 * one_n
rows["weights"] = 2 * PARAMETERS / 25e9
rows[f"step, {tokens / 1e6:.1f} million tokens"] = step = sum(rows.values())
for name, seconds in rows.items():
    print(f"{name:30}{seconds:6.1f} s{seconds / step:6.0%}")
