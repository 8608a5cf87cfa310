from math import exp


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


def probability(agree: float, beta: float, steps: int) -> float:
    """P(chosen) of two answers, from 0.5 each, if ``agree`` of the labels agree."""
    gap = 0.0  # between the two logits, and between the two log-ratios
    for _ in range(steps):
        pull = agree * sigmoid(-beta * gap) - (1 - agree) * sigmoid(beta * gap)
        gap += beta * pull
    return sigmoid(gap)


if __name__ == "__main__":
    print("steps                  100    1000   10000")
    for agree in (0.9, 1.0):
        for beta in (0.5, 1.0, 2.0):
            row = [f"{probability(agree, beta, 10**k):.4f}" for k in (2, 3, 4)]
            print(f"agree {agree:4.0%}  beta {beta}", *row)
