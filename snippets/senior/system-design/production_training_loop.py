GRACE_S = 30  # from SIGTERM to SIGKILL
STEP_S, EXIT_S = 2, 3  # the longest step; close files and exit
COPY, WRITE = 25e9, 1e9  # bytes/s: GPU to host memory, host to the store
BYTES = 12  # per parameter: a float32 weight and Adam's two averages

print("parameters    file    step  copy  write  exit    sum   in 30 s")
for billions in (0.1, 1, 3, 7):
    size = BYTES * billions * 1e9
    parts = STEP_S, size / COPY, size / WRITE, EXIT_S
    cells = "{:8.1f}{:6.1f}{:7.1f}{:6.1f}".format(*parts)
    total = sum(parts)
    fits = total <= GRACE_S
    print(f"{billions:9}B{size / 1e9:5.0f} GB{cells}{total:7.1f}{fits!s:>10}")
largest = (GRACE_S - STEP_S - EXIT_S) / (BYTES / COPY + BYTES / WRITE)
print(f"the largest that fits: {largest / 1e9:.1f}B")
