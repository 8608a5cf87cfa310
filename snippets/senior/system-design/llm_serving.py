import math

PARAMETERS, CACHE_BYTES = 70.55e9, 2 * 80 * 1024 * 2  # Llama 3 70B, per token
GPUS, MEMORY, BANDWIDTH, FLOPS = 4, 0.9 * 80e9, 3.35e12, 989e12  # a replica of H100
READS_AT, COMPUTES_AT = 0.6, 0.5  # shares of the two peaks: guesses, measure them
PROMPT, ANSWER, RATE = 2000, 300, 100  # tokens, tokens, requests per second

cache = CACHE_BYTES * (PROMPT + ANSWER / 2)  # of a request, halfway
room = (GPUS * MEMORY - 2 * PARAMETERS) / cache  # requests that fit
weights_s = 2 * PARAMETERS / (GPUS * BANDWIDTH * READS_AT)  # once per step
prompt_s = 2 * PARAMETERS * PROMPT / (GPUS * FLOPS * COMPUTES_AT)
reads_s = ANSWER * cache / (GPUS * BANDWIDTH * READS_AT)
print(
    f"a step reads the weights: {1000 * weights_s:.1f} ms; {room:.0f} requests fit"
)
print(f"a request adds {prompt_s:.3f} s: its prompt, {reads_s:.3f} s: its cache")
for tpot in (0.025, 0.050, 0.100):
    rate = (1 - weights_s / tpot) / (prompt_s + reads_s)  # requests/s of a replica
    used = rate * ANSWER * tpot  # open requests, by Little's law: rate x time
    row = f"TPOT {1000 * tpot:3.0f} ms: {rate:.2f}/s, {used:3.0f} open, cache"
    gpus = GPUS * math.ceil(RATE / rate)
    print(f"{row} {used / room:3.0%} full, {gpus} GPUs for {RATE}/s")
