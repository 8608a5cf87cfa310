from statistics import NormalDist

SCORES = 10_000 * 24 * 60  # a day: 10,000 machines, one score a minute
INCIDENTS, LENGTH, SIZE = 20, 3, 4.0  # a day; minutes; deviations above normal
MINUTES = 10  # for a person to check one alarm
normal = NormalDist()

print("alarm when     threshold   false    true     sum   precision   people")
for name, false_rate, row in (
    ("1 minute high", 1e-3, 1),
    ("1 minute high", 5e-6, 1),
    ("3 in a row", 5e-6, 3),
):
    # If minutes are independent, each may be high by chance with this rate.
    threshold = normal.inv_cdf(1 - false_rate ** (1 / row))
    high = 1 - normal.cdf(threshold - SIZE)  # a minute of an incident
    seen = 1 - (1 - high**row) ** (LENGTH - row + 1)
    false, true = SCORES * false_rate, INCIDENTS * seen
    print(f"{name:15}{threshold:9.2f}{false:8,.0f}{true:8.0f}", end="")
    total, people = false + true, (false + true) * MINUTES / 60 / 8
    print(f"{total:8,.0f}{true / total:12.1%}{people:9.1f}")
