import math

STREAMS, FPS, MEGABITS = 100, 30, 4  # 1080p, H.264: MEGABITS per second and stream
PIXELS, MODEL = 1920 * 1080, 640 * 640  # of a frame, and of what the model reads
FIXED_MS, ITEM_MS, BATCH, LOAD = 4.0, 0.5, 16, 0.8  # of a batch, and of each frame
BUDGET_MS = {"encode": 50, "network": 40, "decode": 20, "wait": 35, "model": 12}
BUDGET_MS |= {"result": 20, "slack": 23}

for part, ms in BUDGET_MS.items():
    print(f"{part:8}{ms:4} ms")
print(f"{'sum':8}{sum(BUDGET_MS.values()):4} ms")
frames = STREAMS * FPS
print(f"compressed         {STREAMS * MEGABITS / 8e3:6.2f} GB/s")
print(f"decoded, NV12      {frames * PIXELS * 1.5 / 1e9:6.2f} GB/s")
print(f"RGB, float32       {frames * PIXELS * 12 / 1e9:6.2f} GB/s")
print(f"resized, uint8     {frames * MODEL * 3 / 1e9:6.2f} GB/s")
capacity = 1000 * BATCH / (FIXED_MS + ITEM_MS * BATCH)
for fps in (30, 10):
    gpus = STREAMS * fps / (LOAD * capacity)
    print(f"{fps} frames/s: {STREAMS * fps} of {capacity:.0f} per GPU, ", end="")
    print(f"{gpus:.2f} -> {math.ceil(gpus)} GPUs, 1 spare")
