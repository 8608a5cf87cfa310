import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
x, history = torch.randn(128, 64), []
for case in ("float", "tensor"):
    with profile(
        activities=[ProfilerActivity.CPU], profile_memory=True
    ) as profiled:
        for _ in range(5):
            loss = model(x).square().mean()
            history.append(loss.item() if case == "float" else loss)
        del loss
    rows = profiled.key_averages()
    left = sum(row.self_cpu_memory_usage for row in rows)
    print(f"history of {case:7} {left:9,} bytes left after five batches")
