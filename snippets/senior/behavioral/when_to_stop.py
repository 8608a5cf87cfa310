from math import exp, lgamma, log


def best_of(models: int, rows: int, accuracy: float) -> float:
    """Expected highest accuracy that equal models show on independent rows."""
    below, expected = 0.0, float(rows)
    for right in range(rows):
        ways = lgamma(rows + 1) - lgamma(right + 1) - lgamma(rows - right + 1)
        wrong = rows - right
        below += exp(ways + right * log(accuracy) + wrong * log(1 - accuracy))
        expected -= min(below, 1) ** models  # all models have at most this many
    return expected / rows


if __name__ == "__main__":
    print("every model is right in 90.0% of all cases; the best one shows")
    print("rows        1 model   5 models   20 models   100 models")
    for rows in (500, 2_000, 10_000):
        shown = [f"{best_of(models, rows, 0.9):9.1%}" for models in (1, 5, 20, 100)]
        print(f"{rows:6,}  " + "  ".join(shown))
