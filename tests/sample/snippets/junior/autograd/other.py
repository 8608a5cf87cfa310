def total(steps: int = 20) -> int:
    """The sum of the whole numbers below ``steps``."""
    return sum(range(steps))


if __name__ == "__main__":
    print(total())
