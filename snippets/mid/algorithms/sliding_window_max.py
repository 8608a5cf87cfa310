from collections import deque


def sliding_max(values, window):
    """The maximum of each `window` neighbors, 1 <= window; values hold no NaN."""
    best, result = deque(), []  # indices whose values fall from left to right
    for now, value in enumerate(values):
        while best and values[best[-1]] <= value:
            best.pop()  # older and not larger: can't be a maximum any more
        best.append(now)
        if best[0] == now - window:
            best.popleft()  # has left the window
        if now >= window - 1:
            result.append(values[best[0]])
    return result


if __name__ == "__main__":
    print(sliding_max([1, 3, 2, 0, 1, 1, 5], window=3))
