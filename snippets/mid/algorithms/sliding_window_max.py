from collections import deque


def sliding_max(values, window):
    best, result = deque(), []  # indices; their values fall
    for now, value in enumerate(values):
        while best and values[best[-1]] <= value:
            best.pop()  # older and not larger
        best.append(now)
        if best[0] == now - window:
            best.popleft()  # has left the window
        if now >= window - 1:
            result.append(values[best[0]])
    return result


print(sliding_max([1, 3, 2, 0, 1, 5], window=3))
