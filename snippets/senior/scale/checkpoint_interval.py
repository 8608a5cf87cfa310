from math import exp, sqrt


def goodput(interval, write, restart, mtbf, upload=0.0) -> float:
    """The share of time whose work is kept. All times in one unit.

    Training waits for ``write``, and the file is complete ``upload`` later.
    """
    kept = interval / mtbf / (exp((interval + write) / mtbf) - 1)
    return kept * exp(-(restart + upload) / mtbf)


if __name__ == "__main__":
    plans = (2, 10), (1 / 12, 10), (2, 2), (1 / 12, 2)  # minutes
    print("write                          2 min     5 s   2 min     5 s")
    print("restart                       10 min  10 min   2 min   2 min")
    for gpus in (1_024, 16_384, 131_072):
        mtbf = 54 * 24 * 60 / 419 * 16_384 / gpus
        row = f"{gpus:7} GPUs, MTBF {mtbf:4.0f} min"
        for write, restart in plans:
            young = sqrt(2 * write * mtbf)
            row += f"{goodput(young, write, restart, mtbf):8.1%}"
        print(row)
