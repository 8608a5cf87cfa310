# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt

# From the budget: days at the peak, and hours that a failure costs.
AT_PEAK, BETWEEN_H, LOST_H = 82.55, 48.83, 1.40


def calendar(mfu: float, lost_h: float = LOST_H, spare_days: float = 0.0) -> float:
    """Days until 15T tokens are done on 1,024 GPUs."""
    return AT_PEAK / mfu * (1 + lost_h / BETWEEN_H) + spare_days


CHANGES = {
    "the plan: 40% MFU": calendar(0.40),
    "41% MFU": calendar(0.41),
    "35% MFU": calendar(0.35),
    "no failures at all": calendar(0.40, 0.0),
    "failures twice as costly": calendar(0.40, 2 * LOST_H),
    "no spare node": calendar(0.40, spare_days=103),
}

if __name__ == "__main__":
    plan = CHANGES["the plan: 40% MFU"]
    for name, days in CHANGES.items():
        print(f"{name:26}{days:5.0f} days {days - plan:+6.0f}")
    names = list(CHANGES)[::-1]
    plt.barh(names, [CHANGES[name] for name in names], alpha=0.5)
    for place, name in enumerate(names):
        plt.text(5, place, f"{CHANGES[name]:.0f}", va="center")
    plt.axvline(plan, linewidth=0.8, color="gray")
    plt.xlabel("days on the calendar")
    plt.show()
