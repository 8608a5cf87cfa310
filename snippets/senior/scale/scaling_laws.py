E, A, B, ALPHA, BETA = 1.8172, 482.01, 2085.43, 0.3478, 0.3658


def loss(n: float, d: float) -> float:
    """Fitted loss of a model with n parameters after d tokens."""
    return E + A / n**ALPHA + B / d**BETA


def best(flops: float, a=A, b=B, alpha=ALPHA, beta=BETA) -> float:
    """The number of parameters with the lowest loss at 6 n d = flops."""
    ratio = alpha * a / (beta * b)
    return (ratio * (flops / 6) ** beta) ** (1 / (alpha + beta))


if __name__ == "__main__":
    print("FLOPs   parameters   tokens   ratio    loss   half the size   twice")
    for flops in (5.88e23, 1e24, 1e25):
        n, d = best(flops), flops / 6 / best(flops)
        size = f"{flops:.0e}{n / 1e9:11.0f}B{d / 1e12:8.1f}T{d / n:8.0f}"
        losses = loss(n, d), loss(n / 2, 2 * d), loss(2 * n, d / 2)
        print(size + "{:8.3f}{:16.3f}{:8.3f}".format(*losses))
