# /// script
# requires-python = ">=3.11"
# dependencies = ["matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt

CAPACITY = int(1.25 * 1 * 16 / 4)
BATCHES = {  # the expert that each of 16 tokens picks; the last token is ours
    "mixed neighbors": [0, 1, 2, 3] * 4,
    "alike neighbors": [3] * 16,
}

figure, panels = plt.subplots(2, 1, figsize=(6.4, 4.2), sharex=True)
for panel, (name, chosen) in zip(panels, BATCHES.items()):
    load = [0, 0, 0, 0]
    for token, e in enumerate(chosen):
        style = {"color": "C0", "alpha": 0.5, "edgecolor": "gray"}
        if load[e] >= CAPACITY:
            style = {"fill": False, "edgecolor": "gray", "hatch": "////"}
        panel.barh(e, 0.9, left=load[e], height=0.7, **style)
        if token == 15:
            panel.text(load[e] + 1.1, e, "last", va="center")
        load[e] += 1
    panel.axvline(CAPACITY - 0.05, color="gray", linestyle="--")
    panel.set_yticks(range(4), [f"expert {e}" for e in range(4)])
    panel.set_xlim(0, 18)
    panel.set_ylim(3.6, -0.6)
    dropped = sum(max(0, n - CAPACITY) for n in load)
    empty = sum(max(0, CAPACITY - n) for n in load)
    panel.set_title(f"{name}: {dropped} dropped, {empty} places empty")
    print(f"{name}: load {load}, dropped {dropped}, empty {empty}")
panels[1].set_xlabel("tokens in the order of the batch; dashed: capacity")
plt.show()
