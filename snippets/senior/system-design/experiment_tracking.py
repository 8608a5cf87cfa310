RUNS, DAYS = 1_000 * 52, 30  # runs a year; days for which a run can be resumed
GB, TB = 1e9, 1e12
FULL = 12 * 200e6  # bytes of weights and Adam's two moments in float32
WEIGHTS = 4 * 200e6
DATA = 500 * GB

everything = {
    "10 full checkpoints of each run": RUNS * 10 * FULL,
    "a copy of the data for each run": RUNS * DATA,
}
plan = {
    "config, environment, code: 1 MB a run": RUNS * 1e6,
    "metrics: 50 x 1,000 points x 16 bytes": RUNS * 50 * 1_000 * 16,
    "data: one copy, and 1% new rows a day": DATA + 365 * 0.01 * DATA,
    "last full checkpoint, for 30 days": RUNS / 365 * DAYS * FULL,
    "weights of the 2% that are reported": 0.02 * RUNS * WEIGHTS,
}
for rows in (everything, plan):
    for name, size in rows.items():
        print(f"{name:38}{size / TB:11,.2f} TB")
    print(f"{'sum':38}{sum(rows.values()) / TB:11,.2f} TB")
