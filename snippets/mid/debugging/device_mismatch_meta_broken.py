import torch
import torch.nn.functional as F

here = torch.ones(3, 3, device="meta")  # on the device
index = torch.zeros(3, 3, dtype=torch.int64)  # on the CPU, as is all below
calls = {
    "x * cpu": lambda: here * torch.ones(3),
    "cat([x, cpu])": lambda: torch.cat([here, torch.ones(3, 3)]),
    "where(cpu, x, x)": lambda: torch.where(index == 0, here, here),
    "linear(x, cpu, cpu)": lambda: F.linear(here, torch.ones(3, 3), torch.ones(3)),
    "x @ cpu": lambda: here @ torch.ones(3, 3),
    "linear(x, cpu)": lambda: F.linear(here, torch.ones(3, 3)),
    "conv1d(x, cpu, cpu)": lambda: F.conv1d(
        here, torch.ones(2, 3, 1), torch.ones(2)
    ),
    "embedding(cpu, x)": lambda: F.embedding(index, here),
    "gather(x, 0, cpu)": lambda: torch.gather(here, 0, index),
}
for name, call in calls.items():
    try:
        print(f"{name:21} runs, result on {call().device}")
    except RuntimeError as error:
        print(f"{name:21} {type(error).__name__}")
