# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "recorded"
# ///
import torch
from torch.profiler import profile, record_function, schedule
from torch.utils.data import DataLoader


def collate(images):
    return torch.stack([(x - x.mean()) / x.std() for x in images])


torch.set_num_threads(1)
loader = DataLoader(torch.rand(384, 100), 64, collate_fn=collate)
model = torch.nn.Linear(100, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with profile(schedule=schedule(wait=1, warmup=1, active=3, repeat=1)) as p:
    for x in loader:
        with record_function("forward"):
            loss = model(x).square().mean()
        with record_function("backward"):
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        p.step()

rows = {row.key.split("#")[0]: row for row in p.key_averages()}
step = rows["ProfilerStep*"].cpu_time_total / 100
print("                       calls  total %  self %")
parts = ("enumerate(DataLoader)", "forward", "backward", "Optimizer.step")
for key in (*parts, "aten::std", "aten::mean", "aten::addmm"):
    row = rows[key]
    total, own = row.cpu_time_total / step, row.self_cpu_time_total / step
    print(f"{key:22}{row.count:6}{total:9.0f}{own:8.0f}")
