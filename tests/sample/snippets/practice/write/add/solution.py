def solve(a: int, b: int) -> int:
    total = a + b
    return total
