import math

BUDGET_MS = {"network": 30, "features": 15, "queue_and_model": 50, "slack": 5}
FIXED_MS, ITEM_MS = 3.0, 0.25  # of a batch, and of each request in it
RATE, ZONES, LOAD = 100_000, 3, 0.9  # LOAD: with one zone lost

for part, ms in BUDGET_MS.items():
    print(f"{part:16}{ms:4} ms")
print(f"{'sum':16}{sum(BUDGET_MS.values()):4} ms")
print("batch     takes  twice in 50 ms  one GPU  per zone  GPUs")
for batch in (1, 8, 32, 64, 128):
    batch_ms = FIXED_MS + ITEM_MS * batch
    fits = 2 * batch_ms <= BUDGET_MS["queue_and_model"]
    capacity = 1000 * batch / batch_ms  # requests per second
    zone = math.ceil(RATE / (ZONES - 1) / (LOAD * capacity))
    row = f"{batch:5}{batch_ms:7.2f} ms {fits!s:>15}"
    print(f"{row}{capacity:7.0f}/s{zone:10}{ZONES * zone:6}")
