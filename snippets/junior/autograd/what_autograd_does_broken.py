import torch


def value_and_gradient(program, at: float) -> tuple[float, float]:
    """Value and derivative of ``program``, of one float32 scalar, at ``at``."""
    x = torch.tensor(at, requires_grad=True)
    result = program(x)
    result.backward()
    return result.item(), x.grad.item()


if __name__ == "__main__":
    squares = {
        "x * x": lambda x: x * x,
        "x * x.item()": lambda x: x * x.item(),
        "x * x.detach()": lambda x: x * x.detach(),
        "x * x.round()": lambda x: x * x.round(),
    }
    for name, program in squares.items():
        value, gradient = value_and_gradient(program, at=3.0)
        print(f"at 3: {name:22} value {value:.1f}  gradient {gradient:.1f}")

    identities = {
        "x": lambda x: x,
        "relu(x) - relu(-x)": lambda x: torch.relu(x) - torch.relu(-x),
        "sqrt(x ** 2) * sign(x)": lambda x: torch.sqrt(x**2) * torch.sign(x),
    }
    for name, program in identities.items():
        for at in (3.0, 0.0):
            value, gradient = value_and_gradient(program, at)
            print(
                f"at {at:.0f}: {name:22} value {value:.1f}  gradient {gradient:.1f}"
            )
