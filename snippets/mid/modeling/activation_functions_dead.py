import torch
from torch import nn


def regress(
    name: str, optimizer: str, rate: float, bias: float = -5.0, steps: int = 200
) -> tuple[float, float]:
    """Share of dead hidden units before training, and the loss after it.

    A unit is dead if the gradient of its weights is exactly 0 for all 256 rows.

    Args:
        name: an activation of ``torch.nn``.
        optimizer: "SGD" or "Adam", of ``torch.optim``.
        rate: its learning rate.
        bias: of each hidden unit; as after a step that went too far.
    """
    torch.manual_seed(0)
    x = torch.randn(256, 8)
    hidden = nn.Linear(8, 64)
    nn.init.constant_(hidden.bias, bias)
    model = nn.Sequential(hidden, getattr(nn, name)(), nn.Linear(64, 1))
    stepper = getattr(torch.optim, optimizer)(model.parameters(), lr=rate)
    for step in range(steps):
        stepper.zero_grad()
        loss = (model(x) - x[:, :1]).square().mean()
        loss.backward()
        if step == 0:
            dead = (hidden.weight.grad == 0).all(dim=1).double().mean().item()
        stepper.step()
    return dead, loss.item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    print("bias -5         dead at first  loss: SGD, best of 3  Adam")
    for name in "ReLU", "LeakyReLU", "GELU", "Softplus":
        dead, adam = regress(name, "Adam", 0.01)
        losses = [regress(name, "SGD", rate)[1] for rate in (0.3, 0.65, 1.0)]
        sgd = torch.tensor(losses).nan_to_num(torch.inf).min()  # 1.0 may diverge
        print(f"{name:16}{dead:13.2f}{sgd:22.1f}{adam:6.1f}")
