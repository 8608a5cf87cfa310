"""The deque holds values instead of indices."""

from collections import deque


def sliding_max_of_values(values, window):
    best, result = deque(), []
    for now, value in enumerate(values):
        while best and best[-1] <= value:
            best.pop()
        best.append(value)
        if now >= window and best[0] == values[now - window]:
            best.popleft()  # may be a younger one that is equal
        if now >= window - 1:
            result.append(best[0] if best else None)
    return result


if __name__ == "__main__":
    for values in ([5, 1, 4, 2], [5, 5, 4, 1], [0, 0, 0, 0]):
        right = [max(values[i : i + 2]) for i in range(len(values) - 1)]
        print(values, sliding_max_of_values(values, 2), "right:", right)
