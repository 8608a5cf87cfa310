GPUS, WEEK = 64 * 8, 168  # 64 nodes of 8 GPUs; hours
PER_STOP = 0.5 / 2 + 0.1  # half the hours between checkpoints, and a restart

lost = {
    "nodes in repair: 2%": 0.02 * GPUS * WEEK,
    "preemption: 200 a week, 32 GPUs each": 200 * 32 * PER_STOP,
    "failures: 5 a week, 128 GPUs each": 5 * 128 * PER_STOP,
    "gangs: 48 GPUs held for 12 h, daily": 7 * 12 * 48,
}
useful = GPUS * WEEK - sum(lost.values())
rows = lost | {"useful": useful, "sum": useful + sum(lost.values())}
for name, hours in rows.items():
    print(f"{name:38}{hours:8,.0f} GPU hours{hours / GPUS / WEEK:8.1%}")
for team, weight in {
    "language": 4,
    "vision": 2,
    "speech": 1,
    "research": 1,
}.items():
    row = f"{weight * GPUS // 8:4} GPUs{weight * useful / 8:26,.0f} GPU hours"
    print(f"quota: {team:9}{row}")
