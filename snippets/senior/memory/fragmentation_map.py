# /// script
# requires-python = ">=3.11"
# dependencies = ["matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt

figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2), sharey=True)
for panel, (name, order) in zip(
    panels,
    (
        ("made in turn", ["temporary", "kept"] * 20),
        ("kept ones first", ["kept"] * 20 + ["temporary"] * 20),
    ),
):
    kept = [at for at, lifetime in enumerate(order) if lifetime == "kept"]
    whole = [s for s in range(20) if "kept" not in order[2 * s : 2 * s + 2]]
    panel.barh(
        range(20), 20, height=0.8, fill=False, edgecolor="gray", linewidth=0.6
    )
    panel.barh(
        [at // 2 for at in kept], 9, left=[at % 2 * 9 for at in kept], height=0.8
    )
    panel.set_title(f"{name}: {len(whole)} segments empty")
    panel.set_xlabel("MiB of a segment")
    print(f"{name:16} segments without a kept tensor: {len(whole)}")
panels[0].set_ylabel("segment")
plt.show()
