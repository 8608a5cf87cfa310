import textwrap

import torch


def states(copy: bool, steps: int = 4) -> torch.Tensor:
    """A recurrent network that writes its states into one buffer, shape (steps, 3).

    Args:
        copy: read the previous state as a copy instead of as a view of the buffer.
    """
    torch.manual_seed(0)
    weight = torch.randn(3, 3, requires_grad=True)
    buffer = torch.ones(steps, 3)
    for step in range(1, steps):
        previous = buffer[step - 1]
        if copy:
            previous = previous.clone()
        buffer[step] = torch.tanh(previous @ weight)
    return buffer


if __name__ == "__main__":
    try:
        states(copy=False).sum().backward()
    except RuntimeError as error:
        print(
            textwrap.fill(f"RuntimeError: {error}".partition(" Hint")[0], width=80)
        )
    states(copy=True).sum().backward()
    print("with a copy of the previous state: runs")
