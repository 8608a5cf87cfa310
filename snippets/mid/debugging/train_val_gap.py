# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.1
# ///
import torch

SEEDS, DECAYS = 8, (0.0, 3.0, 10.0)


def draw(count: int, seed: int, offset: float = 0.0) -> tuple[torch.Tensor, ...]:
    """x (SEEDS, count, 10) and labels; a tenth is flipped, x gets an offset."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(SEEDS, count, 10, generator=generator)
    score = x[..., 0] + x[..., 1] + x[..., 0] * x[..., 1]
    flipped = torch.rand(SEEDS, count, generator=generator) < 0.1
    return x + offset, ((score > 0) ^ flipped).long()


def fit(
    count: int,
    offset: float = 0.0,
    train_offset: float = 0.0,
    decays: tuple[float, ...] = (0.0,),
    steps: int = 150,
    rate: float = 0.003,
) -> torch.Tensor:
    """Train one model of 10, 32, 32, 2 units for each decay and seed, with AdamW.

    Returns:
        Losses (checks, 3, decays, SEEDS), every 10th step, on 300 training
        samples, on a slice held out of that set, and on validation data.
    """
    sets = (
        draw(count, 1, train_offset),
        draw(300, 2, train_offset),
        draw(300, 3, offset),
    )
    x, y = sets[0]
    shown = (x[:, :300], y[:, :300]), *sets[1:]
    decay = torch.tensor(decays).repeat_interleave(SEEDS).view(-1, 1, 1)
    generator = torch.Generator().manual_seed(0)
    weights = [
        torch.randn(SEEDS, i, o, generator=generator).repeat(len(decays), 1, 1)
        / i**0.5
        for i, o in ((10, 32), (32, 32), (32, 2))
    ]
    weights += [torch.zeros(len(decay), 1, each.shape[-1]) for each in weights]
    for each in weights:
        each.requires_grad_()
    optimizer = torch.optim.Adam(weights, lr=rate, fused=True)

    def losses(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x, y = x.repeat(len(decays), 1, 1), y.repeat(len(decays), 1)
        for weight, bias in zip(weights[:3], weights[3:], strict=True):
            x = torch.baddbmm(bias, x, weight)
            x = x.relu() if weight is not weights[2] else x
        x = x.log_softmax(2).gather(2, y.unsqueeze(2))
        return -x.mean((1, 2))

    history = []
    for step in range(steps + 1):
        if step % 10 == 0:
            with torch.no_grad():
                found = [losses(*each).view(len(decays), SEEDS) for each in shown]
            history.append(torch.stack(found))
        batch = torch.randint(count, (64,), generator=generator)
        optimizer.zero_grad()
        losses(x[:, batch], y[:, batch]).sum().backward()
        with torch.no_grad():
            for weight in weights:
                weight *= 1 - rate * decay  # the decay step of AdamW
        optimizer.step()
    return torch.stack(history)


CASES = {
    "too little data": {"count": 30},
    "no regularization": {"count": 300},
    "distribution shift": {"count": 2000, "offset": 1.0},
}


def best(history: torch.Tensor) -> torch.Tensor:
    """Lowest validation loss over steps (SEEDS,), decay with the lowest mean."""
    lowest = history[:, 2].amin(0)
    return lowest[lowest.mean(1).argmin()]


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"{'':19} train slice valid | start  stop decay  data source")
    spreads = []
    for name, case in CASES.items():
        tuned = fit(**case, decays=DECAYS)
        stop = tuned[:, :, :1]  # without decay
        more = fit(**{**case, "count": 8 * case["count"]})
        source = fit(**case, train_offset=1.0) if "offset" in case else stop
        lowest = [best(each) for each in (stop, tuned, more, source)]
        last = "".join(f"{each:6.2f}" for each in stop[-1, :, 0].mean(1))
        shown = "".join(f"{each.mean():6.2f}" for each in (stop[0, 2], *lowest))
        print(f"{name:19}{last} |{shown}")
        spreads += [each.std() / SEEDS**0.5 for each in lowest]
    print(f"standard error of a mean below 0.025: {max(spreads) < 0.025}")
