import math

PREDICTIONS, LABELS, DELAY = 200_000, 500, 7  # a day, a day, days until a label
CHECKS = [  # tests a week, and the share that fires although nothing changed
    ("each of 30 features, daily", 30 * 7, 0.001),
    ("predictions, hourly", 24 * 7, 0.001),
    ("accuracy on labels, daily", 7, 0.01),
]
print("check                       tests a week   false alarms a week")
for check, tests, rate in CHECKS:
    print(f"{check:28}{tests:12}{tests * rate:22.2f}")
total = sum(tests * rate for _, tests, rate in CHECKS)
print(f"{'sum':28}{sum(row[1] for row in CHECKS):12}{total:22.2f}")
print(f"{'30 features, hourly, 5%':28}{30 * 24 * 7:12}{30 * 24 * 7 * 0.05:22.2f}\n")
spread = [z * math.sqrt(p * (1 - p)) for z, p in ((2.33, 0.92), (0.84, 0.9))]
labels = sum(spread) ** 2 / (0.92 - 0.9) ** 2
days = math.ceil(labels / LABELS) + DELAY
print(f"92% -> 90% needs {labels:,.0f} labels: on day {days},", end=" ")
print(f"after {0.02 * PREDICTIONS * days:,.0f} more wrong predictions")
