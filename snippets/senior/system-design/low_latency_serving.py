import math

BUDGET_MS = {"network": 30, "features": 15, "queue_and_model": 50, "slack": 5}
FIXED_MS, ITEM_MS = 3.0, 0.25  # of a batch, and of each request in it
RATE = 100_000  # requests per second

print(f"budget: {sum(BUDGET_MS.values())} ms")
for max_batch in (1, 8, 32, 64, 128):
    batch_ms = FIXED_MS + ITEM_MS * max_batch
    replicas = math.ceil(RATE / (0.6 * 1000 * max_batch / batch_ms))
    fits = 2 * batch_ms <= BUDGET_MS["queue_and_model"]
    plan = f"{replicas:3} replicas at 60%, fits: {fits}"
    print(f"batch of {max_batch:3}: {batch_ms:5.2f} ms, {plan}")
