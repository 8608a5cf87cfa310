import torch


def alarms(spread, runs=2000, passages=100, questions=5):
    """How often two equal models look different at 5%, by question, by passage."""
    draw = torch.Generator().manual_seed(0)
    # Each model happens to know a passage well or badly, with this spread.
    skill = 1 + spread * torch.randn(2, runs, passages, 1, generator=draw)
    guess = torch.rand(2, runs, passages, questions, generator=draw)
    right = guess < skill.sigmoid()
    lead = right[1].double() - right[0].double()
    rates = []
    for units in (lead.flatten(1), lead.mean(2)):
        error = units.std(1) / units.shape[1] ** 0.5
        rates.append((units.mean(1).abs() > 1.96 * error).double().mean().item())
    return rates


if __name__ == "__main__":
    for spread in 0, 1, 2:
        one, other = alarms(spread)
        print(f"spread {spread}: by question {one:3.0%}, by passage {other:3.0%}")
