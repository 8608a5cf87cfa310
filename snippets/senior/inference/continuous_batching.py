import heapq
import random

# Llama 3 8B on an H100, at the peaks of memory and math.
BANDWIDTH, FLOPS = 3.35e12, 989e12
WEIGHTS, CACHE_TOKEN, PARAMETERS = 16.06e9, 131_072, 8.03e9  # bytes, bytes, count


def static(answers, slots):
    """Steps, if a batch holds its slots until its longest answer ends."""
    return sum(max(answers[i : i + slots]) for i in range(0, len(answers), slots))


def continuous(answers, slots):
    """Steps, if the next request takes a slot as soon as it is free."""
    free = [0] * slots  # the step at which each slot is free
    for answer in answers:
        heapq.heapreplace(free, free[0] + answer)
    return max(free)


def milliseconds(answers, steps, prompt):
    """Per request: reading weights, reading caches, math for the prompts."""
    reads = sum(a * prompt + a * (a + 1) / 2 for a in answers) / len(answers)
    return (
        1e3 * steps / len(answers) * WEIGHTS / BANDWIDTH,
        1e3 * reads * CACHE_TOKEN / BANDWIDTH,
        1e3 * prompt * 2 * PARAMETERS / FLOPS,
    )


draw = random.Random(0)
ANSWERS = {
    "all 200": [200] * 32_000,
    "evenly 1 to 399": [draw.randint(1, 399) for _ in range(32_000)],
    "exponential": [int(draw.expovariate(1 / 200)) + 1 for _ in range(32_000)],
}

if __name__ == "__main__":
    print("answers          slots  static steps  in use  continuous  in use  gain")
    for name, answers in ANSWERS.items():
        for slots in (8, 32, 128):
            steps = static(answers, slots), continuous(answers, slots)
            used = [sum(answers) / (n * slots) for n in steps]
            row = f"{name:15}{slots:7}{steps[0]:14,}{used[0]:8.0%}{steps[1]:12,}"
            print(f"{row}{used[1]:8.0%}{steps[0] / steps[1]:6.1f}")
    print()
    print("ms per request, exponential    weights  caches  prompts  total  gain")
    for prompt, slots in ((300, 32), (2000, 32), (2000, 128)):
        total = {}
        for way in (static, continuous):
            parts = milliseconds(answers, way(answers, slots), prompt)
            total[way] = sum(parts)
            row = f"{prompt:5} + 200, {slots:3} slots, {way.__name__:10}"
            row += "".join(f"{part:8.1f}" for part in parts)
            print(f"{row}{sum(parts):7.1f}{total[static] / sum(parts):6.1f}")
