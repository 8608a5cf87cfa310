import math
from statistics import NormalDist

PARAMETERS, CACHE_BYTES = 8.03e9, 2 * 32 * 1024 * 2
BANDWIDTH, FLOPS = 0.6 * 3.35e12, 0.4 * 989e12


def lengths(answers: int, cap: int = 16_000) -> list[int]:
    """Tokens of answers, shortest first: quantiles of a log-normal with a cap."""
    normal = [NormalDist().inv_cdf((i + 0.5) / answers) for i in range(answers)]
    return [min(cap, round(3000 * math.exp(0.8 * z))) for z in normal]


def rollout_s(answers: list[int]) -> float:
    """Seconds until one GPU has written all answers, shortest first."""
    clock, before = 0.0, 0
    for done, length in enumerate(answers):
        cached = (len(answers) - done) * CACHE_BYTES * (before + length) / 2
        clock += (length - before) * (2 * PARAMETERS + cached) / BANDWIDTH
        before = length
    return clock


def refilled_tokens_per_s(slots: int, answers: list[int]) -> float:
    """Tokens per second of one GPU that starts an answer whenever one ends.

    At a random moment, long answers are more likely to be open: an open answer
    has, on average, the mean square of the lengths over twice their mean.
    """
    open_tokens = sum(n * n for n in answers) / (2 * sum(answers))
    step = (2 * PARAMETERS + slots * open_tokens * CACHE_BYTES) / BANDWIDTH
    return slots / step


def learner_s(tokens: float, gpus: int) -> float:
    """Seconds for log-probabilities of two models (4N) and the update (6N)."""
    return 10 * PARAMETERS * tokens / (gpus * FLOPS)


if __name__ == "__main__":
    tokens = 64 * sum(lengths(128))
    alone = rollout_s([16_000])
    full = 16_000 * 120 / refilled_tokens_per_s(120, lengths(128))
    print(f"an answer of 16,000 tokens, alone on a GPU: {alone:.0f} s")
    print(f"the same, beside 119 others in a pool: {full:.0f} s")
    for gpus in (32, 64, 128, 256):
        write = rollout_s(lengths(8192 // gpus))
        step = write + learner_s(tokens, gpus)
        row = f"rollout {write:3.0f} s, step {step:3.0f} s"
        hours = gpus * step / 3600
        print(f"synchronous, {gpus:3} GPUs: {row}, {hours:4.1f} GPU-hours")
    write = rollout_s(lengths(4 * 128)) / 4  # four GPUs read four times as fast
    step = write + learner_s(tokens, 64)
    row = f"rollout {write:3.0f} s, step {step:3.0f} s"
    print(f"the same 64, 4 per engine: {row}, {64 * step / 3600:4.1f} GPU-hours")
    for writers in (32, 36, 40):
        write = tokens / (writers * refilled_tokens_per_s(120, lengths(128)))
        learn = learner_s(tokens, 64 - writers)
        row = f"rollout {write:3.0f} s, learner {learn:3.0f} s"
        hours = 64 * max(write, learn) / 3600
        print(
            f"two pools, {writers} + {64 - writers}: {row}, {hours:4.1f} GPU-hours"
        )
