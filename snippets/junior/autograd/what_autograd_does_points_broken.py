import torch


def value_and_gradient(program, at: float) -> tuple[float, float]:
    """Value and derivative of ``program``, of one float32 scalar, at ``at``."""
    x = torch.tensor(at, requires_grad=True)
    result = program(x)
    result.backward()
    return result.item(), x.grad.item()


if __name__ == "__main__":
    identities = {
        "x": lambda x: x,
        "relu(x) - relu(-x)": lambda x: torch.relu(x) - torch.relu(-x),
        "sqrt(x ** 2) * sign(x)": lambda x: torch.sqrt(x**2) * torch.sign(x),
    }
    for name, program in identities.items():
        for at in (3.0, 0.0):
            value, gradient = value_and_gradient(program, at)
            print(f"{name:22} at {at:.0f}: {value:.1f}, gradient {gradient:.1f}")
