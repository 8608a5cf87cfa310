import random

POOL, LIMIT = 65_536, 2_048  # tokens of cache in all, and that a request may get
draw = random.Random(0)
PROMPTS = [draw.randint(20, 600) for _ in range(2000)]
ANSWERS = [min(1400, int(draw.expovariate(1 / 200)) + 1) for _ in range(2000)]


def fill(block, prompts=PROMPTS, answers=ANSWERS):
    """Requests, tokens and blocks in the pool when the next one does not fit."""
    count = tokens = blocks = 0
    for prompt, answer in zip(prompts, answers, strict=True):
        need = -(-(prompt + answer) // block)  # rounded up
        if (blocks + need) * block > POOL:
            break
        count, tokens, blocks = count + 1, tokens + prompt + answer, blocks + need
    return count, tokens, blocks


if __name__ == "__main__":
    print("block  requests  tokens  empty in blocks  not given out  table entries")
    for block in (LIMIT, 256, 64, 16, 1):
        count, tokens, blocks = fill(block)
        row = f"{block:5,}{count:10}{tokens:8,}{blocks * block - tokens:17,}"
        print(f"{row}{POOL - blocks * block:15,}{blocks:15,}")
