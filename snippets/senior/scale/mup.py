import torch
import torch.nn.functional as F

BASE, RATE = 64, 0.01
RULES = {"output start", "hidden rate", "output rate"}


def forward(weights, x):
    hidden = ((x @ weights[0].T).relu() @ weights[1].T).relu()
    return hidden, hidden @ weights[2].T


def change(width: int, rules=frozenset(), seed: int = 0) -> list[float]:
    """How far Adam's first step moves the last hidden layer and the logits.

    Without rules it is the standard setup, with all of them it is muP. Both
    are the same at the base width.
    """
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(64, 16, generator=generator, dtype=torch.double)
    y = torch.randint(10, (64,), generator=generator)
    shrink = BASE / width
    start = width**-0.5 * (shrink**0.5 if "output start" in rules else 1)
    rates = [RATE, RATE, RATE]
    for layer, rule in (1, "hidden rate"), (2, "output rate"):
        rates[layer] *= shrink if rule in rules else 1
    weights = []
    for rows, columns, std in (
        (width, 16, 1 / 4),
        (width, width, (2 / width) ** 0.5),
        (10, width, start),
    ):
        w = torch.randn(rows, columns, generator=generator, dtype=torch.double)
        weights.append((std * w).requires_grad_())
    loss = F.cross_entropy(forward(weights, x)[1], y)
    gradients = torch.autograd.grad(loss, weights)
    # The first step of Adam is the sign of the gradient, times the rate.
    moved = [w - r * g.sign() for w, g, r in zip(weights, gradients, rates)]
    pairs = zip(forward(moved, x), forward(weights, x))
    return [(a - b).square().mean().sqrt().item() for a, b in pairs]


if __name__ == "__main__":
    print("                     change of hidden units    change of logits")
    print("width                  64    256   1024         64    256   1024")
    names = {"standard": set(), "muP": RULES}
    names |= {f"without {rule}": RULES - {rule} for rule in sorted(RULES)}
    for name, rules in names.items():
        hidden, logits = zip(*(change(width, rules) for width in (64, 256, 1024)))
        row = [" ".join(f"{value:6.2f}" for value in v) for v in (hidden, logits)]
        print(f"{name:20}{row[0]}     {row[1]}")
