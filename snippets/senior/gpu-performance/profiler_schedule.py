# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
from torch.profiler import ProfilerAction, schedule

plan = schedule(wait=1, warmup=1, active=2, repeat=1)
with_step = [plan(number).name for number in range(6)]
forgotten = [plan(0).name] * 6

look = {
    "NONE": ("wait", "none", ""),
    "WARMUP": ("warm up", "tab:orange", "//"),
    "RECORD": ("record", "tab:blue", ""),
    "RECORD_AND_SAVE": ("record,\nhand out", "tab:blue", ""),
}
assert set(look) <= set(ProfilerAction.__members__)
figure, axes = plt.subplots(figsize=(7.2, 2.2))
for y, actions in ((1, with_step), (0, forgotten)):
    for x, action in enumerate(actions):
        text, color, hatch = look[action]
        axes.barh(
            y, 0.96, left=x, height=0.7, color=color, hatch=hatch,
            edgecolor="gray", alpha=0.55 if color != "none" else 1,
        )  # fmt: skip
        axes.text(x + 0.48, y, text, ha="center", va="center")
axes.set_yticks([1, 0], ["p.step()", "forgotten"])
axes.set_xticks([x + 0.48 for x in range(6)], range(6))
axes.set_xlabel("step of the training loop")
plt.show()
print(*with_step)
print(*forgotten)
