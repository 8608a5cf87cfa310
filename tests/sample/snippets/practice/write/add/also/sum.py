def solve(a: int, b: int) -> int:
    return sum((a, b))
