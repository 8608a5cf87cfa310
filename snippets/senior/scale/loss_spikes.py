# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

WIDTH, RATE, BETA1 = 64, 1e-2, 0.9


class Task:
    """Linear regression with label noise of 0.1, and of 10 in a bad batch."""

    def __init__(self, seed: int):
        self.generator = torch.Generator().manual_seed(seed)
        self.truth = self.draw(WIDTH) / WIDTH**0.5
        self.held_out = self.batch(512)

    def draw(self, *size):
        return torch.randn(size, generator=self.generator, dtype=torch.double)

    def batch(self, rows: int = 32, noise: float = 0.1):
        x = self.draw(rows, WIDTH)
        return x, x @ self.truth + noise * self.draw(rows)


def start():
    """Weight, first moment, second moment, and the number of steps."""
    return (*torch.zeros(3, WIDTH, dtype=torch.double), 0)


def step(state, batch, beta2: float = 0.999, clip: float = torch.inf):
    """The state after a step of Adam on the squared error, and the norm."""
    (weight, m, v, t), (x, y) = state, batch
    gradient = 2 * x.T @ (x @ weight - y) / len(y)
    norm = gradient.norm().item()
    gradient = gradient * min(1.0, clip / norm)
    m = BETA1 * m + (1 - BETA1) * gradient
    v, t = beta2 * v + (1 - beta2) * gradient.square(), t + 1
    root = (v / (1 - beta2**t)).sqrt() + 1e-8
    return (weight - RATE * m / (1 - BETA1**t) / root, m, v, t), norm


def train(task, save_at=(10, 800), beta2: float = 0.999) -> dict:
    """States saved before each step in ``save_at``."""
    state, saved = start(), {}
    for t in range(max(save_at) + 1):
        if t in save_at:
            saved[t] = state
        state, _ = step(state, task.batch(), beta2)
    return saved


def replay(task, state, first, steps: int = 60, **options) -> list[float]:
    """Held-out losses from a saved state, with ``first`` as its first batch."""
    task.generator.manual_seed(1)  # the same batches follow in each replay
    x, y = task.held_out
    curve = []
    for t in range(steps):
        curve.append((x @ state[0] - y).square().mean().item())
        state, _ = step(state, task.batch() if t else first, **options)
    return curve


if __name__ == "__main__":
    task = Task(seed=0)
    saved = train(task)
    usual, bad = task.batch(), task.batch(noise=10.0)
    print("held-out loss, and its highest value in the next 60 steps")
    for at, state in saved.items():
        for name, batch in (("usual", usual), ("bad", bad)):
            curve = replay(task, state, batch)
            moved = f"{curve[0]:.2f} -> {max(curve):.2f}"
            print(f"state of step {at:3}, {name:5} batch:  {moved}")

    small = train(task, beta2=0.95)
    curves = {
        "no protection": replay(task, saved[800], bad),
        "beta2 0.95": replay(task, small[800], bad, beta2=0.95),
        "clipped at 1": replay(task, saved[800], bad, clip=1.0),
        "skipped": replay(task, saved[800], usual),
    }
    print("\nstate of step 800, bad batch, highest loss")
    for (name, curve), style in zip(curves.items(), ("-", "--", "-.", ":")):
        print(f"{name:13}  {max(curve):.2f}")
        plt.plot(curve, style, label=name)
    plt.yscale("log")
    plt.xlabel("steps after the bad batch")
    plt.ylabel("held-out loss")
    plt.legend()
    plt.show()
