def brute(values: list[int], target: int) -> tuple[list[tuple[int, int]], int]:
    """All index pairs i < j with the sum ``target``, and the steps: sums made."""
    pairs, steps = [], 0
    for j in range(len(values)):
        for i in range(j):
            steps += 1
            if values[i] + values[j] == target:
                pairs.append((i, j))
    return pairs, steps


def table(values: list[int], target: int) -> tuple[list[tuple[int, int]], int]:
    """The same, and the steps: look-ups and pairs written."""
    seen: dict[int, list[int]] = {}
    pairs, steps = [], 0
    for j, value in enumerate(values):
        partners = seen.get(target - value, [])
        pairs += [(i, j) for i in partners]
        steps += 1 + len(partners)
        seen.setdefault(value, []).append(j)
    return pairs, steps


if __name__ == "__main__":
    print("steps at n =           200     400     800")
    for name, step in (("distinct values", 1), ("equal values", 0)):
        for run in (brute, table):
            counts = [
                run([step * i for i in range(n)], -1 if step else 0)[1]
                for n in (200, 400, 800)
            ]
            print(
                f"{name:15} {run.__name__:6}", *[f"{count:7}" for count in counts]
            )
