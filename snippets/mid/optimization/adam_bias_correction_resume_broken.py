import torch

w = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.001)


def step() -> float:
    """The length of one step, in learning rates."""
    before = w.item()
    w.grad = torch.ones(1)
    optimizer.step()
    return (before - w.item()) / 0.001


if __name__ == "__main__":
    moves = [step() for _ in range(2000)]
    print(f"before the crash: {moves[-1]:.2f}")
    optimizer.state[w]["step"].zero_()  # the means were restored, t was not
    moves = [step() for _ in range(100)]
    for t in (1, 12, 100):
        print(f"resumed, step {t:3}: {moves[t - 1]:.2f}")
