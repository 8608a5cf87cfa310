def gae(rewards: list[float], values: list[float], lam: float) -> list[float]:
    """Advantages without discount; ``values`` has one more, 0 at the end."""
    carry, advantages = 0.0, []
    for t in reversed(range(len(rewards))):
        carry = rewards[t] + values[t + 1] - values[t] + lam * carry
        advantages.insert(0, carry)
    return advantages


def signal(lam: float, steps: int, known: float) -> float:
    """How much larger the first action's advantage is if it earns 1 at the end.

    ``known`` is the share of that reward which the value function predicts
    right after the action.
    """
    last = [0.0] * (steps - 1)
    good = gae([*last, 1.0], [0.0, *[known] * (steps - 1), 0.0], lam)
    return good[0] - gae([*last, 0.0], [0.0] * (steps + 1), lam)[0]


def noise(lam: float, steps: int) -> float:
    """Deviation of the first advantage if each reward has a deviation of 1."""
    return sum(lam ** (2 * t) for t in range(steps)) ** 0.5


if __name__ == "__main__":
    print("        50 steps: noise   signal, if the value function knows")
    print("lambda                    nothing   half    all")
    for lam in (0.0, 0.9, 0.95, 0.99, 1.0):
        row = [f"{signal(lam, 50, known):7.2f}" for known in (0.0, 0.5, 1.0)]
        print(f"{lam:6.2f}  {noise(lam, 50):15.1f}   ", *row)
    print(f"500 steps, lambda 0.95, knows nothing: {signal(0.95, 500, 0.0):.0e}")
