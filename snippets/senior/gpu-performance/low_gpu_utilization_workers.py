LOAD, COPY, KERNELS, PYTHON = 160, 1, 20, 9  # milliseconds per batch


def percent(workers: int, item: bool) -> float:
    """GPU utilization of a long loop, 0 to 100."""
    if item:  # the GPU waits for Python, then Python for the GPU
        step = PYTHON + COPY + KERNELS
    else:  # Python prepares the next step while the GPU works
        step = max(PYTHON, COPY + KERNELS)
    return 100 * KERNELS / max(LOAD / workers, step)


for workers in (1, 4, 8, 16):
    row = [f"{percent(workers, item):3.0f} %" for item in (True, False)]
    print(f"{workers:2} workers: {row[0]} with item(), {row[1]} without")
