from collections import deque


def sliding_max_of_values(values, window):
    best, result = deque(), []  # values, not indices
    for now, value in enumerate(values):
        while best and best[-1] <= value:
            best.pop()
        best.append(value)
        if now >= window and best[0] == values[now - window]:
            best.popleft()  # may be a younger one that is equal
        if now >= window - 1:
            result.append(best[0] if best else None)
    return result


for values in ([5, 1, 4, 2], [5, 5, 4, 1], [0, 0, 0, 0]):
    right = [max(pair) for pair in zip(values, values[1:])]
    print(values, sliding_max_of_values(values, 2), "right:", right)
