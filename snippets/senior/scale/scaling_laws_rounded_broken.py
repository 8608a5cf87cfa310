def best(flops: float, a: float, b: float, alpha: float, beta: float) -> float:
    ratio = alpha * a / (beta * b)
    return (ratio * (flops / 6) ** beta) ** (1 / (alpha + beta))


FITS = {
    "printed in the paper": (406.4, 410.7, 0.34, 0.28),
    "its exponents, not rounded": (406.4, 410.7, 0.3392, 0.2849),
    "fitted again": (482.01, 2085.43, 0.3478, 0.3658),
}
CHINCHILLA = 6 * 70e9 * 1.4e12  # FLOPs of 70B parameters on 1.4T tokens

if __name__ == "__main__":
    print("tokens per parameter at       Chinchilla's FLOPs    1e24    1e26")
    for name, fit in FITS.items():
        row = ""
        for flops, width in ((CHINCHILLA, 20), (1e24, 8), (1e26, 8)):
            row += f"{flops / 6 / best(flops, *fit) ** 2:{width}.0f}"
        print(f"{name:28}{row}")
