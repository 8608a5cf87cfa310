RATE = 100_000  # requests per second

for load in (0.7, 0.6):
    print(f"plan {load:.0%}, a zone of three lost: {load * 3 / 2:.0%} on the rest")
for latency_ms in (50, 100):
    print(f"in flight at {latency_ms:3} ms: {RATE * latency_ms // 1000} requests")
pixels = 3 * 224 * 224
sizes = {
    "2 kB of features": 2_000,
    "100 kB JPEG": 100_000,
    "3x224x224 in uint8": pixels,
    "3x224x224 in float32": 4 * pixels,
}
for payload, size in sizes.items():
    print(f"network in, {payload:20} {RATE * size * 8 / 1e9:6.1f} Gbit/s")
