# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def steps_after(
    spikes: list[float], count: int, beta2: float = 0.999, amsgrad: bool = False
) -> torch.Tensor:
    """Lengths of Adam's steps after a spike, in learning rates.

    The gradient is 1 in all steps but one, which comes after 5000 others.

    Args:
        spikes: the gradient of that step, one per weight.
        count: how many steps from the spike on.

    Returns:
        float64, shape (count, len(spikes)). The first row is the spike's own step.
    """
    w = torch.zeros(len(spikes), dtype=torch.float64, requires_grad=True)
    betas = (0.9, beta2)
    optimizer = torch.optim.Adam([w], lr=1.0, betas=betas, amsgrad=amsgrad)
    usual, spike = torch.ones_like(w), torch.tensor(spikes, dtype=torch.float64)
    places = []
    for t in range(5000 + count):
        w.grad = spike if t == 5000 else usual
        if t >= 5000:
            places.append(w.detach().clone())
        optimizer.step()
    places.append(w.detach().clone())
    return -torch.stack(places).diff(dim=0)


if __name__ == "__main__":
    spikes = [1.0, 10.0, 100.0, 1000.0]
    lengths = steps_after(spikes, 8000)
    print("spike   its step   first 50 steps   half as long as usual until step")
    for spike, line in zip(spikes, lengths.T):
        below = (line < 0.5).nonzero()
        until = f"{below[-1].item():5}" if len(below) else "never"
        print(f"{spike:5g} {line[0]:10.2f} {line[:50].sum():16.1f} {until:>20}")
    at = (10 ** torch.linspace(0, 3.9, 60)).long().unique()
    styles = ("-", ":", "--", "-.")
    for spike, line, style in zip(spikes, lengths.T, styles):
        label = f"{spike:g}" if spike > 1 else "none, or clipped to 1"
        plt.plot(at, line[at - 1], style, label=label)
    plt.xscale("log")
    plt.xlabel("steps from the spike on")
    plt.ylabel("step length / learning rate")
    plt.legend(title="spike / usual gradient")
    plt.show()
