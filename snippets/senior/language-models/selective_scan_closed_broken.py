import torch


def closed(a, b):
    """The same states in one line, on paper: divide by the product of all a."""
    decay = a.cumprod(0)
    return decay * (b / decay).cumsum(0)


def chunked(a, b, size):
    """The closed form inside each chunk; the last state goes on to the next."""
    h, states = 0, []
    for x, y in zip(a.split(size), b.split(size), strict=True):
        states.append(x.cumprod(0) * h + closed(x, y))
        h = states[-1][-1]
    return torch.cat(states)


def first_wrong(states, a):
    """First step whose state is not (1 - a ** t) / (1 - a), which b = 1 gives."""
    steps = torch.arange(1, len(states) + 1, dtype=torch.float64)
    right = (1 - a**steps) / (1 - a)
    wrong = ~states.double().isclose(right, rtol=1e-3)
    return wrong.int().argmax().item() + 1 if wrong.any() else None


if __name__ == "__main__":
    print("a     float32  float64  float32 in chunks of 64")
    for a in (0.6, 0.9, 0.99):
        row = []
        for form in (closed, lambda a, b: chunked(a, b, 64)):
            for dtype in (torch.float32, torch.float64):
                ones = torch.ones(10_000, dtype=dtype)
                row.append(first_wrong(form(a * ones, ones), a))
        print(f"{a:<4} {row[0]:8} {row[1] or 'none':>8}  {row[2] or 'none':>8}")
