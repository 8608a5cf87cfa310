import math


def attend(tiles: list, corrected: bool) -> str:
    top, total, out = -math.inf, 0.0, 0.0
    for scores, values in tiles:
        new = max(top, *scores)
        fix = math.exp(top - new) if corrected else 1.0
        weights = [math.exp(score - new) for score in scores]
        total = total * fix + sum(weights)
        out = out * fix + sum(w * v for w, v in zip(weights, values))
        top = new
    return f"{out / total:.2f}"


# The softmax of these three scores has the weights 1/13, 4/13 and 8/13.
first = [math.log(1), math.log(4)], [0, 0]
second = [math.log(8)], [13]
for name, tiles in (
    ("the large score comes last", [first, second]),
    ("the large score comes first", [second, first]),
):
    print(f"{name:28} {attend(tiles, True)}", end="")
    print(f"  without the correction {attend(tiles, False)}")
