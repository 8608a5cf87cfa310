from statistics import mean

for order in ("AAAABBBB", "ABABABAB", "ABBAABBA"):
    times = {"A": [], "B": []}
    for minute, name in enumerate(order):
        # A and B are one program of 100 ms. The machine gets warm: 1 ms a run.
        times[name].append(100 + minute)
    a, b = mean(times["A"]), mean(times["B"])
    print(f"{order}: A {a:.1f} ms, B {b:.1f} ms, B is {b / a - 1:.1%} slower")
