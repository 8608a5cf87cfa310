def top_k(probs: list[float], k: int) -> list[float]:
    """The k largest of sorted probabilities, divided by their sum."""
    return [p / sum(probs[:k]) for p in probs[:k]]


def top_p(probs: list[float], share: float) -> list[float]:
    """The smallest set with this share, divided by its sum."""
    kept = [p for i, p in enumerate(probs) if sum(probs[:i]) < share - 1e-9]
    return [p / sum(kept) for p in kept]


if __name__ == "__main__":
    probs = [0.5, 0.2, 0.09, 0.06, 0.05, 0.04, 0.03, 0.03]
    print("top-p 0.8 alone:", len(top_p(probs, 0.8)), "tokens")
    print("top-k 4, then top-p 0.8:", len(top_p(top_k(probs, 4), 0.8)), "tokens")
    for tail in (0.01, 0.001):
        print(f"{tail:.1%} per token, 500 tokens: {1 - (1 - tail) ** 500:.1%}")
