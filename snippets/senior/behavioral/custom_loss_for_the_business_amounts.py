import torch
from torch import Tensor
from torch.nn import functional as F


def draw(seed: int, rows: int, spread: float = 1.0) -> tuple[Tensor, ...]:
    """Features, labels and the price of a miss: 10 on average, known later."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 5, generator=generator, dtype=torch.float64)
    logits = x @ x.new_tensor([1.5, -1.5, 0.75, 0.0, 0.0]) - 4.6
    labels = torch.bernoulli(logits.sigmoid(), generator=generator)
    noise = torch.randn(rows, generator=generator, dtype=torch.float64) / 2
    return (
        x,
        labels,
        10 * torch.exp(spread * (x[:, 3] - spread / 2) + noise - 1 / 8),
    )


def fit(x: Tensor, target: Tensor, loss) -> Tensor:
    """Bias and weights of the linear model that minimizes ``loss``."""
    model = x.new_zeros(x.shape[1] + 1, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [model], max_iter=30, line_search_fn="strong_wolfe"
    )

    def closure() -> Tensor:
        optimizer.zero_grad()
        value = loss(x @ model[1:] + model[0], target)
        value.backward()
        return value

    optimizer.step(closure)
    return model.detach()


def costs(seed: int, spread: float = 1.0) -> list[float]:
    """Cost per 1,000 cases of three rules, trained on 10,000 cases."""
    (x, labels, price), (test, truth, paid) = (
        draw(seed + 100 * part, 10_000 + 10_000 * part, spread) for part in range(2)
    )
    each = torch.where(labels == 1, price, 1.0)
    plain = fit(x, labels, F.binary_cross_entropy_with_logits)
    priced = fit(
        x,
        labels,
        lambda z, y: F.binary_cross_entropy_with_logits(z, y, weight=each),
    )
    amount = fit(x, price.log(), F.mse_loss)  # a second model: what a miss costs
    amount[0] += (price / (x @ amount[1:] + amount[0]).exp()).mean().log()
    p, expected, own = (test @ m[1:] + m[0] for m in (plain, amount, priced))
    p, expected = p.sigmoid(), expected.exp()
    rules = (p > 1 / 11, own > 0, p * expected > 1 - p)
    wrong = [(flagged != (truth == 1)).double() for flagged in rules]
    return [
        1000 * (torch.where(truth == 1, paid, 1.0) * part).mean().item()
        for part in wrong
    ]


if __name__ == "__main__":
    print("cost per 1,000 cases        draw 0   draw 1   draw 2")
    rows = zip(*(costs(seed) for seed in range(3)), strict=True)
    for rule in ("threshold 1/11", "loss with each price", "two models"):
        print(f"{rule:25}" + "".join(f"{value:9.0f}" for value in next(rows)))
