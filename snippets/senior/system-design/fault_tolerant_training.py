import math

GPU_HOURS = 50_000  # of one GPU, for each failure that stops the job
WRITE = 1.0  # minutes that training waits for a checkpoint

print("       a failure     save             minutes for each failure")
print(" GPUs  every         every   saving + repeat + notice + restart = lost")
for gpus in (1024, 4096, 16384):
    between = 60 * GPU_HOURS / gpus  # minutes between two failures of the job
    interval = math.sqrt(2 * WRITE * between)  # Young
    for notice, restart in ((10, 10), (1, 5)):
        saving, repeat = WRITE * between / interval, interval / 2
        lost = saving + repeat + notice + restart
        cells = f"{saving:7.1f}{repeat:9.1f}{notice:8}{restart:9}{lost:9.1f}"
        times = f"{between:6.0f} min{interval:7.0f} min"
        print(f"{gpus:5}{times}{cells}  {lost / between:4.0%}")
