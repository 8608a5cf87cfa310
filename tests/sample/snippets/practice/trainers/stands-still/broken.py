def train(steps: int) -> int:
    """How far it came."""
    place = 0
    for _ in range(steps):
        place += 0
    return place


if __name__ == "__main__":
    print(train(3))
