import torch

batch = torch.empty(256, 3, 224, 224, dtype=torch.uint8, device="meta")
queue = 4 * 2  # num_workers * prefetch_factor
for dtype in (torch.uint8, torch.float16, torch.float32):
    size = batch.to(dtype).nbytes / 2**20
    print(f"{dtype!s:13} copy {size:5.1f} MiB, queue {queue * size:6.1f} MiB")
