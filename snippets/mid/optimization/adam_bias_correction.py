m, v = 0.0, 0.0
print("step in learning rates, for a gradient of 5 in every step")
print("  t   corrected   not corrected")
for t in range(1, 1001):
    g = 5.0
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g**2
    corrected = (m / (1 - 0.9**t)) / (v / (1 - 0.999**t)) ** 0.5
    if t in (1, 2, 12, 100, 1000):
        print(f"{t:4}   {corrected:9.2f}   {m / v**0.5:13.2f}")
