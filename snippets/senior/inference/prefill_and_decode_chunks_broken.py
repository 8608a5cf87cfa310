# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt

WEIGHTS, PEAK, BANDWIDTH = 8.03e9, 989e12, 3.35e12
PAIR, CACHE = 4 * 32 * 32 * 128, 2 * 32 * 8 * 128 * 2
ANSWERS = 32


def step_ms(tokens: int, before: int = 0, context: int = 1024) -> float:
    """Time of a step: ``tokens`` of a prompt after ``before``, and 32 answers."""
    pairs = tokens * (before + tokens / 2) + ANSWERS * context
    flops = 2 * WEIGHTS * (tokens + ANSWERS) + PAIR * pairs
    moved = 2 * WEIGHTS + CACHE * (before + tokens + ANSWERS * context)
    return 1000 * max(flops / PEAK, moved / BANDWIDTH)  # they overlap


def serve(chunk: int, prompt: int = 2048, every: float = 120, until: float = 6000):
    """32 answers write all the time, and a prompt comes every 120 ms.

    Returns: the gaps between tokens, the times to first token, and how many
    prompts wait in the end.
    """
    arrivals = [every * k for k in range(int(until / every))]
    gaps, firsts, now, read = [], [], 0.0, 0
    while now < until:
        waits = len(firsts) < len(arrivals) and arrivals[len(firsts)] <= now
        tokens = min(chunk, prompt - read) if waits else 0
        gaps.append(step_ms(tokens, read))
        now, read = now + gaps[-1], read + tokens
        if read == prompt:
            firsts.append(now - arrivals[len(firsts)])
            read = 0
    return gaps, firsts, len(arrivals) - len(firsts)


if __name__ == "__main__":
    print("prompt tokens  longest  mean time  time to first token  prompts that")
    print("per step           gap  per token  first       last     wait in the end")
    for chunk in (2048, 512, 256, 64):
        gaps, firsts, left = serve(chunk)
        mean = sum(gaps) / len(gaps)
        row = f"{chunk:8}{max(gaps):13.0f} ms{mean:8.1f} ms{firsts[0]:4.0f} ms"
        print(f"{row}{firsts[-1]:8.0f} ms{left:6}")
    tokens = range(0, 801, 5)
    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    for context, style in ((1024, "-"), (4096, "--")):
        times = [step_ms(n, context=context) for n in tokens]
        axes.plot(tokens, times, style, label=f"32 answers of {context:,} tokens")
    axes.set(xlabel="prompt tokens in the step", ylabel="step (ms)", ylim=(0, None))
    axes.legend()
    plt.show()
