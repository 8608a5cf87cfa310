import torch
from torch.profiler import profile, schedule

model, x = torch.nn.Linear(4, 2), torch.ones(3, 4)


def addmm(p: profile) -> int:
    """How many matrix products are in the recorded trace."""
    return sum(row.count for row in p.key_averages() if row.key == "aten::addmm")


for call_step in (True, False):
    traces = []
    with profile(
        schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
        on_trace_ready=lambda p: traces.append(addmm(p)),  # noqa: B023
    ) as p:
        for _ in range(6):
            model(x)
            if call_step:
                p.step()
    print("p.step() in the loop" if call_step else "p.step() forgotten", traces)
try:
    p.key_averages()
except AssertionError as error:
    print(f"AssertionError: {error}")
